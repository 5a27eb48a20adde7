// Orders, limits, distinct rows and set operations of DuckDB's plans.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {
namespace {

// Returns the rows that a limit keeps; nullopt where it is no constant.
std::optional<std::uint64_t> count_of(const Tree& limit, std::uint64_t otherwise) {
  const std::string_view type = limit["type"].text();
  if (type == "UNSET") return otherwise;
  if (type != "CONSTANT_VALUE") return std::nullopt;
  return limit["constant_integer"].unsigned_integer();
}

std::uint64_t count_or_none(const Tree& count) { return count ? count.unsigned_integer() : 0; }

constexpr double max_sample = 1e15;  // rows
constexpr std::uint64_t max_offset = std::uint64_t{1} << 53;

}  // namespace

Result<std::vector<SortKey>> PlanReader::sort_keys(const Tree& orders, Computed& columns) {
  std::vector<SortKey> keys;
  for (std::size_t i = 0; i < orders.size(); i++) {
    const Tree order = orders.at(i);
    SortKey key;
    PENSTOCK_ASSIGN(key.column, columns.column(order["expression"], "ORDER BY"));
    key.descending = order["type"].text() == "DESCENDING";
    key.nulls_first = order["null_order"].text() == "NULLS FIRST";
    keys.push_back(key);
  }
  return keys;
}

Result<PlanRows> PlanReader::sorted_rows(PlanRows rows, const Tree& orders) {
  Computed computed(*this, rows);
  PENSTOCK_ASSIGN(std::vector<SortKey> keys, sort_keys(orders, computed));
  PENSTOCK_ASSIGN(const RelationId input, computed.finish());
  PENSTOCK_ASSIGN(rows.relation, relations_.sort(input, std::move(keys)));
  return rows;
}

Result<PlanRows> PlanReader::sorted(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows rows, input(plan));
  PENSTOCK_ASSIGN(rows, exact(rows));
  PENSTOCK_ASSIGN(rows, sorted_rows(std::move(rows), plan["orders"]));
  const Tree kept = plan["projections"] ? plan["projections"] : plan["projection_map"];
  rows.columns = picked(rows.columns, kept);
  return rows;
}

Result<PlanRows> PlanReader::first_rows(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows rows, input(plan));
  PENSTOCK_ASSIGN(rows, exact(rows));
  PENSTOCK_ASSIGN(rows, sorted_rows(std::move(rows), plan["orders"]));
  PENSTOCK_ASSIGN(rows.relation, relations_.limit(rows.relation, plan["limit"].unsigned_integer(),
                                                  count_or_none(plan["offset"])));
  return rows;
}

Result<PlanRows> PlanReader::limited(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows rows, input(plan));
  const auto count = count_of(plan["limit_val"], std::numeric_limits<std::uint64_t>::max());
  const auto offset = count_of(plan["offset_val"], 0);
  if (offset && plan["limit_val"]["type"].text() == "CONSTANT_PERCENTAGE")
    return first_share(plan, std::move(rows), *offset);
  if (!count || !offset) return refuse(plan, "LIMIT by an expression");
  PENSTOCK_ASSIGN(rows.relation, relations_.limit(rows.relation, *count, *offset));
  return rows;
}

// The first rows by a percentage of all. Windows and filters keep the order.
Result<PlanRows> PlanReader::first_share(const Tree& plan, PlanRows rows, std::uint64_t offset) {
  const double share = plan["limit_val"]["constant_percentage"].real() / 100;
  if (!(share >= 0 && share <= 1) || offset > max_offset)
    return refuse(plan, "LIMIT by this percentage");
  PENSTOCK_ASSIGN(rows, exact(rows));
  Window window;
  window.calls = {{WindowFunction::row_number, 0, WindowFrame::rows, 1, "number"},
                  {WindowFunction::count_rows, 0, WindowFrame::partition, 1, "count"}};
  PENSTOCK_ASSIGN(const RelationId numbered, relations_.window(rows.relation, std::move(window)));
  Builder builder(schema(numbered));
  const NodeId number = builder.column(width(numbered) - 2),
               before = builder.literal(Scalar::of(static_cast<std::int64_t>(offset)));
  PENSTOCK_ASSIGN(NodeId last,
                  builder.cast(builder.column(width(numbered) - 1), Type{Kind::float64}));
  PENSTOCK_ASSIGN(last, builder.binary(Op::multiply, last, builder.literal(Scalar::of(share))));
  PENSTOCK_ASSIGN(last, builder.unary(Op::floor, last));
  PENSTOCK_ASSIGN(last, builder.cast(last, Type{Kind::int64}));
  PENSTOCK_ASSIGN(last, builder.binary(Op::add, last, before));
  PENSTOCK_ASSIGN(const NodeId is_behind, builder.binary(Op::greater, number, before));
  PENSTOCK_ASSIGN(const NodeId is_within, builder.binary(Op::less_equal, number, last));
  PENSTOCK_ASSIGN(const NodeId is_kept, builder.binary(Op::and_, is_behind, is_within));
  PENSTOCK_ASSIGN(rows.relation, relations_.filter(numbered, builder.graph(), is_kept));
  return rows;
}

// A row's number decides whether it is of the sample. So it is the same one each time.
Result<PlanRows> PlanReader::sampled(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows rows, input(plan));
  PENSTOCK_ASSIGN(rows, exact(rows));
  const Tree options = plan["sample_options"];
  const auto size = value_of_json(options["sample_size"]);
  if (!size || size->is_null) return refuse(plan, "a sample of this size");
  const double wanted = is_float(size->type) ? size->real : static_cast<double>(size->integer);
  Window window;
  window.calls.push_back({WindowFunction::row_number, 0, WindowFrame::rows, 1, "number"});
  PENSTOCK_ASSIGN(const RelationId numbered, relations_.window(rows.relation, std::move(window)));
  const PlanRows all{numbered, rows.columns};
  Computed computed(*this, all);
  Builder& builder = computed.builder();
  const NodeId seed = builder.literal(Scalar::of(options["seed"].integer()));
  PENSTOCK_ASSIGN(
      const NodeId chance,
      builder.string_function("sample_number", {builder.column(width(numbered) - 1), seed}));
  if (options["is_percentage"].boolean()) {
    constexpr double percent = 100;
    PENSTOCK_ASSIGN(
        const NodeId is_chosen,
        builder.binary(Op::less, chance, builder.literal(Scalar::of(wanted / percent))));
    PENSTOCK_ASSIGN(rows.relation, relations_.filter(numbered, builder.graph(), is_chosen));
    return rows;
  }
  const std::uint32_t column = computed.add(chance);
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  PENSTOCK_ASSIGN(rows.relation, relations_.sort(rows.relation, {{column, false, false}}));
  const double count = std::clamp(std::isfinite(wanted) ? wanted : 0, 0.0, max_sample);
  PENSTOCK_ASSIGN(rows.relation,
                  relations_.limit(rows.relation, static_cast<std::uint64_t>(count)));
  return rows;
}

Result<PlanRows> PlanReader::distinct(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows rows, input(plan));
  PENSTOCK_ASSIGN(rows, exact(rows));
  // ORDER BY may read columns that DISTINCT does not compare: SELECT DISTINCT a ... ORDER BY a, b.
  const std::size_t compared = plan["distinct_targets"].size();
  const bool compares_some = compared > 0 && compared < width(rows.relation);
  if (compares_some || plan["distinct_type"].text() == "DISTINCT_ON")
    return distinct_on(plan, std::move(rows));
  PENSTOCK_ASSIGN(rows.relation, relations_.distinct(rows.relation));
  return rows;
}

// The first row of each of the targets, in the order.
Result<PlanRows> PlanReader::distinct_on(const Tree& plan, PlanRows rows) {
  Computed computed(*this, rows);
  Window window;
  const Tree targets = plan["distinct_targets"];
  for (std::size_t i = 0; i < targets.size(); i++) {
    PENSTOCK_ASSIGN(window.partition.emplace_back(), computed.column(targets.at(i), "DISTINCT ON"));
  }
  PENSTOCK_ASSIGN(window.order, sort_keys(plan["order_by"]["orders"], computed));
  window.calls.push_back({WindowFunction::row_number, 0, WindowFrame::rows, 1, "number"});
  PENSTOCK_ASSIGN(const RelationId input, computed.finish());
  PENSTOCK_ASSIGN(const RelationId numbered, relations_.window(input, std::move(window)));
  Builder builder(schema(numbered));
  PENSTOCK_ASSIGN(const NodeId is_first,
                  builder.binary(Op::equal, builder.column(width(numbered) - 1),
                                 builder.literal(Scalar::of(std::int64_t{1}))));
  PENSTOCK_ASSIGN(rows.relation, relations_.filter(numbered, builder.graph(), is_first));
  return rows;
}

Result<PlanRows> PlanReader::set_operation(const Tree& plan) {
  const std::string_view type = plan["type"].text();
  const bool is_union = type == "LOGICAL_UNION", all = plan["setop_all"].boolean();
  std::vector<RelationId> inputs;
  PlanRows rows;
  for (std::size_t i = 0; i < plan["children"].size(); i++) {
    PENSTOCK_ASSIGN(rows, input(plan, i));
    PENSTOCK_ASSIGN(rows, exact(rows));
    inputs.push_back(rows.relation);
  }
  if (inputs.empty() || (inputs.size() == 1 && !is_union))
    return Status(Code::invalid, "the plan lacks an input of an operator");
  if (is_union) {
    if (inputs.size() > 1) {  // else DuckDB has left out inputs without rows
      PENSTOCK_ASSIGN(rows.relation, relations_.append(std::move(inputs)));
    }
    if (!all) { PENSTOCK_ASSIGN(rows.relation, relations_.distinct(rows.relation)); }
    return rows;
  }
  PENSTOCK_ASSIGN(rows.relation, type == "LOGICAL_INTERSECT"
                                     ? relations_.intersect(inputs[0], inputs[1], all)
                                     : relations_.except(inputs[0], inputs[1], all));
  return rows;
}

}  // namespace penstock::sql
