// Orders, limits, distinct rows, set operations and windows of DuckDB's plans.
#include <algorithm>
#include <limits>

#include "plan/aggregates.hpp"
#include "sql/duckdb/plan_reader.hpp"
#include "sql/plans/window_calls.hpp"

namespace penstock::sql {
namespace {

struct NamedWindow {
  std::string_view type;
  WindowFunction function;
};
constexpr NamedWindow window_functions[] = {{"WINDOW_ROW_NUMBER", WindowFunction::row_number},
                                            {"WINDOW_RANK", WindowFunction::rank},
                                            {"WINDOW_RANK_DENSE", WindowFunction::dense_rank},
                                            {"WINDOW_DENSE_RANK", WindowFunction::dense_rank},
                                            {"WINDOW_FIRST_VALUE", WindowFunction::first_value},
                                            {"WINDOW_LAST_VALUE", WindowFunction::last_value},
                                            {"WINDOW_LAG", WindowFunction::lag},
                                            {"WINDOW_LEAD", WindowFunction::lead}};

std::optional<WindowFunction> function_of(const Tree& call) {
  const std::string_view type = call["type"].text(), name = function_name(call);
  for (const NamedWindow& row : window_functions)
    if (row.type == type) return row.function;
  if (type != "WINDOW_AGGREGATE") return std::nullopt;
  if (name == "count_star" || (name == "count" && inputs_of(call).empty()))
    return WindowFunction::count_rows;
  const plan::AggregateRow* const aggregate = plan::aggregate_named(name);
  return aggregate ? aggregate->window : std::nullopt;
}

// Returns nothing for a frame that does not begin with the partition.
std::optional<WindowFrame> frame_of(const Tree& call) {
  const std::string_view start = call["start"].text(), end = call["end"].text(),
                         excluded = call["exclude_clause"].text();
  if (start != "UNBOUNDED_PRECEDING" || (excluded != "NO_OTHER" && !excluded.empty()))
    return std::nullopt;
  if (end == "UNBOUNDED_FOLLOWING") return WindowFrame::partition;
  if (end == "CURRENT_ROW_ROWS") return WindowFrame::rows;
  return end == "CURRENT_ROW_RANGE" ? std::optional(WindowFrame::peers) : std::nullopt;
}

// Returns the rows that a limit keeps; nullopt where it is no constant.
std::optional<std::uint64_t> count_of(const Tree& limit, std::uint64_t otherwise) {
  const std::string_view type = limit["type"].text();
  if (type == "UNSET") return otherwise;
  if (type != "CONSTANT_VALUE") return std::nullopt;
  return limit["constant_integer"].unsigned_integer();
}

std::uint64_t count_or_none(const Tree& count) { return count ? count.unsigned_integer() : 0; }

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
  if (!count || !offset) return refuse(plan, "LIMIT by a percentage or an expression");
  PENSTOCK_ASSIGN(rows.relation, relations_.limit(rows.relation, *count, *offset));
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

Result<PlanRows> PlanReader::window(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows rows, input(plan));
  PENSTOCK_ASSIGN(rows, exact(rows));
  Computed computed(*this, rows);
  WindowCalls windows;
  const Tree calls = plan["expressions"];
  for (std::size_t i = 0; i < calls.size(); i++) {
    const Tree call = calls.at(i);
    Window window;
    for (std::size_t k = 0; k < call["partitions"].size(); k++) {
      PENSTOCK_ASSIGN(window.partition.emplace_back(),
                      computed.column(call["partitions"].at(k), "PARTITION BY"));
    }
    PENSTOCK_ASSIGN(window.order, sort_keys(call["orders"], computed));
    std::optional<WindowCall> added = window_call(call, computed);
    windows.add(std::move(window), added ? std::move(*added) : WindowCall{});
  }
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  PENSTOCK_ASSIGN(const RelationColumns found, windows.finish(*this, rows.relation));
  rows.relation = found.relation;
  for (const std::uint32_t column : found.columns)
    rows.columns.push_back({PlanColumn::Kind::value, column});
  return rows;
}

std::optional<WindowCall> PlanReader::window_call(const Tree& call, Computed& columns) {
  const auto refused = [&](const std::string& what) {
    static_cast<void>(refuse(call, what));
    return std::optional<WindowCall>();
  };
  const std::string name(function_name(call));
  const auto function = function_of(call);
  if (!function)
    return refused("the window function " + (name.empty() ? lower(call["type"].text()) : name));
  const auto frame = frame_of(call);
  if (!frame) return refused("a frame that does not begin with its partition");
  if (call["ignore_nulls"].boolean()) return refused("IGNORE NULLS");
  if (call["distinct"].boolean()) return refused("DISTINCT in a window function");
  if (call["filters"]) return refused("FILTER of a window function");
  WindowCall added{*function, 0, *frame, 1, name};
  const std::vector<Tree> inputs = inputs_of(call);
  if (!inputs.empty()) {
    const Result<std::uint32_t> column = columns.column(inputs[0], "OVER");
    if (!column.ok()) return problems_.pass(column.status()), std::nullopt;
    added.column = *column;
  }
  // DuckDB 2 has the distance and the default among the inputs.
  const bool is_offset = *function == WindowFunction::lag || *function == WindowFunction::lead;
  const Tree offset = inputs.size() > 1 ? inputs[1] : call["offset_expr"],
             otherwise = inputs.size() > 2 ? inputs[2] : call["default_expr"];
  if (is_offset && offset) {
    const auto distance = value_of_json(offset["value"]);
    if (!distance || distance->is_null || distance->integer < 0)
      return refused("a distance that is no constant");
    added.distance = static_cast<std::uint64_t>(distance->integer);
  }
  if (is_offset && otherwise && !otherwise["value"]["is_null"].boolean()) {
    const Result<std::uint32_t> column = columns.column(otherwise, "OVER");
    if (!column.ok()) return problems_.pass(column.status()), std::nullopt;
    added.otherwise = *column;
  }
  return added;
}

}  // namespace penstock::sql
