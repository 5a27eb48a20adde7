// ASOF joins of DuckDB's plans: keys, and one comparison that chooses the nearest right row.
#include <algorithm>
#include <optional>

#include "relation/as_of_join.hpp"
#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {
namespace {

struct NamedComparison {
  std::string_view name;
  Op op;
};
constexpr NamedComparison nearest_comparisons[] = {
    {"COMPARE_GREATERTHANOREQUALTO", Op::greater_equal},
    {"COMPARE_GREATERTHAN", Op::greater},
    {"COMPARE_LESSTHANOREQUALTO", Op::less_equal},
    {"COMPARE_LESSTHAN", Op::less}};

}  // namespace

Result<PlanRows> PlanReader::as_of_join(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows left, input(plan, 0));
  PENSTOCK_ASSIGN(PlanRows right, input(plan, 1));
  const std::string_view type = plan["join_type"].text();
  if (type != "INNER" && type != "LEFT")
    return refuse(plan, "an ASOF join of " + std::string(type));
  relation::AsOfJoin join{type == "LEFT" ? JoinType::left : JoinType::inner, {}};
  Computed of_left(*this, left), of_right(*this, right);
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < plan["conditions"].size(); i++) {
    const Tree condition = plan["conditions"].at(i);
    const std::string_view name = condition["comparison"].text();
    PENSTOCK_ASSIGN(const std::uint32_t a, of_left.column(condition["left"], "ON"));
    PENSTOCK_ASSIGN(const std::uint32_t b, of_right.column(condition["right"], "ON"));
    if (name == "COMPARE_EQUAL" || name == "COMPARE_NOT_DISTINCT_FROM") {
      join.keys.push_back({a, b, name != "COMPARE_EQUAL"});
      continue;
    }
    const auto found = std::ranges::find(nearest_comparisons, name, &NamedComparison::name);
    if (found == std::end(nearest_comparisons))
      return refuse(plan, "this comparison of an ASOF join");
    join.left = a, join.right = b, join.comparison = found->op;
    nearest++;
  }
  if (nearest != 1 || plan["predicate"])
    return refuse(plan, "an ASOF join by other than one inequality");
  PENSTOCK_ASSIGN(left.relation, of_left.finish());
  PENSTOCK_ASSIGN(right.relation, of_right.finish());
  PlanRows rows;
  PENSTOCK_ASSIGN(rows.relation,
                  relation::as_of_join(relations_, left.relation, right.relation, join));
  const std::uint32_t left_width = width(left.relation);
  for (PlanColumn& column : right.columns) column = column.moved(left_width);
  rows.columns = picked(left.columns, plan["left_projection_map"]);
  for (const PlanColumn& column : picked(right.columns, plan["right_projection_map"]))
    rows.columns.push_back(column);
  return rows;
}

}  // namespace penstock::sql
