#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "plan/fusion/accumulators.hpp"
#include "plan/fusion/derived_columns.hpp"

namespace penstock::plan {
namespace {

// Adds the columns of a step's input as nodes of the fused graph.
std::vector<NodeId> source_columns(TileProgram& program) {
  std::vector<NodeId> columns;
  for (std::uint32_t i = 0; i < program.source_schema.size(); i++) {
    const Field& field = program.source_schema[i];
    columns.push_back(program.graph->add({Op::column, field.type, field.nullable, i, {}}));
  }
  return columns;
}

void collect_columns(const Graph& graph, NodeId root, std::set<NodeId>& seen,
                     std::set<std::uint32_t>& columns) {
  if (!seen.insert(root).second) return;
  const Node& node = graph.at(root);
  if (node.op == Op::column) columns.insert(node.payload);
  for (NodeId input : node.inputs) collect_columns(graph, input, seen, columns);
}

AccumulatorKind accumulator_kind(Aggregate function, Type type) {
  switch (function) {
    case Aggregate::sum:
    case Aggregate::average: return sum_kind(type);
    case Aggregate::minimum: return AccumulatorKind::minimum;
    case Aggregate::maximum: return AccumulatorKind::maximum;
    case Aggregate::custom: return AccumulatorKind::custom;
    case Aggregate::count_rows:
    case Aggregate::count: break;
  }
  return AccumulatorKind::count;
}

// Returns the index of an argument among the outputs, which hold each argument once, so that
// sum(x), avg(x) and count(x) share it.
int argument_index(TileProgram& program, NodeId root) {
  for (std::size_t i = program.key_count; i < program.outputs.size(); i++)
    if (program.outputs[i].root == root) return static_cast<int>(i);
  program.outputs.push_back({"", root, -1});
  return static_cast<int>(program.outputs.size() - 1);
}

bool reads_column(const Graph& graph, NodeId root) {
  std::set<NodeId> seen;
  std::set<std::uint32_t> columns;
  collect_columns(graph, root, seen, columns);
  return !columns.empty();
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

// A step with aggregates, the schema of its input, and the program's nodes for the columns of that.
struct StepOfAggregates {
  const Step& step;
  const Schema& schema;
  std::span<const NodeId> columns;
};

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
    if (!value.is_null) return SumWithAddend{node.inputs[1 - side], value.integer};
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
  if (call.function != Aggregate::count_rows) {
    const NodeId root = program.graph->import(from, call.argument, columns);
    argument_type = program.graph->at(root).type;
    // A value that is never NULL is counted as its row is; but it must still be read for its
    // faults, and for NULLs that its source denied.
    const bool counts_rows = !program.graph->at(root).nullable;
    if (call.function != Aggregate::count || !counts_rows || can_fault(*program.graph, root) ||
        reads_column(*program.graph, root))
      argument = argument_index(program, root);
    const int counted = counts_rows ? -1 : argument;
    const std::uint32_t count =
        accumulator_index(program, {AccumulatorKind::count, counted, {Kind::int64}, nullptr, 0});
    const AccumulatorKind kind = accumulator_kind(call.function, argument_type);
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

std::size_t key_count(const Step& step) {
  return step.kind == StepKind::group_by ? step.projections.size() : 0;
}

Schema sliced_schema(const Step& step, const Slice& slice) {
  const std::size_t keys = key_count(step);
  Schema schema(step.schema.begin(), step.schema.begin() + static_cast<std::ptrdiff_t>(keys));
  for (std::uint32_t column : slice) schema.push_back(step.schema[keys + column]);
  return schema;
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
  argument_index(program, program.graph->import(*step.graph, first.argument, of.columns));
  TileProgram totals = program;
  add_aggregates(totals, of);
  program.key_count++;
  program.of_distinct = std::make_shared<const TileProgram>(std::move(totals));
  return {};
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
  const bool of_distinct =
      std::any_of(program.step_columns.begin(), program.step_columns.end(),
                  [&](std::uint32_t column) { return step.aggregates[column].distinct; });
  if (of_distinct) return group_distinct(program, of);
  add_aggregates(program, of);
  return {};
}

// Makes many output columns late: columns that are passed through would be as many kernel
// parameters, so the host gathers them by row number.
constexpr std::size_t max_outputs = 16;
void make_wide_rows_late(TileProgram& program) {
  if (program.outputs.size() <= max_outputs) return;
  for (Output& output : program.outputs) {
    const Node& node = program.graph->at(output.root);
    if (node.op == Op::column) output.late_column = static_cast<int>(node.payload);
  }
}

// Adds a join's right columns as columns of the program, whose values its kernel looks up.
std::vector<NodeId> add_lookup(TileProgram& program, const Plan& plan, StepId id,
                               std::vector<NodeId> columns) {
  const Step& step = plan.step(id);
  Lookup lookup;
  lookup.step = id;
  lookup.kind = step.join_kind;
  for (const JoinKey& key : step.join_keys) lookup.keys.push_back(columns[key.left]);
  lookup.predicates_before = program.predicates.size();
  lookup.first_column = static_cast<std::uint32_t>(program.source_schema.size());
  lookup.column_count = step.right_columns;
  columns.resize(step.left_columns);
  for (std::uint32_t i = 0; i < step.right_columns; i++) {
    const Field& field = step.schema[step.left_columns + i];
    columns.push_back(
        program.graph->add({Op::column, field.type, field.nullable, lookup.first_column + i, {}}));
    program.source_schema.push_back(field);
    program.source_schema.back().is_encoded = false;
  }
  program.lookups.push_back(std::move(lookup));
  return columns;
}

// Makes output columns of strings or of 128 bits late where they are passed through: the host
// gathers them.
void keep_rows(TileProgram& program, std::span<const NodeId> columns) {
  for (std::size_t i = 0; i < program.schema.size(); i++) {
    const NodeId root = columns[program.step_columns[i]];
    const Node& node = program.graph->at(root);
    const bool carry =
        node.op == Op::column && (node.type.kind == Kind::string || width_bytes(node.type) > 8);
    program.outputs.push_back(
        {program.schema[i].name, root, carry ? static_cast<int>(node.payload) : -1});
  }
  make_wide_rows_late(program);
}

// Sets the bound of a top-k. Strings are ordered by the host. A late key may be a DOUBLE on a
// device that has none.
bool can_bound(const Output& output, const Node& key) {
  if (key.type.kind == Kind::string || width_bytes(key.type) > 8) return false;
  return output.late_column < 0 || key.type.kind != Kind::float64;
}

// key < limit, or as the order is. A row that is equal to the last of the first rows comes after
// it, unless a second key decides.
Result<NodeId> passes_bound(Builder& b, NodeId key, NodeId limit, NodeId open, const TopK& top_k) {
  const bool is_alone = top_k.keys.size() == 1, descending = top_k.keys[0].descending;
  const Op op = descending ? (is_alone ? Op::greater : Op::greater_equal)
                           : (is_alone ? Op::less : Op::less_equal);
  PENSTOCK_ASSIGN(NodeId passes, b.binary(op, key, limit));
  if (top_k.keys[0].nulls_first && b.graph()->at(key).nullable) {
    PENSTOCK_ASSIGN(const NodeId missing, b.unary(Op::is_null, key));
    PENSTOCK_ASSIGN(passes, b.binary(Op::or_, passes, missing));
  }
  return b.binary(Op::or_, passes, open);
}

Status add_bound(TileProgram& program) {
  const Output& output = program.outputs[program.top_k->keys[0].column];
  const Node key = program.graph->at(output.root);
  if (!can_bound(output, key)) return {};
  Builder b(program.source_schema, program.graph);
  TopKBound bound;
  const NodeId limit =
      b.captured(is_float(key.type) ? Scalar::of(key.type, 0.0) : Scalar::of(key.type, Int128{0}));
  const NodeId open = b.captured(Scalar::of(true));
  bound.limit = program.graph->at(limit).payload;
  bound.open = program.graph->at(open).payload;
  PENSTOCK_ASSIGN(bound.passes, passes_bound(b, output.root, limit, open, *program.top_k));
  program.bound = bound;
  choose_columns(program);
  return {};
}

}  // namespace

void choose_columns(TileProgram& program) {
  std::set<NodeId> seen;
  std::set<std::uint32_t> device, late;
  for (NodeId root : program.roots()) collect_columns(*program.graph, root, seen, device);
  if (program.bound) collect_columns(*program.graph, program.bound->passes, seen, device);
  for (const Output& output : program.outputs)
    if (output.late_column >= 0) late.insert(static_cast<std::uint32_t>(output.late_column));
  program.device_columns.clear();
  program.late_columns.clear();
  for (Lookup& lookup : program.lookups) lookup.device_columns = lookup.late_columns = {};
  const auto add = [&](std::uint32_t column, std::vector<std::uint32_t>& of_source,
                       std::vector<std::uint32_t> Lookup::* of_lookup) {
    const int lookup = program.lookup_of(column);
    (lookup < 0 ? of_source : program.lookups[static_cast<std::size_t>(lookup)].*of_lookup)
        .push_back(column);
  };
  for (std::uint32_t column : device) add(column, program.device_columns, &Lookup::device_columns);
  for (std::uint32_t column : late)
    if (!device.contains(column)) add(column, program.late_columns, &Lookup::late_columns);
}

void write_late_columns(TileProgram& program, bool with_lookups) {
  for (Output& output : program.outputs)
    if (output.late_column >= 0 &&
        (with_lookups || program.lookup_of(static_cast<std::uint32_t>(output.late_column)) < 0))
      output.late_column = -1;
  choose_columns(program);
}

void partition_lookup(TileProgram& program, std::size_t lookup) {
  program.lookups[lookup].is_partitioned = true;
  for (Output& output : program.outputs)
    if (output.late_column >= 0 && program.lookup_of(static_cast<std::uint32_t>(
                                       output.late_column)) == static_cast<int>(lookup))
      output.late_column = -1;
  choose_columns(program);
}

std::vector<StepId> chain(const Plan& plan, StepId base, StepId last) {
  std::vector<StepId> steps;
  for (StepId at = last; at != base; at = plan.step(at).inputs[0]) steps.push_back(at);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

Slice whole_slice(const Step& step) {
  Slice slice(step.schema.size() - key_count(step));
  std::iota(slice.begin(), slice.end(), 0u);
  return slice;
}

Result<TileProgram> fuse(const Plan& plan, StepId base, StepId last) {
  return fuse(plan, base, last, whole_slice(plan.step(last)));
}

Result<TileProgram> fuse_top_k(const Plan& plan, StepId base, StepId last, TopK top_k) {
  PENSTOCK_ASSIGN(TileProgram program, fuse(plan, base, last));
  program.top_k = std::move(top_k);
  if (!program.top_k->keys.empty()) PENSTOCK_TRY(add_bound(program));
  return program;
}

Result<TileProgram> fuse(const Plan& plan, StepId base, StepId last, const Slice& slice) {
  TileProgram program;
  program.step_columns = slice;
  program.source_schema = plan.step(base).schema;
  for (Field& field : program.source_schema)
    field.is_encoded = field.is_encoded && field.type.kind == Kind::string &&
                       plan.step(base).source;  // a step before it yields strings
  program.schema = sliced_schema(plan.step(last), slice);
  std::vector<NodeId> columns = source_columns(program);
  for (StepId id : chain(plan, base, last)) {
    const Step& step = plan.step(id);
    switch (step.kind) {
      case StepKind::filter:
        program.predicates.push_back(program.graph->import(*step.graph, step.predicate, columns));
        break;
      case StepKind::map: {
        std::vector<NodeId> mapped;
        for (const Projection& p : step.projections)
          mapped.push_back(program.graph->import(*step.graph, p.root, columns));
        columns = std::move(mapped);
        break;
      }
      case StepKind::reduce:
      case StepKind::group_by:
        PENSTOCK_TRY(
            end_with_aggregates(program, {step, plan.step(step.inputs[0]).schema, columns}));
        break;
      case StepKind::join: columns = add_lookup(program, plan, id, std::move(columns)); break;
      case StepKind::source:
      case StepKind::order_by:
      case StepKind::limit:
      case StepKind::window:
        return Status(Code::internal,
                      "a step that cannot be fused: " + std::string(name_of(step.kind)));
    }
  }
  if (program.epilogue == Epilogue::compact) keep_rows(program, columns);
  PENSTOCK_TRY(derive_columns(program));
  choose_columns(program);
  return program;
}

}  // namespace penstock::plan
