// Statistics, texts and distinct values of windows, and frames of any ends.
#include <algorithm>

#include "expr/nested_functions.hpp"
#include "sql/duckdb/plan_windows.hpp"
#include "sql/duckdb/window_plan.hpp"

namespace penstock::sql {
namespace {

NodeId whole(Builder& rows, std::int64_t value) { return rows.literal(Scalar::of(value)); }

}  // namespace

// product() and bit_or() over a whole partition are statistics of it.
Status PlanReader::add_reduction(const Tree& call, Computed& columns, WindowPlan& windows,
                                 const Window& window) {
  const std::string name(function_name(call));
  const std::vector<Tree> inputs = inputs_of(call);
  relation::StatisticCall added;
  added.function = relation::Statistic::reduction;
  if (inputs.size() != 1) return Status(Code::invalid, "the plan lacks the input of " + name);
  PENSTOCK_ASSIGN(const std::uint32_t column, columns.column(inputs[0], "OVER"));
  added.arguments = {column};
  if (call["filters"]) {
    PENSTOCK_ASSIGN(added.condition, columns.column(call["filters"], "FILTER"));
  }
  added.distinct = call["distinct"].boolean() && !ignores_repeated(name);
  added.custom = reduction_named(name, columns.type(column));
  if (!added.custom) {
    windows.add_refused();
    problems_.pass(refuse(call, name + " of " + name_of(columns.type(column))));
    return {};
  }
  windows.outputs.emplace_back();
  windows.outputs.back().statistic = windows.statistics.size();
  windows.statistics.push_back({window.partition, std::move(added)});
  return {};
}

// string_agg() over a frame: each text stands behind its separator, and the first separator is cut
// off.
Status PlanReader::add_texts(const Tree& call, Computed& columns, WindowPlan& windows,
                             Window window) {
  const auto refused = [&](const std::string& what) {
    windows.add_refused();
    problems_.pass(refuse(call, what));
    return Status();
  };
  const std::vector<Tree> inputs = inputs_of(call);
  const std::optional<std::string> separator = separator_of(call);
  const bool has_order = call["arg_orders"].size() > 0;
  if (inputs.empty() || inputs.size() > 2 || !separator || call["distinct"].boolean() || has_order)
    return refused("this string_agg in a window");
  const std::string& between = *separator;
  PENSTOCK_ASSIGN(const std::uint32_t column, columns.column(inputs[0], "OVER"));
  Builder& builder = columns.builder();
  PENSTOCK_ASSIGN(NodeId text, builder.cast_to_string(columns.node(column)));
  PENSTOCK_ASSIGN(text,
                  builder.string_function("concat", {builder.literal(Scalar::of(between)), text}));
  return add_joined(
      call, text, columns, windows, std::move(window),
      [between](Builder& rows, std::uint32_t first) -> Result<NodeId> {
        PENSTOCK_ASSIGN(const NodeId length,
                        rows.string_function("length", {rows.literal(Scalar::of(between))}));
        PENSTOCK_ASSIGN(const NodeId from, rows.binary(Op::add, length, whole(rows, 1)));
        return rows.string_function("substring", {rows.column(first), from});
      });
}

// list() over a frame: each value is packed as it stands within a list.
Status PlanReader::add_list(const Tree& call, Computed& columns, WindowPlan& windows,
                            Window window) {
  const std::vector<Tree> inputs = inputs_of(call);
  if (inputs.size() != 1 || call["distinct"].boolean() || call["arg_orders"].size() > 0) {
    windows.add_refused();
    problems_.pass(refuse(call, "this list() in a window"));
    return {};
  }
  PENSTOCK_ASSIGN(const std::uint32_t column, columns.column(inputs[0], "OVER"));
  const Type list = list_of(columns.type(column));
  PENSTOCK_ASSIGN(const NodeId part, expr::list_part(columns.builder(), columns.node(column)));
  return add_joined(call, part, columns, windows, std::move(window),
                    [list](Builder& rows, std::uint32_t first) {
                      return expr::list_of_joined_parts(rows, rows.column(first), list);
                    });
}

Status PlanReader::add_joined(const Tree& call, NodeId text, Computed& columns, WindowPlan& windows,
                              Window window, WindowValue value) {
  Builder& builder = columns.builder();
  if (call["filters"]) {
    PENSTOCK_ASSIGN(const std::uint32_t condition, columns.column(call["filters"], "FILTER"));
    PENSTOCK_ASSIGN(text, builder.select(columns.node(condition), text,
                                         builder.literal(Scalar::null_of({Kind::string}))));
  }
  WindowCall added{WindowFunction::concatenation, columns.add(text), WindowFrame::peers, 1,
                   "texts"};
  if (const auto frame = frame_of_window(call)) {
    added.frame = *frame;
  } else {
    added.ends = frame_ends(call, columns);
    if (!added.ends) {
      windows.add_refused();
      problems_.pass(refuse(call, "a frame of these ends"));
      return {};
    }
  }
  windows.add(std::move(window), {std::move(added)}).value = std::move(value);
  return {};
}

std::optional<FrameEnds> PlanReader::frame_ends(const Tree& call, Computed& columns) {
  const auto excluded = exclusion_of(call);
  const auto first = frame_end(call["start"].text(), call["start_expr"], columns),
             last = frame_end(call["end"].text(), call["end_expr"], columns);
  if (!excluded || !first || !last) return std::nullopt;
  return FrameEnds{*first, *last, *excluded};
}

// Ends by RANGE have the value that the order is compared with.
std::optional<FrameEnd> PlanReader::frame_end(std::string_view kind, const Tree& distance,
                                              Computed& columns) {
  FrameEnd end;
  if (kind.starts_with("UNBOUNDED")) return end;
  if (kind == "CURRENT_ROW_ROWS") end.kind = FrameEnd::Kind::current_row;
  if (kind == "CURRENT_ROW_RANGE" || kind == "CURRENT_ROW_GROUPS") end.kind = FrameEnd::Kind::peers;
  if (kind.starts_with("CURRENT_ROW")) return end;
  const bool is_before = kind.starts_with("EXPR_PRECEDING");
  const bool is_range = kind.ends_with("RANGE");
  end.kind = kind.ends_with("ROWS")     ? FrameEnd::Kind::rows
             : kind.ends_with("GROUPS") ? FrameEnd::Kind::groups
                                        : FrameEnd::Kind::values;
  const auto constant = value_of_json(distance["value"]);
  if (!is_range && constant && !constant->is_null && is_integer(constant->type)) {
    const auto offset = static_cast<std::int64_t>(constant->integer);
    if (offset < 0) return std::nullopt;
    end.offset = is_before ? -offset : offset;
    return end;
  }
  const Result<std::uint32_t> column = columns.column(distance, "OVER");
  if (!column.ok()) return problems_.pass(column.status()), std::nullopt;
  end.column = *column;
  end.is_before = is_before;
  if (!is_range && columns.type(*column).kind != Kind::int64) return std::nullopt;
  return end;
}

// The first row of each value, in the window's order, keeps it.
Result<RelationId> PlanReader::with_distinct_values(RelationId rows, WindowPlan& windows) {
  for (const WindowPlan::Distinct& distinct : windows.distinct) {
    Window numbers;
    numbers.partition = windows.windows[distinct.window].partition;
    numbers.partition.push_back(distinct.column);
    numbers.order = windows.windows[distinct.window].order;
    numbers.calls.push_back({WindowFunction::row_number, 0, WindowFrame::rows, 1, "number"});
    PENSTOCK_ASSIGN(rows, relations_.window(rows, std::move(numbers)));
    Builder builder(schema(rows));
    std::vector<Projection> columns;
    for (std::uint32_t i = 0; i + 1 < width(rows); i++)
      columns.push_back({builder.schema()[i].name, builder.column(i)});
    PENSTOCK_ASSIGN(const NodeId is_first,
                    builder.binary(Op::equal, builder.column(width(rows) - 1), whole(builder, 1)));
    const NodeId value = builder.column(distinct.column);
    PENSTOCK_ASSIGN(
        const NodeId kept,
        builder.select(is_first, value, builder.literal(Scalar::null_of(builder.type(value)))));
    windows.windows[distinct.window].calls[distinct.call].column =
        static_cast<std::uint32_t>(columns.size());
    columns.push_back({"distinct value", kept});
    PENSTOCK_ASSIGN(rows, relations_.project(rows, builder.graph(), std::move(columns)));
  }
  return rows;
}

// Groups the rows by the partition, and joins each statistic to them.
Result<RelationId> PlanReader::with_statistics(RelationId rows, WindowPlan& windows) {
  for (WindowPlan::OfPartition& wanted : windows.statistics) {
    relation::Statistics statistics(relations_, rows, wanted.partition);
    PENSTOCK_TRY(statistics.add(wanted.call));
    PENSTOCK_ASSIGN(const RelationId prepared, statistics.finish_rows());
    Builder columns(schema(prepared));
    RelationAggregate aggregate;
    aggregate.graph = columns.graph();
    RelationJoin join;
    for (const std::uint32_t key : wanted.partition) {
      join.keys.push_back({key, static_cast<std::uint32_t>(aggregate.keys.size()), true});
      aggregate.keys.push_back({schema(prepared)[key].name, columns.column(key)});
    }
    aggregate.aggregates = statistics.calls();
    for (AggregateCall& call : aggregate.aggregates) call.argument = columns.column(call.argument);
    const auto key_count = static_cast<std::uint32_t>(aggregate.keys.size());
    PENSTOCK_ASSIGN(const RelationId groups, relations_.aggregate(prepared, std::move(aggregate)));
    Builder of_groups(schema(groups));
    std::vector<Projection> projections;
    for (std::uint32_t i = 0; i < key_count; i++)
      projections.push_back({of_groups.schema()[i].name, of_groups.column(i)});
    PENSTOCK_ASSIGN(const NodeId value, statistics.value(0, of_groups, key_count));
    projections.push_back({"statistic", value});
    PENSTOCK_ASSIGN(const RelationId named,
                    relations_.project(groups, of_groups.graph(), std::move(projections)));
    wanted.column = width(rows) + key_count;
    PENSTOCK_ASSIGN(rows, relations_.join(rows, named, std::move(join)));
  }
  return rows;
}

}  // namespace penstock::sql
