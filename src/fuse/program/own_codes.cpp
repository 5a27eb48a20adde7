#include "fuse/program/own_codes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "expr/operation.hpp"

namespace penstock::plan {
namespace {

bool is_string(const Node& node) { return node.type.kind == Kind::string; }
bool chooses(const Node& node) { return node.op == Op::select || node.op == Op::coalesce; }

bool is_equality(const Node& node) { return node.op == Op::equal || node.op == Op::not_equal; }

// The sets of a program's strings that meet: one is compared with the other, or the result of a
// choice is either. All strings of a set have codes of one kind.
class StringSets {
 public:
  explicit StringSets(const TileProgram& program)
      : program_(program), graph_(*program.graph), parents_(graph_.size() + 1) {
    std::iota(parents_.begin(), parents_.end(), NodeId{0});
    std::vector<NodeId> roots = program.roots();
    if (program.bound) roots.push_back(program.bound->passes);
    const std::vector<bool> needed = expr::reachable(graph_, roots);
    for (NodeId id = 0; id < graph_.size(); id++)
      if (needed[id]) look_at(id);
    for (const Lookup& lookup : program.lookups)
      for (const NodeId key : lookup.keys)
        if (is_string(graph_.at(key))) unite(key, of_run());
    for (const auto& [column, node] : columns_) columns_in_[find(node)].push_back(column);
    for (const NodeId node : choices_) with_choices_.insert(find(node));
  }
  // Returns whether the column meets constants alone.
  bool is_alone(std::uint32_t column) const {
    const auto known = columns_.find(column);
    return known != columns_.end() && column_of(known->second) == column;
  }
  std::vector<OwnParameter> parameters() const {
    std::vector<OwnParameter> own;
    for (const auto& [parameter, node] : parameters_)
      if (const auto column = column_of(node); column && !graph_.parameters[parameter].is_null)
        own.push_back({parameter, *column, with_choices_.contains(find(node))});
    return own;
  }

 private:
  NodeId of_run() const { return static_cast<NodeId>(graph_.size()); }
  NodeId find(NodeId id) const {
    while (parents_[id] != id) id = parents_[id];
    return id;
  }
  void unite(NodeId a, NodeId b) { parents_[find(a)] = find(b); }
  // Returns the only column of a node's set; nothing if its codes are the run's.
  std::optional<std::uint32_t> column_of(NodeId node) const {
    const auto found = columns_in_.find(find(node));
    if (found == columns_in_.end() || found->second.size() > 1) return std::nullopt;
    if (find(node) == find(of_run())) return std::nullopt;
    return found->second.front();
  }

  void look_at(NodeId id) {
    const Node& node = graph_.at(id);
    if (node.op == Op::column) return look_at_leaf(id, columns_);
    if (node.op == Op::parameter) return look_at_leaf(id, parameters_);
    if (node.op == Op::is_null) return;
    const bool is_choice = chooses(node), compares = is_equality(node);
    if (is_choice && is_string(node)) choices_.push_back(id);
    const NodeId meets = is_choice ? id : compares ? node.inputs[0] : of_run();
    for (const NodeId input : node.inputs)
      if (is_string(graph_.at(input))) unite(input, meets);
    if (is_string(node) && !is_choice) unite(id, of_run());
  }
  // Nodes of one column, or of one constant, are of one set.
  void look_at_leaf(NodeId id, std::map<std::uint32_t, NodeId>& first) {
    const Node& node = graph_.at(id);
    if (!is_string(node)) return;
    unite(id, first.emplace(node.payload, id).first->second);
    if (node.op == Op::column && program_.lookup_of(node.payload) >= 0) unite(id, of_run());
  }

  const TileProgram& program_;
  const Graph& graph_;
  std::vector<NodeId> parents_;  // the last one is of the run's codes
  std::map<std::uint32_t, NodeId> columns_, parameters_;
  std::map<NodeId, std::vector<std::uint32_t>> columns_in_;
  std::vector<NodeId> choices_;
  std::set<NodeId> with_choices_;
};

// Returns the column whose numbers a node has as codes; nothing if its codes are the run's.
std::optional<std::uint32_t> own_column(const TileProgram& program, NodeId id) {
  const Node& node = program.graph->at(id);
  if (node.op == Op::column)
    return has_own_codes(program, node.payload) ? std::optional(node.payload) : std::nullopt;
  if (node.op == Op::parameter) {
    const auto own =
        std::ranges::find(program.own_parameters, node.payload, &OwnParameter::parameter);
    return own == program.own_parameters.end() ? std::nullopt : std::optional(own->column);
  }
  if (!is_string(node) || !chooses(node)) return std::nullopt;
  for (const NodeId input : node.inputs)
    if (is_string(program.graph->at(input)))
      if (const auto column = own_column(program, input)) return column;
  return std::nullopt;
}

// Gives each column that is compared with a constant a parameter of its own.
class SeparateConstants {
 public:
  explicit SeparateConstants(const TileProgram& program) : old_(*program.graph) {
    roots_ = program.roots();
    for (const Output& output : program.outputs) roots_.push_back(output.root);  // of late ones too
    needed_ = expr::reachable(old_, roots_);
    for (NodeId id = 0; id < old_.size(); id++)
      if (const auto compared = comparison(id))
        columns_[old_.at(compared->constant).payload].insert(compared->column);
  }
  bool are_needed() const {
    return std::ranges::any_of(columns_, [](const auto& of) { return of.second.size() > 1; });
  }
  std::shared_ptr<Graph> graph() {
    auto graph = std::make_shared<Graph>();
    copies_.resize(old_.size());
    for (NodeId id = 0; id < old_.size(); id++)
      if (needed_[id]) copies_[id] = copied(*graph, id);
    return graph;
  }
  NodeId copy_of(NodeId id) const { return copies_[id]; }

 private:
  struct Comparison {
    std::uint32_t column = 0;
    NodeId constant = 0;
    std::size_t side = 0;  // of the constant
  };
  std::optional<Comparison> comparison(NodeId id) const {
    if (!needed_[id] || !is_equality(old_.at(id))) return std::nullopt;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const NodeId constant = old_.at(id).inputs[side];
      const Node& column = old_.at(old_.at(id).inputs[1 - side]);
      if (old_.at(constant).op == Op::parameter && column.op == Op::column && is_string(column))
        return Comparison{column.payload, constant, side};
    }
    return std::nullopt;
  }
  NodeId copied(Graph& graph, NodeId id) {
    Node node = old_.at(id);
    if (node.op == Op::column) return graph.add(std::move(node));
    const auto compared = comparison(id);
    if (!compared) return graph.import_node(old_, id, copies_);
    const std::uint32_t parameter = old_.at(compared->constant).payload;
    const auto [own, is_new] = own_.try_emplace({parameter, compared->column}, 0);
    if (is_new)
      own->second = graph.parameter(old_.parameters[parameter], ParameterOrigin::captured);
    for (NodeId& input : node.inputs) input = copies_[input];
    node.inputs[compared->side] = own->second;
    return graph.add(std::move(node));
  }

  const Graph& old_;
  std::vector<NodeId> roots_, copies_;
  std::vector<bool> needed_;
  std::map<std::uint32_t, std::set<std::uint32_t>> columns_;  // of each constant
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId> own_;
};

// Returns the program that adds up distinct values, which reads the rows of `program`.
TileProgram totals_of(const TileProgram& program) {
  TileProgram totals = program;
  totals.key_count = program.of_distinct->key_count;
  totals.accumulators = program.of_distinct->accumulators;
  totals.results = program.of_distinct->results;
  totals.of_distinct = nullptr;
  return totals;
}

}  // namespace

void separate_constants(TileProgram& program) {
  SeparateConstants separate(program);
  if (!separate.are_needed()) return;
  const std::shared_ptr<const Graph> old = program.graph;  // which `separate` reads
  program.graph = separate.graph();
  for (NodeId& predicate : program.predicates) predicate = separate.copy_of(predicate);
  for (Lookup& lookup : program.lookups)
    for (NodeId& key : lookup.keys) key = separate.copy_of(key);
  for (Output& output : program.outputs) output.root = separate.copy_of(output.root);
}

void use_codes_of_run(TileProgram& program) {
  program.own_codes.clear();
  program.own_parameters.clear();
  if (!program.of_distinct) return;
  TileProgram totals = *program.of_distinct;
  use_codes_of_run(totals);
  program.of_distinct = std::make_shared<const TileProgram>(std::move(totals));
}

void choose_own_codes(TileProgram& program) {
  program.own_codes.clear();
  program.own_parameters.clear();
  if (program.rows_stay) return;  // other steps read their codes
  const StringSets sets(program);
  for (const std::uint32_t column : program.device_columns)
    if (sets.is_alone(column)) program.own_codes.push_back(column);
  for (const OwnParameter& parameter : sets.parameters())
    if (has_own_codes(program, parameter.column)) program.own_parameters.push_back(parameter);
  if (!program.of_distinct) return;
  TileProgram totals = totals_of(program);
  if (totals != *program.of_distinct)
    program.of_distinct = std::make_shared<const TileProgram>(std::move(totals));
}

bool has_own_codes(const TileProgram& program, std::uint32_t column) {
  return std::ranges::find(program.own_codes, column) != program.own_codes.end();
}

std::optional<std::uint32_t> own_column_of(const TileProgram& program, std::size_t output) {
  return own_column(program, program.outputs[output].root);
}

}  // namespace penstock::plan
