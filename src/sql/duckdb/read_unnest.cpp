// UNNEST: as an operator of the plan, and as a table function of a lateral join.
#include <numeric>

#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {

// Yields all columns of the relation, then the elements. Columns that nothing reads are left out
// later.
Result<PlanRows> PlanReader::unnested(const PlanRows& rows, std::vector<std::uint32_t> lists,
                                      bool is_numbered) {
  Unnesting unnesting;
  unnesting.kept.resize(width(rows.relation));
  std::iota(unnesting.kept.begin(), unnesting.kept.end(), 0u);
  unnesting.lists = std::move(lists);
  unnesting.is_numbered = is_numbered;
  PlanRows result = rows;
  PENSTOCK_ASSIGN(result.relation, relations_.unnest(rows.relation, std::move(unnesting)));
  for (std::uint32_t i = width(rows.relation); i < width(result.relation); i++)
    result.columns.push_back({PlanColumn::Kind::value, i});
  return result;
}

Result<PlanRows> PlanReader::unnest(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows rows, input(plan));
  const bool is_of_one_row = plan["children"].at(0)["type"].text() == "LOGICAL_DUMMY_SCAN";
  if (is_of_one_row) rows.columns.assign(1, {PlanColumn::Kind::value, 0});
  Computed computed(*this, rows);
  std::vector<std::uint32_t> lists;
  for (std::size_t i = 0; i < plan["expressions"].size(); i++) {
    const Tree list = plan["expressions"].at(i)["child"];
    if (list["value"]["type"]["id"].text() == "NULL") {  // a list of no type, without elements
      const Type none = list_of(Type{Kind::int32});
      lists.push_back(computed.add(computed.builder().literal(Scalar::null_of(none))));
      continue;
    }
    PENSTOCK_ASSIGN(lists.emplace_back(), computed.column(list, "UNNEST"));
    const Type type = computed.type(lists.back());
    if (type.logical != LogicalType::list && type.logical != LogicalType::map)
      return refuse(plan, "UNNEST of " + name_of(type));
  }
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  return unnested(rows, std::move(lists), false);
}

// The input of the function is a projection, or a constant list.
Result<PlanRows> PlanReader::unnest_call(const Tree& plan) {
  PlanRows rows;
  std::vector<PlanColumn> projected;
  if (plan["children"].size() == 0) {
    PENSTOCK_ASSIGN(rows, constant_list(plan));
    projected.push_back({PlanColumn::Kind::value, 0});
  } else {
    PENSTOCK_ASSIGN(rows, projected_lists(plan["children"].at(0), projected));
  }
  if (projected.empty()) return Status(Code::invalid, "the plan lacks the list of UNNEST");
  const std::uint32_t list = projected[0].column;
  const Type type = schema(rows.relation)[list].type;
  if (type.logical != LogicalType::list && type.logical != LogicalType::map)
    return refuse(plan, "UNNEST of " + name_of(type));
  const bool is_numbered = plan["source_ordinality"].text() == "WITH_ORDINALITY";
  PENSTOCK_ASSIGN(const PlanRows all, unnested(rows, {list}, is_numbered));
  PlanRows result{all.relation, {}};
  for (std::size_t i = 0; i < plan["column_indexes"].size(); i++) {
    const auto index = static_cast<std::uint64_t>(plan["column_indexes"].at(i)["index"].integer());
    result.columns.push_back(all.columns[index < all.columns.size() ? index : 0]);
  }
  const Tree passed = plan["projected_input"];
  for (std::size_t i = 0; i < passed.size(); i++)
    if (const auto place = static_cast<std::uint64_t>(passed.at(i).integer());
        place < projected.size())
      result.columns.push_back(projected[place]);
  return filtered_scan(std::move(result), plan);
}

Result<PlanRows> PlanReader::constant_list(const Tree& plan) {
  const auto list = value_of_json(plan["parameters"].at(0));
  if (!list) return refuse(plan, "UNNEST of " + type_name(plan["parameters"].at(0)["type"]));
  return PlanRows{RelationWriter::values({list->type}, {{*list}}, 1), {}};
}

// The list, then columns, of which the result has some behind the element and its number.
Result<PlanRows> PlanReader::projected_lists(const Tree& projection,
                                             std::vector<PlanColumn>& projected) {
  if (projection["type"].text() != "LOGICAL_PROJECTION")
    return refuse(projection, "this form of UNNEST in DuckDB's plan");
  PENSTOCK_ASSIGN(PlanRows rows, input(projection));
  Computed computed(*this, rows);
  for (std::size_t i = 0; i < projection["expressions"].size(); i++) {
    PENSTOCK_ASSIGN(const std::uint32_t column,
                    computed.column(projection["expressions"].at(i), "UNNEST"));
    projected.push_back({PlanColumn::Kind::value, column});
  }
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  rows.columns.clear();
  return rows;
}

}  // namespace penstock::sql
