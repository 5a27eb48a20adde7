// Finds the derived columns of a program, and rewrites its graph with a column for each call.
#include "fuse/program/derived_columns.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "expr/operation.hpp"
#include "expr/string_functions.hpp"

namespace penstock::plan {
namespace {

constexpr NodeId no_node = ~NodeId{0};

bool calls_string_function(const Graph& graph, const Node& node) {
  return node.op == Op::custom && expr::is_string_function(*graph.custom_functions[node.payload]);
}

// Returns whether comparisons of a column with constants are better derived columns: devices search
// FSST codes, and the bytes of strings in pages.
bool is_searched_column(const TileProgram& program, NodeId id) {
  const Node& node = program.graph->at(id);
  if (node.op != Op::column || node.type.kind != Kind::string) return false;
  const Field& field = program.source_schema[node.payload];
  return (field.is_encoded || field.is_plain) && program.lookup_of(node.payload) < 0;
}

bool asks_for_nulls(const TileProgram& program, NodeId id) {
  return program.graph->at(id).op == Op::is_null &&
         is_searched_column(program, program.graph->at(id).inputs[0]);
}

// Returns whether only the NULLs of an output count, as an argument of an aggregate: strings are
// only counted.
bool is_counted(const TileProgram& program, std::size_t output) {
  return program.epilogue != Epilogue::compact && output >= program.key_count &&
         is_searched_column(program, program.outputs[output].root);
}

// A search for strings in a column's codes, which devices can do: `column IN (strings)`. The column
// may be a function of one.
struct StringSearch {
  NodeId column = 0;
  std::vector<Scalar> strings;
};

// Kernels compare a code with this many constants. TPC-DS 8 has 400: its first run took 26.6 s on
// an H200 when each was a comparison.
constexpr std::size_t max_compared_strings = 15;

bool may_be_searched(const TileProgram& program, NodeId id) {
  const Node& node = program.graph->at(id);
  return node.type.kind == Kind::string &&
         (node.op == Op::column || calls_string_function(*program.graph, node));
}

// Adds a node's strings. Returns false unless it is an `equality` of the search's column and a
// constant, or several of them (=) joined by OR.
bool add_search(const TileProgram& program, NodeId id, Op equality,
                std::optional<StringSearch>& search) {
  const Graph& graph = *program.graph;
  const Node& node = graph.at(id);
  if (node.op == Op::or_)
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](NodeId input) { return add_search(program, input, Op::equal, search); });
  if (node.op != equality) return false;
  const bool is_swapped = graph.at(node.inputs[0]).op == Op::parameter;
  const NodeId column = node.inputs[is_swapped ? 1 : 0];
  const Node& text = graph.at(node.inputs[is_swapped ? 0 : 1]);
  if (text.op != Op::parameter || graph.parameters[text.payload].is_null) return false;
  if (!may_be_searched(program, column) || (search && search->column != column)) return false;
  if (!search) search = StringSearch{column, {}};
  search->strings.push_back(graph.parameters[text.payload]);
  return true;
}

// <> is a search of its own, which the kernel negates.
std::optional<StringSearch> string_search(const TileProgram& program, NodeId id) {
  std::optional<StringSearch> search;
  const Node& node = program.graph->at(id);
  if (node.op != Op::or_ && node.op != Op::equal && node.op != Op::not_equal) return std::nullopt;
  if (!add_search(program, id, node.op == Op::not_equal ? Op::not_equal : Op::equal, search))
    return std::nullopt;
  const bool are_many = search->strings.size() > max_compared_strings;
  return are_many || is_searched_column(program, search->column) ? search : std::nullopt;
}

// Rewrites a program's graph: each call becomes a column after the existing ones.
class Derivation {
 public:
  explicit Derivation(TileProgram& program)
      : program_(program),
        old_(program.graph),
        graph_(std::make_shared<Graph>()),
        copies_(old_->size()),
        needed_(old_->size()) {}

  Status run(const std::vector<NodeId>& roots) {
    for (NodeId root : roots) need(root);
    for (NodeId id = 0; id < old_->size(); id++)
      if (needed_[id])
        PENSTOCK_TRY(copy(id).with("in " + text_of(*old_, id, program_.source_schema)));
    program_.graph = graph_;
    return {};
  }
  NodeId copy_of(NodeId id) const { return copies_[id]; }

  // Adds a column that is TRUE if a row has a string, and NULL otherwise.
  NodeId presence_of(NodeId column) {
    const Node& strings = old_->at(column);
    DerivedColumn derived;
    derived.source = strings.payload;
    derived.function = expr::string_is_present();
    derived.inputs.resize(1);
    const Field field{"(" + program_.source_schema[strings.payload].name + " IS NOT NULL)",
                      derived.function->result_type, strings.nullable};
    return graph_->add(
        {Op::column, field.type, field.nullable, column_for(std::move(derived), field), {}});
  }

 private:
  // The constants of a call stay on the host.
  void need(NodeId id) {
    if (needed_[id]) return;
    needed_[id] = true;
    if (auto search = string_search(program_, id)) {
      if (old_->at(search->column).op != Op::column) need(search->column);
      searches_.emplace(id, std::move(*search));
      return;
    }
    if (asks_for_nulls(program_, id)) return;
    const bool is_call = calls_string_function(*old_, old_->at(id));
    for (NodeId input : old_->at(id).inputs)
      if (!is_call || old_->at(input).op != Op::parameter) need(input);
  }

  Status copy(NodeId id) {
    const Node& node = old_->at(id);
    if (const auto search = searches_.find(id); search != searches_.end())
      return derive_search(id, node, search->second);
    if (asks_for_nulls(program_, id)) {
      copies_[id] = graph_->add({Op::is_null, node.type, false, 0, {presence_of(node.inputs[0])}});
      return {};
    }
    if (calls_string_function(*old_, node)) return derive_call(id, node);
    copies_[id] =
        node.op == Op::column ? graph_->add(node) : graph_->import_node(*old_, id, copies_);
    return {};
  }

  Status derive_call(NodeId id, const Node& node) {
    DerivedColumn derived;
    derived.function = old_->custom_functions[node.payload];
    std::size_t columns = 0;
    bool nullable = false;
    for (std::size_t i = 0; i < node.inputs.size(); i++) {
      const Node& constant = old_->at(node.inputs[i]);
      derived.inputs.push_back(constant.op == Op::parameter ? old_->parameters[constant.payload]
                                                            : Scalar{});
      if (constant.op == Op::parameter) continue;
      const Node& input = graph_->at(copies_[node.inputs[i]]);
      if (input.op != Op::column || columns++ > 0) return expr::no_string_column();
      derived.source = input.payload;
      derived.column_input = i;
      nullable = input.nullable;
    }
    if (columns == 0) return expr::no_string_column();
    const std::uint32_t column = column_for(
        std::move(derived), {text_of(*old_, id, program_.source_schema), node.type, nullable});
    copies_[id] = graph_->add({Op::column, node.type, nullable, column, {}});
    return {};
  }

  Status derive_search(NodeId id, const Node& node, const StringSearch& search) {
    DerivedColumn derived;
    derived.function = expr::string_any_of();
    const bool is_column = old_->at(search.column).op == Op::column;
    derived.source =
        is_column ? old_->at(search.column).payload : graph_->at(copies_[search.column]).payload;
    derived.inputs.push_back({});
    derived.inputs.insert(derived.inputs.end(), search.strings.begin(), search.strings.end());
    const bool nullable = old_->at(search.column).nullable;
    const std::string is_equal = "(" + text_of(*old_, search.column, program_.source_schema) +
                                 " = '" + search.strings[0].text + "')";
    const std::string name =
        node.op == Op::not_equal ? is_equal : text_of(*old_, id, program_.source_schema);
    const std::uint32_t column = column_for(std::move(derived), {name, node.type, nullable});
    copies_[id] = graph_->add({Op::column, node.type, nullable, column, {}});
    if (node.op == Op::not_equal)
      copies_[id] = graph_->add({Op::not_, node.type, nullable, 0, {copies_[id]}});
    return {};
  }

  std::uint32_t column_for(DerivedColumn derived, Field field) {
    const std::uint32_t first = program_.first_derived();
    for (std::uint32_t i = 0; i < program_.derived.size(); i++)
      if (is_same(program_.derived[i], derived)) return first + i;
    program_.source_schema.push_back(std::move(field));
    program_.derived.push_back(std::move(derived));
    return static_cast<std::uint32_t>(program_.source_schema.size() - 1);
  }

  static bool is_same(const DerivedColumn& a, const DerivedColumn& b) {
    const auto same_value = [](const Scalar& x, const Scalar& y) {
      return x.type == y.type && x.text == y.text && x.integer == y.integer;
    };
    return a.source == b.source && a.function == b.function && a.column_input == b.column_input &&
           std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                      same_value);
  }

  TileProgram& program_;
  std::shared_ptr<Graph> old_, graph_;
  std::vector<NodeId> copies_;
  std::vector<bool> needed_;
  std::map<NodeId, StringSearch> searches_;
};

}  // namespace

// Each constant has its length.
std::string name_of_function(const TileProgram& program, std::uint32_t column) {
  std::string name;
  while (column >= program.first_derived()) {
    const DerivedColumn& derived = program.derived[column - program.first_derived()];
    if (!expr::is_string_function(*derived.function)) return {};
    name += " " + derived.function->name + " " + std::to_string(derived.column_input);
    for (const Scalar& input : derived.inputs)
      name += " " + std::string(name_of(input.type)) + (input.is_null ? " NULL" : " ") +
              std::to_string(static_cast<std::int64_t>(input.integer)) + " " +
              std::to_string(input.text.size()) + " " + input.text;
    column = derived.source;
  }
  return name;
}

Status derive_columns(TileProgram& program) {
  std::vector<NodeId> roots = program.roots();
  for (const Output& output : program.outputs) roots.push_back(output.root);  // of late ones too
  const std::vector<bool> needed = expr::reachable(*program.graph, roots);
  bool any = false;
  for (NodeId id = 0; id < program.graph->size(); id++)
    any = any || (needed[id] && (calls_string_function(*program.graph, program.graph->at(id)) ||
                                 asks_for_nulls(program, id) || string_search(program, id)));
  std::vector<NodeId> counted(program.outputs.size(), no_node);
  for (std::size_t i = 0; i < counted.size(); i++)
    if (is_counted(program, i)) counted[i] = program.outputs[i].root;
  if (!any &&
      std::all_of(counted.begin(), counted.end(), [](NodeId column) { return column == no_node; }))
    return {};
  Derivation derivation(program);
  PENSTOCK_TRY(derivation.run(roots));
  for (NodeId& predicate : program.predicates) predicate = derivation.copy_of(predicate);
  for (Lookup& lookup : program.lookups)
    for (NodeId& key : lookup.keys) key = derivation.copy_of(key);
  for (std::size_t i = 0; i < counted.size(); i++) {
    NodeId& root = program.outputs[i].root;
    root = counted[i] == no_node ? derivation.copy_of(root) : derivation.presence_of(counted[i]);
  }
  return {};
}

}  // namespace penstock::plan
