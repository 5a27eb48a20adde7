#include <algorithm>
#include <numeric>
#include <set>

#include "fuse/program/derived_columns.hpp"
#include "fuse/program/fuse_aggregates.hpp"
#include "fuse/program/own_codes.hpp"
#include "fuse/program/string_ranks.hpp"

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

Schema sliced_schema(const Step& step, const Slice& slice) {
  const std::size_t keys = key_count(step);
  Schema schema(step.schema.begin(), step.schema.begin() + static_cast<std::ptrdiff_t>(keys));
  for (std::uint32_t column : slice) schema.push_back(step.schema[keys + column]);
  return schema;
}

// Makes many output columns late. Columns that are passed through would need a kernel parameter
// each, so the host gathers them by row number.
constexpr std::size_t max_outputs = 16;
void make_wide_rows_late(TileProgram& program) {
  if (program.outputs.size() <= max_outputs) return;
  for (Output& output : program.outputs) {
    const Node& node = program.graph->at(output.root);
    if (node.op == Op::column) output.late_column = static_cast<int>(node.payload);
  }
}

// Adds a join's right columns as columns of the program: its kernel looks their values up.
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

// Makes output columns of strings or of 128 bits late if they are passed through: the host gathers
// them.
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

// Returns whether a top-k can have a bound. The host orders strings. A late key may be a DOUBLE on
// a device without DOUBLE.
bool can_bound(const Output& output, const Node& key) {
  if (key.type.kind == Kind::string || width_bytes(key.type) > 8) return false;
  return output.late_column < 0 || key.type.kind != Kind::float64;
}

// key < limit, or as the order says. A row that is equal to the last of the first rows comes after
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
  choose_own_codes(program);
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

Result<TileProgram> fuse_top_k(const Plan& plan, StepId base, StepId last, TopK top_k,
                               bool ranks_strings) {
  PENSTOCK_ASSIGN(TileProgram program, fuse(plan, base, last));
  program.top_k = std::move(top_k);
  if (ranks_strings && plan.step(base).source) rank_keys(program);
  if (!program.top_k->keys.empty()) PENSTOCK_TRY(add_bound(program));
  return program;
}

Result<TileProgram> fuse(const Plan& plan, StepId base, StepId last, const Slice& slice,
                         bool ranks_strings) {
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
        PENSTOCK_TRY(end_with_aggregates(
            program, {step, plan.step(step.inputs[0]).schema, columns,
                      ranks_strings ? ranked_extremes(plan, base, last) : std::vector<bool>()}));
        break;
      case StepKind::join: columns = add_lookup(program, plan, id, std::move(columns)); break;
      case StepKind::source:
      case StepKind::order_by:
      case StepKind::limit:
      case StepKind::window:
      case StepKind::append:
      case StepKind::unnest:
        return Status(Code::internal,
                      "a step that cannot be fused: " + std::string(name_of(step.kind)));
    }
  }
  if (program.epilogue == Epilogue::compact) keep_rows(program, columns);
  PENSTOCK_TRY(derive_columns(program));
  separate_constants(program);
  choose_columns(program);
  return program;
}

}  // namespace penstock::plan
