#include "fuse/program/string_ranks.hpp"

#include <algorithm>
#include <optional>

#include "expr/string_functions.hpp"

namespace penstock::plan {
namespace {

// Returns the column of the base's rows that a column of a step is; nothing if it is computed, or
// of a right side.
std::optional<std::uint32_t> column_of_base(const Plan& plan, StepId base, StepId at,
                                            std::uint32_t column) {
  for (; at != base; at = plan.step(at).inputs[0]) {
    const Step& step = plan.step(at);
    if (step.kind == StepKind::join && column >= step.left_columns) return {};
    if (step.kind != StepKind::map) continue;
    const Node& node = step.graph->at(step.projections[column].root);
    if (node.op != Op::column) return {};
    column = node.payload;
  }
  return column;
}

}  // namespace

bool is_rank(const DerivedColumn& derived) { return derived.function == expr::string_rank(); }

std::vector<std::uint32_t> ranked_columns(const TileProgram& program) {
  std::vector<std::uint32_t> columns;
  for (const DerivedColumn& derived : program.derived)
    if (is_rank(derived)) columns.push_back(derived.source);
  return columns;
}

TileProgram program_of_strings(const TileProgram& program, std::uint32_t column) {
  TileProgram alone;
  const std::size_t own =
      program.lookups.empty() ? program.first_derived() : program.lookups[0].first_column;
  alone.source_schema.assign(program.source_schema.begin(),
                             program.source_schema.begin() + static_cast<std::ptrdiff_t>(own));
  const Field& field = alone.source_schema[column];
  const NodeId root = alone.graph->add({Op::column, field.type, field.nullable, column, {}});
  alone.outputs.push_back({field.name, root, -1});
  alone.epilogue = Epilogue::group;
  alone.key_count = 1;
  choose_columns(alone);
  for (const PagedLoad& load : program.paged)
    if (load.column == column) alone.paged.push_back(load);
  return alone;
}

bool can_be_ranked(const TileProgram& program, NodeId node) {
  const Node& column = program.graph->at(node);
  return column.op == Op::column && column.type.kind == Kind::string &&
         column.payload < program.first_derived() && program.lookup_of(column.payload) < 0;
}

NodeId add_ranks(TileProgram& program, NodeId strings) {
  const Node source = program.graph->at(strings);
  const auto at = static_cast<std::uint32_t>(
      std::ranges::find_if(program.derived,
                           [&](const DerivedColumn& derived) {
                             return is_rank(derived) && derived.source == source.payload;
                           }) -
      program.derived.begin());
  const std::uint32_t column = program.first_derived() + at;
  if (at == program.derived.size()) {
    DerivedColumn ranks;
    ranks.source = source.payload;
    ranks.function = expr::string_rank();
    ranks.inputs.resize(1);
    const std::string name = "rank(" + program.source_schema[source.payload].name + ")";
    program.derived.push_back(std::move(ranks));
    program.source_schema.push_back({name, {Kind::uint32}, source.nullable});
  }
  return program.graph->add({Op::column, {Kind::uint32}, source.nullable, column, {}});
}

std::vector<bool> ranked_extremes(const Plan& plan, StepId base, StepId last) {
  const Step& step = plan.step(last);
  std::vector<bool> are_ranked(step.aggregates.size());
  if (!plan.step(base).source) return are_ranked;
  for (std::size_t i = 0; i < are_ranked.size(); i++) {
    const AggregateCall& call = step.aggregates[i];
    if (!takes_argument(call.function)) continue;
    const Node& node = step.graph->at(call.argument);
    are_ranked[i] =
        node.op == Op::column && node.type.kind == Kind::string &&
        (is_minimum(call.function, node.type) || is_maximum(call.function, node.type)) &&
        column_of_base(plan, base, step.inputs[0], node.payload).has_value();
  }
  return are_ranked;
}

void rank_keys(TileProgram& program) {
  for (SortKey& key : program.top_k->keys) {
    const NodeId root = program.outputs[key.column].root;
    if (!can_be_ranked(program, root)) continue;
    key.column = static_cast<std::uint32_t>(program.outputs.size());
    const NodeId ranks = add_ranks(program, root);
    const Node& node = program.graph->at(ranks);
    const std::string& name = program.source_schema[node.payload].name;
    program.schema.push_back({name, node.type, node.nullable});
    program.outputs.push_back({name, ranks, -1});
    program.added_outputs++;
  }
  choose_columns(program);
}

}  // namespace penstock::plan
