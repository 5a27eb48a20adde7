// Aggregates of DuckDB's plans.
#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {
namespace {

std::vector<std::vector<std::uint32_t>> lists_of(const Tree& lists) {
  std::vector<std::vector<std::uint32_t>> result(lists.size());
  for (std::size_t i = 0; i < lists.size(); i++)
    for (std::size_t k = 0; k < lists.at(i).size(); k++)
      result[i].push_back(static_cast<std::uint32_t>(lists.at(i).at(k).integer()));
  return result;
}

}  // namespace

// Yields the columns of the plan's operator, in the types that it states.
Result<PlanRows> PlanReader::aggregate(const Tree& plan) {
  PENSTOCK_ASSIGN(const PlanRows rows, input(plan));
  Computed computed(*this, rows);
  Aggregates aggregates(*this, computed);
  const Tree groups = plan["groups"], calls = plan["expressions"];
  for (std::size_t i = 0; i < groups.size(); i++) {
    PENSTOCK_ASSIGN(const std::uint32_t key, computed.column(groups.at(i), "GROUP BY"));
    aggregates.add_key(key);
  }
  for (std::size_t i = 0; i < calls.size(); i++)
    PENSTOCK_TRY(add_aggregate(calls.at(i), rows, computed, aggregates));
  PENSTOCK_ASSIGN(
      const RelationColumns found,
      aggregates.finish(lists_of(plan["grouping_sets"]), lists_of(plan["grouping_functions"])));
  PlanRows result{found.relation, {}};
  for (const std::uint32_t column : found.columns)
    result.columns.push_back({PlanColumn::Kind::value, column});
  return result;
}

Status PlanReader::add_aggregate(const Tree& call, const PlanRows& rows, Computed& computed,
                                 Aggregates& aggregates) {
  AggregateRequest request;
  request.name = function_name(call);
  if (request.name == "sum_no_overflow") request.name = "sum";  // of values known to be small
  request.distinct = call["aggregate_type"].text() == "DISTINCT";
  request.stated = stated_type(call);
  request.place = place_of(call);
  const std::vector<Tree> inputs = inputs_of(call);
  Builder& builder = computed.builder();
  const bool counts_rows =
      request.name == "count_star" || (request.name == "count" && inputs.empty());
  if (!counts_rows && !Aggregates::knows(request.name)) {
    static_cast<void>(refuse(call, "the aggregate " + request.name));
    for (const Tree& input : inputs)
      PENSTOCK_TRY(value(builder, input, rows.columns, "an aggregate").status());
    return aggregates.add({request.name, {}, {}, false, request.stated, request.place});
  }
  if (!counts_rows) {
    if (inputs.empty()) return Status(Code::invalid, "the plan lacks the input of " + request.name);
    PENSTOCK_ASSIGN(request.argument, value(builder, inputs[0], rows.columns, "an aggregate"));
  }
  if (call["filter"]) {
    PENSTOCK_ASSIGN(request.filter, value(builder, call["filter"], rows.columns, "FILTER"));
  }
  return aggregates.add(request);
}

}  // namespace penstock::sql
