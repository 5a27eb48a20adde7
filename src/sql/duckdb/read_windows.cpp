// Windows of DuckDB's plans. Functions that no window step has are made of others: percent_rank()
// of a rank and a count. Statistics over whole partitions are groups, joined to the rows.
#include <algorithm>

#include "plan/aggregates.hpp"
#include "sql/duckdb/plan_windows.hpp"
#include "sql/duckdb/window_plan.hpp"

namespace penstock::sql {
namespace {

Result<NodeId> ratio(Builder& rows, NodeId a, NodeId b) {
  PENSTOCK_ASSIGN(const NodeId over, rows.cast(a, Type{Kind::float64}));
  PENSTOCK_ASSIGN(const NodeId under, rows.cast(b, Type{Kind::float64}));
  return rows.binary(Op::divide, over, under);
}

NodeId whole_number(Builder& rows, std::int64_t value) { return rows.literal(Scalar::of(value)); }

// (rank - 1) / (rows - 1); 0 of one row.
Result<NodeId> percent_rank(Builder& rows, std::uint32_t first) {
  const NodeId one = whole_number(rows, 1);
  PENSTOCK_ASSIGN(const NodeId before, rows.binary(Op::subtract, rows.column(first), one));
  PENSTOCK_ASSIGN(NodeId others, rows.binary(Op::subtract, rows.column(first + 1), one));
  PENSTOCK_ASSIGN(others, rows.variadic(Op::greatest, {others, one}));
  return ratio(rows, before, others);
}

Result<NodeId> cumulative_share(Builder& rows, std::uint32_t first) {
  return ratio(rows, rows.column(first), rows.column(first + 1));
}

// The first tiles have one row more than the last ones, so that all rows are in one.
Result<NodeId> tile_of(Builder& rows, std::uint32_t first, NodeId tiles) {
  const NodeId one = whole_number(rows, 1), count = rows.column(first + 1);
  PENSTOCK_ASSIGN(const NodeId index, rows.binary(Op::subtract, rows.column(first), one));
  PENSTOCK_ASSIGN(const NodeId size, rows.binary(Op::integer_divide, count, tiles));
  PENSTOCK_ASSIGN(const NodeId large, rows.binary(Op::modulo, count, tiles));
  PENSTOCK_ASSIGN(const NodeId large_size, rows.binary(Op::add, size, one));
  PENSTOCK_ASSIGN(const NodeId in_large, rows.binary(Op::multiply, large, large_size));
  PENSTOCK_ASSIGN(const NodeId of_large, rows.binary(Op::integer_divide, index, large_size));
  PENSTOCK_ASSIGN(const NodeId behind, rows.binary(Op::subtract, index, in_large));
  PENSTOCK_ASSIGN(const NodeId small_size, rows.variadic(Op::greatest, {size, one}));
  PENSTOCK_ASSIGN(NodeId of_small, rows.binary(Op::integer_divide, behind, small_size));
  PENSTOCK_ASSIGN(of_small, rows.binary(Op::add, of_small, large));
  PENSTOCK_ASSIGN(const NodeId is_large, rows.binary(Op::less, index, in_large));
  PENSTOCK_ASSIGN(const NodeId tile, rows.select(is_large, of_large, of_small));
  return rows.binary(Op::add, tile, one);
}

}  // namespace

// Windows of one partition and order are one relation.
Result<PlanRows> PlanReader::window(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows rows, input(plan));
  PENSTOCK_ASSIGN(rows, exact(rows));
  Computed computed(*this, rows);
  WindowPlan windows;
  const Tree calls = plan["expressions"];
  for (std::size_t i = 0; i < calls.size(); i++) {
    PENSTOCK_TRY(add_window_call(calls.at(i), computed, windows));
    windows.outputs.back().stated = stated_type(calls.at(i));
  }
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  PENSTOCK_ASSIGN(rows.relation, with_distinct_values(rows.relation, windows));
  std::vector<std::uint32_t> first;
  for (Window& window : windows.windows) {
    first.push_back(width(rows.relation));
    if (!window.calls.empty()) {
      PENSTOCK_ASSIGN(rows.relation, relations_.window(rows.relation, window));
    }
  }
  PENSTOCK_ASSIGN(rows.relation, with_statistics(rows.relation, windows));
  Computed results(*this, rows);
  std::vector<PlanColumn> columns = rows.columns;
  for (const WindowPlan::Output& output : windows.outputs) {
    Builder& builder = results.builder();
    if (output.is_refused) {
      const Type type = output.stated.value_or(Type{Kind::boolean});
      columns.push_back(
          {PlanColumn::Kind::value, results.add(builder.literal(Scalar::null_of(type)))});
      continue;
    }
    const std::uint32_t column =
        output.statistic ? windows.statistics[*output.statistic].column
                         : first[output.window] + static_cast<std::uint32_t>(output.call);
    NodeId node = builder.column(column);
    if (output.value) { PENSTOCK_ASSIGN(node, output.value(builder, column)); }
    if (output.stated && !(builder.type(node) == *output.stated)) {
      const Result<NodeId> cast = builder.cast(node, *output.stated);
      if (!cast.ok() && !problems_.pass(cast.status())) return cast.status();
      if (cast.ok()) node = *cast;
    }
    columns.push_back({PlanColumn::Kind::value, results.add(node)});
  }
  PENSTOCK_ASSIGN(rows.relation, results.finish());
  rows.columns = std::move(columns);
  return rows;
}

Status PlanReader::add_window_call(const Tree& call, Computed& columns, WindowPlan& windows) {
  Window window;
  for (std::size_t k = 0; k < call["partitions"].size(); k++) {
    PENSTOCK_ASSIGN(window.partition.emplace_back(),
                    columns.column(call["partitions"].at(k), "PARTITION BY"));
  }
  PENSTOCK_ASSIGN(window.order, sort_keys(call["orders"], columns));
  const std::string_view type = call["type"].text();
  // rank(ORDER BY x) OVER (ORDER BY y). Sums and extremes are the same in any order.
  if (call["arg_orders"].size() > 0 && !plan::aggregate_named(function_name(call))) {
    windows.add_refused();
    problems_.pass(refuse(call, "ORDER BY within a window function"));
    return {};
  }
  const WindowCall of_partition{WindowFunction::count_rows, 0, WindowFrame::partition, 1, "rows"},
      rank{WindowFunction::rank, 0, WindowFrame::peers, 1, "rank"},
      of_peers{WindowFunction::count_rows, 0, WindowFrame::peers, 1, "peers"},
      number{WindowFunction::row_number, 0, WindowFrame::rows, 1, "number"};
  if (type == "WINDOW_PERCENT_RANK") {
    windows.add(std::move(window), {rank, of_partition}).value = percent_rank;
    return {};
  }
  if (type == "WINDOW_CUME_DIST") {
    windows.add(std::move(window), {of_peers, of_partition}).value = cumulative_share;
    return {};
  }
  const std::vector<Tree> inputs = inputs_of(call);
  if (type == "WINDOW_NTILE" && inputs.size() == 1) {
    PENSTOCK_ASSIGN(const std::uint32_t tiles, columns.column(inputs[0], "OVER"));
    windows.add(std::move(window), {number, of_partition}).value =
        [tiles](Builder& rows, std::uint32_t first) -> Result<NodeId> {
      PENSTOCK_ASSIGN(const NodeId count, rows.cast(rows.column(tiles), Type{Kind::int64}));
      return tile_of(rows, first, count);
    };
    return {};
  }
  const std::string_view name = function_name(call);
  const NamedStatistic* const statistic = statistic_named(name);
  const bool is_aggregate = type == "WINDOW_AGGREGATE" && !function_of_window(call),
             is_statistic = is_aggregate && statistic,
             is_list = is_statistic && statistic->function == relation::Statistic::list,
             is_text = is_statistic && statistic->function == relation::Statistic::concatenation;
  if (is_aggregate && is_reduction(name) && is_whole_partition(call))
    return add_reduction(call, columns, windows, window);
  if (is_list) return add_list(call, columns, windows, std::move(window));
  if (is_text && (!is_whole_partition(call) || !window.order.empty()))
    return add_texts(call, columns, windows, std::move(window));
  if (!is_statistic) return add_plain_call(call, columns, windows, std::move(window));
  if (!is_whole_partition(call)) {
    windows.add_refused();
    problems_.pass(
        refuse(call, std::string(statistic->name) + " over anything but a whole partition"));
    return {};
  }
  const auto added = statistic_call(call, *statistic, columns);
  if (!added) {
    windows.add_refused();
    problems_.pass(refuse(call, "the window function " + std::string(statistic->name)));
    return {};
  }
  windows.outputs.emplace_back();
  windows.outputs.back().statistic = windows.statistics.size();
  windows.statistics.push_back({window.partition, *added});
  return {};
}

Status PlanReader::add_plain_call(const Tree& call, Computed& columns, WindowPlan& windows,
                                  Window window) {
  const auto refused = [&](const std::string& what) {
    windows.add_refused();
    problems_.pass(refuse(call, what));
    return Status();
  };
  const std::string name(function_name(call));
  const auto function = function_of_window(call);
  if (!function) {
    std::string type = lower(call["type"].text());
    if (type.starts_with("window_")) type.erase(0, std::string_view("window_").size());
    return refused("the window function " + (name.empty() ? type : name));
  }
  WindowCall added{*function, 0, WindowFrame::peers, 1, name};
  added.ignores_nulls =
      call["ignore_nulls"].boolean() || name == "any_value" || name == "arbitrary";
  if (const auto frame = frame_of_window(call)) {
    added.frame = *frame;
  } else if (takes_frame(*function)) {
    added.ends = frame_ends(call, columns);
    if (!added.ends) return refused("a frame of these ends");
  }
  const std::vector<Tree> inputs = inputs_of(call);
  const bool is_distinct = call["distinct"].boolean();
  if (!inputs.empty() || call["filters"]) {
    Builder& builder = columns.builder();
    NodeId argument = builder.literal(Scalar::of(true));
    const auto bound = [&](const Tree& expression) -> Result<NodeId> {
      PENSTOCK_ASSIGN(const std::uint32_t column, columns.column(expression, "OVER"));
      return columns.node(column);
    };
    if (!inputs.empty()) { PENSTOCK_ASSIGN(argument, bound(inputs[0])); }
    const auto where = [&](NodeId condition) -> Status {
      PENSTOCK_ASSIGN(condition, builder.cast(condition, Type{Kind::boolean}));
      PENSTOCK_ASSIGN(argument,
                      builder.select(condition, argument,
                                     builder.literal(Scalar::null_of(builder.type(argument)))));
      return {};
    };
    if (call["filters"]) {
      if (!plan::aggregate_of(*function) && *function != WindowFunction::count_rows)
        return refused("FILTER of the window function " + name);
      PENSTOCK_ASSIGN(const NodeId condition, bound(call["filters"]));
      PENSTOCK_TRY(where(condition));
      if (added.function == WindowFunction::count_rows) added.function = WindowFunction::count;
    }
    added.column = columns.add(argument);
  }
  // DuckDB 2 has the distance and the default among the inputs.
  const bool is_offset = *function == WindowFunction::lag || *function == WindowFunction::lead,
             has_number = is_offset || *function == WindowFunction::nth_value;
  const Tree offset = inputs.size() > 1 ? inputs[1] : call["offset_expr"],
             otherwise = inputs.size() > 2 ? inputs[2] : call["default_expr"];
  if (has_number && offset) {
    const auto distance = value_of_json(offset["value"]);
    const bool is_known = distance && !distance->is_null;
    if (!is_known || (!is_offset && distance->integer < 1))
      return refused(lower(call["type"].text().substr(std::string_view("WINDOW_").size())) +
                     "() by a distance that is not a constant number of rows");
    if (distance->integer < 0)
      added.function =
          *function == WindowFunction::lag ? WindowFunction::lead : WindowFunction::lag;
    const auto count = static_cast<std::int64_t>(distance->integer);
    added.distance = static_cast<std::uint64_t>(count < 0 ? -std::max(count, -INT64_MAX) : count);
  }
  if (is_offset && otherwise && !otherwise["value"]["is_null"].boolean()) {
    const Result<std::uint32_t> column = columns.column(otherwise, "OVER");
    if (!column.ok()) return problems_.pass(column.status()), refused("this default");
    added.otherwise = *column;
  }
  const bool begins_with_partition = !added.ends;
  if (is_distinct && !begins_with_partition)
    return refused("DISTINCT over a frame that does not begin with its partition");
  const std::uint32_t column = added.column;
  const WindowPlan::Output& output = windows.add(std::move(window), {std::move(added)});
  if (is_distinct) windows.distinct.push_back({output.window, output.call, column});
  return {};
}

}  // namespace penstock::sql
