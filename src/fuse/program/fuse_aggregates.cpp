#include "fuse/program/fuse_aggregates.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "fuse/program/accumulators.hpp"
#include "fuse/program/string_ranks.hpp"

namespace penstock::plan {
namespace {

// Returns the index of an argument among the outputs, which hold each argument once, so that
// sum(x), avg(x) and count(x) share it.
int argument_index(TileProgram& program, NodeId root) {
  for (std::size_t i = program.key_count; i < program.outputs.size(); i++)
    if (program.outputs[i].root == root) return static_cast<int>(i);
  program.outputs.push_back({"", root, -1});
  return static_cast<int>(program.outputs.size() - 1);
}

// `seen`: nodes without columns, which several nodes may share.
bool reads_column(const Graph& graph, NodeId root, std::set<NodeId>& seen) {
  if (!seen.insert(root).second) return false;
  const Node& node = graph.at(root);
  return node.op == Op::column || std::ranges::any_of(node.inputs, [&](NodeId input) {
           return reads_column(graph, input, seen);
         });
}
bool reads_column(const Graph& graph, NodeId root) {
  std::set<NodeId> seen;
  return reads_column(graph, root, seen);
}

std::uint32_t accumulator_index(TileProgram& program, Accumulator wanted) {
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    if (a.kind == wanted.kind && a.argument == wanted.argument && a.custom == wanted.custom)
      return static_cast<std::uint32_t>(i);
  }
  wanted.word = program.accumulator_words();
  program.accumulators.push_back(std::move(wanted));
  return static_cast<std::uint32_t>(program.accumulators.size() - 1);
}

// sum(x + k), where k is a number of the statement.
struct SumWithAddend {
  NodeId value;
  Int128 addend;
};
std::optional<SumWithAddend> sum_with_addend(const Graph& graph, const AggregateCall& call) {
  if (call.function != Aggregate::sum || call.distinct) return {};
  const Node& node = graph.at(call.argument);
  if (node.op != Op::add || !is_integer(node.type)) return {};
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const Node& number = graph.at(node.inputs[side]);
    if (number.op != Op::parameter || graph.at(node.inputs[1 - side]).op == Op::parameter) continue;
    const Scalar& value = graph.parameters[number.payload];
    // A program of C++ may change a scalar that it has captured.
    const bool is_fixed = graph.parameter_origins[number.payload] != ParameterOrigin::captured;
    if (is_fixed && !value.is_null) return SumWithAddend{node.inputs[1 - side], value.integer};
  }
  return {};
}

// Sums of one x with an addend each share four accumulators: fewer sums have about as many. 90 of
// them, as ClickBench has, were 90 sums of 128 bits, which NVRTC compiled for 9 s.
constexpr std::ptrdiff_t min_shifted_sums = 4;

std::set<NodeId> values_of_shifted_sums(const TileProgram& program, const Step& step) {
  std::map<NodeId, std::ptrdiff_t> sums;
  if (program.epilogue != Epilogue::reduce) return {};
  for (const std::uint32_t column : program.step_columns)
    if (const auto sum = sum_with_addend(*step.graph, step.aggregates[column])) sums[sum->value]++;
  std::erase_if(sums, [](const auto& one) { return one.second < min_shifted_sums; });
  std::set<NodeId> values;
  for (const auto& [value, count] : sums) values.insert(value);
  return values;
}

void add_shifted_sum(TileProgram& program, const AggregateCall& call, const SumWithAddend& sum,
                     Type type, const StepOfAggregates& of) {
  const NodeId root = program.graph->import(*of.step.graph, sum.value, of.columns);
  const Type of_value = program.graph->at(root).type;
  const int argument = argument_index(program, root);
  const int counted = program.graph->at(root).nullable ? argument : -1;
  const auto accumulator = [&](AccumulatorKind kind, int added, Type added_type) {
    return accumulator_index(program, {kind, added, added_type, nullptr, 0});
  };
  const Status overflow = fault_status(*of.step.graph, call.argument, Code::overflow, of.schema);
  program.results.push_back(
      {call.function, accumulator(sum_kind(of_value), argument, of_value),
       accumulator(AccumulatorKind::count, counted, {Kind::int64}), of_value, type, false,
       ShiftedSum{sum.addend, accumulator(AccumulatorKind::minimum, argument, of_value),
                  accumulator(AccumulatorKind::maximum, argument, of_value), overflow.message()}});
}

void add_aggregate(TileProgram& program, const AggregateCall& call, Type type, const Graph& from,
                   std::span<const NodeId> columns) {
  int argument = -1;
  Type argument_type{Kind::int64};
  if (takes_argument(call.function)) {
    const NodeId root = program.graph->import(from, call.argument, columns);
    argument_type = program.graph->at(root).type;
    // A value that is never NULL is counted as its row is; but it must still be read for its
    // faults, and for NULLs that its source denied.
    const bool counts_rows = !program.graph->at(root).nullable;
    if (!counts_values(call.function) || !counts_rows || can_fault(*program.graph, root) ||
        reads_column(*program.graph, root))
      argument = argument_index(program, root);
    const int counted = counts_rows ? -1 : argument;
    const std::uint32_t count =
        accumulator_index(program, {AccumulatorKind::count, counted, {Kind::int64}, nullptr, 0});
    const AccumulatorKind kind = row_of(call.function).accumulator(argument_type);
    const std::uint32_t value =
        kind == AccumulatorKind::count
            ? count
            : accumulator_index(program, {kind, argument, argument_type, call.custom, 0});
    program.results.push_back(
        {call.function, value, count, argument_type, type, call.of_rounded_sum});
    return;
  }
  const std::uint32_t count =
      accumulator_index(program, {AccumulatorKind::count, -1, {Kind::int64}, nullptr, 0});
  program.results.push_back({call.function, count, count, argument_type, type, false});
}

// The least string is the string of the least rank.
void add_ranked_extreme(TileProgram& program, const AggregateCall& call, Type type,
                        const StepOfAggregates& of) {
  const NodeId strings = program.graph->import(*of.step.graph, call.argument, of.columns);
  const std::uint32_t column = program.graph->at(strings).payload;
  const NodeId ranks = add_ranks(program, strings);
  const Type rank = program.graph->at(ranks).type;
  const int argument = argument_index(program, ranks);
  const int counted = program.graph->at(ranks).nullable ? argument : -1;
  const AccumulatorKind kind = row_of(call.function).accumulator(rank);
  const std::uint32_t value = accumulator_index(program, {kind, argument, rank, nullptr, 0});
  const std::uint32_t count =
      accumulator_index(program, {AccumulatorKind::count, counted, {Kind::int64}, nullptr, 0});
  program.results.push_back({call.function, value, count, rank, type, false, {}, column});
}

void add_aggregates(TileProgram& program, const StepOfAggregates& of) {
  const Step& step = of.step;
  const std::set<NodeId> shifted = values_of_shifted_sums(program, step);
  for (std::size_t i = 0; i < program.step_columns.size(); i++) {
    const AggregateCall& call = step.aggregates[program.step_columns[i]];
    const Type type = program.schema[program.key_count + i].type;
    const auto sum = sum_with_addend(*step.graph, call);
    if (sum && shifted.contains(sum->value))
      add_shifted_sum(program, call, *sum, type, of);
    else if (of.is_ranked(program.step_columns[i]))
      add_ranked_extreme(program, call, type, of);
    else
      add_aggregate(program, call, type, *step.graph, of.columns);
  }
}

// Makes the argument one more key. The host aggregates its distinct values.
Status group_distinct(TileProgram& program, const StepOfAggregates& of) {
  const Step& step = of.step;
  const AggregateCall& first = step.aggregates[program.step_columns[0]];
  for (std::uint32_t column : program.step_columns)
    if (const AggregateCall& call = step.aggregates[column];
        !call.distinct || call.argument != first.argument)
      return Status(Code::internal, "aggregates of different values in one program");
  program.epilogue = Epilogue::group;
  program.any_order = false;  // equal keys follow one another
  argument_index(program, program.graph->import(*step.graph, first.argument, of.columns));
  TileProgram totals = program;
  add_aggregates(totals, of);
  program.key_count++;
  program.of_distinct = std::make_shared<const TileProgram>(std::move(totals));
  return {};
}

}  // namespace

std::size_t key_count(const Step& step) {
  return step.kind == StepKind::group_by ? step.projections.size() : 0;
}

Status end_with_aggregates(TileProgram& program, const StepOfAggregates& of) {
  const Step& step = of.step;
  const bool is_grouped = step.kind == StepKind::group_by;
  program.epilogue = is_grouped ? Epilogue::group : Epilogue::reduce;
  for (std::size_t i = 0; i < key_count(step); i++)
    program.outputs.push_back(
        {step.projections[i].name,
         program.graph->import(*step.graph, step.projections[i].root, of.columns), -1});
  program.key_count = static_cast<std::uint32_t>(program.outputs.size());
  program.any_order = step.any_order;
  const bool of_distinct = std::any_of(
      program.step_columns.begin(), program.step_columns.end(), [&](std::uint32_t column) {
        return step.aggregates[column].distinct && !of.is_ranked(column);
      });
  if (of_distinct) return group_distinct(program, of);
  add_aggregates(program, of);
  return {};
}

}  // namespace penstock::plan
