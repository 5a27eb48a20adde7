#include "plan/derived_columns.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "base/parallel.hpp"
#include "column/column_builders.hpp"
#include "expr/operation.hpp"
#include "expr/text_functions.hpp"
#include "expr/value.hpp"

namespace penstock::plan {
namespace {

constexpr NodeId no_node = ~NodeId{0};

bool calls_text_function(const Graph& graph, const Node& node) {
  return node.op == Op::custom && expr::is_text_function(*graph.customs[node.payload]);
}

bool casts_wide_column(const Graph& graph, const Node& node) {
  if (node.op != Op::cast || !is_float(node.type)) return false;
  const Node& input = graph.at(node.inputs[0]);
  return input.op == Op::column && input.type.kind != Kind::string && width_bytes(input.type) > 8;
}

bool is_encoded_column(const TileProgram& program, NodeId id) {
  const Node& node = program.graph->at(id);
  if (node.op != Op::column || node.type.kind != Kind::string) return false;
  return program.source_schema[node.payload].is_encoded && program.lookup_of(node.payload) < 0;
}

bool asks_for_nulls(const TileProgram& program, NodeId id) {
  return program.graph->at(id).op == Op::is_null && is_encoded_column(program, program.graph->at(id).inputs[0]);
}

// Whether an output is an aggregate's argument of which only the NULLs count, as strings are only counted.
bool is_counted(const TileProgram& program, std::size_t output) {
  return program.epilogue != Epilogue::compact && output >= program.key_count && is_encoded_column(program, program.outputs[output].root);
}

// A column that devices find texts of in its codes, and texts: `column IN (texts)`.
struct TextSearch {
  NodeId column = 0;
  std::vector<Scalar> texts;
};

// Adds a node's texts; false where it is anything but `equality` of the search's column and a constant, or = of such joined by OR.
bool add_search(const TileProgram& program, NodeId id, Op equality, std::optional<TextSearch>& search) {
  const Graph& graph = *program.graph;
  const Node& node = graph.at(id);
  if (node.op == Op::or_)
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](NodeId input) { return add_search(program, input, Op::equal, search); });
  if (node.op != equality) return false;
  const bool is_swapped = graph.at(node.inputs[0]).op == Op::parameter;
  const NodeId column = node.inputs[is_swapped ? 1 : 0];
  const Node& text = graph.at(node.inputs[is_swapped ? 0 : 1]);
  if (text.op != Op::parameter || graph.parameters[text.payload].is_null) return false;
  if (!is_encoded_column(program, column) || (search && search->column != column)) return false;
  if (!search) search = TextSearch{column, {}};
  search->texts.push_back(graph.parameters[text.payload]);
  return true;
}

// <> is a search of its own, which the kernel negates.
std::optional<TextSearch> text_search(const TileProgram& program, NodeId id) {
  std::optional<TextSearch> search;
  const Node& node = program.graph->at(id);
  if (node.op != Op::or_ && node.op != Op::equal && node.op != Op::not_equal) return std::nullopt;
  return add_search(program, id, node.op == Op::not_equal ? Op::not_equal : Op::equal, search) ? search : std::nullopt;
}

// Rewrites a program's graph: a call becomes a column behind the others.
class Derivation {
 public:
  explicit Derivation(TileProgram& program) : program_(program), old_(program.graph), graph_(std::make_shared<Graph>()),
        copies_(old_->size()), needed_(old_->size()) {}

  Status run(const std::vector<NodeId>& roots) {
    for (NodeId root : roots) need(root);
    for (NodeId id = 0; id < old_->size(); id++)
      if (needed_[id]) PENSTOCK_TRY(copy(id).with("in " + text_of(*old_, id, program_.source_schema)));
    program_.graph = graph_;
    return {};
  }
  NodeId copy_of(NodeId id) const { return copies_[id]; }

  // A column that is TRUE where there is a text, else NULL.
  NodeId presence_of(NodeId column) {
    const Node& texts = old_->at(column);
    DerivedColumn derived;
    derived.source = texts.payload;
    derived.function = expr::text_is_there();
    derived.inputs.resize(1);
    const Field field{"(" + program_.source_schema[texts.payload].name + " IS NOT NULL)", derived.function->result_type, texts.nullable};
    return graph_->add({Op::column, field.type, field.nullable, column_for(std::move(derived), field), {}});
  }

 private:
  // The constants of a call stay on the host.
  void need(NodeId id) {
    if (needed_[id]) return;
    needed_[id] = true;
    if (auto search = text_search(program_, id)) {
      searches_.emplace(id, std::move(*search));
      return;
    }
    if (asks_for_nulls(program_, id)) return;
    const bool is_call = calls_text_function(*old_, old_->at(id));
    for (NodeId input : old_->at(id).inputs)
      if (!is_call || old_->at(input).op != Op::parameter) need(input);
  }

  Status copy(NodeId id) {
    const Node& node = old_->at(id);
    if (const auto search = searches_.find(id); search != searches_.end()) return derive_search(id, node, search->second);
    if (asks_for_nulls(program_, id)) {
      copies_[id] = graph_->add({Op::is_null, node.type, false, 0, {presence_of(node.inputs[0])}});
      return {};
    }
    if (calls_text_function(*old_, node)) return derive_call(id, node);
    if (casts_wide_column(*old_, node)) return derive_cast(id, node);
    copies_[id] = node.op == Op::column ? graph_->add(node) : graph_->import_node(*old_, id, copies_);
    return {};
  }

  Status derive_call(NodeId id, const Node& node) {
    DerivedColumn derived;
    derived.function = old_->customs[node.payload];
    std::size_t columns = 0;
    bool nullable = false;
    for (std::size_t i = 0; i < node.inputs.size(); i++) {
      const Node& constant = old_->at(node.inputs[i]);
      derived.inputs.push_back(constant.op == Op::parameter ? old_->parameters[constant.payload] : Scalar{});
      if (constant.op == Op::parameter) continue;
      const Node& input = graph_->at(copies_[node.inputs[i]]);
      if (input.op != Op::column || columns++ > 0) return expr::no_text_column();
      derived.source = input.payload;
      derived.place = i;
      nullable = input.nullable;
    }
    if (columns == 0) return expr::no_text_column();
    const std::uint32_t column = column_for(std::move(derived), {text_of(*old_, id, program_.source_schema), node.type, nullable});
    copies_[id] = graph_->add({Op::column, node.type, nullable, column, {}});
    return {};
  }

  Status derive_search(NodeId id, const Node& node, const TextSearch& search) {
    DerivedColumn derived;
    derived.function = expr::text_any_of();
    derived.source = old_->at(search.column).payload;
    derived.inputs.push_back({});
    derived.inputs.insert(derived.inputs.end(), search.texts.begin(), search.texts.end());
    const bool nullable = old_->at(search.column).nullable;
    const std::string is_equal = "(" + program_.source_schema[derived.source].name + " = '" + search.texts[0].text + "')";
    const std::string name = node.op == Op::not_equal ? is_equal : text_of(*old_, id, program_.source_schema);
    const std::uint32_t column = column_for(std::move(derived), {name, node.type, nullable});
    copies_[id] = graph_->add({Op::column, node.type, nullable, column, {}});
    if (node.op == Op::not_equal) copies_[id] = graph_->add({Op::not_, node.type, nullable, 0, {copies_[id]}});
    return {};
  }

  Status derive_cast(NodeId id, const Node& node) {
    const Node& input = graph_->at(copies_[node.inputs[0]]);
    DerivedColumn derived;
    derived.source = input.payload;
    derived.cast_to = node.type;
    const bool nullable = input.nullable;
    const std::uint32_t column = column_for(std::move(derived), {text_of(*old_, id, program_.source_schema), node.type, nullable});
    copies_[id] = graph_->add({Op::column, node.type, nullable, column, {}});
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
    const auto same_value = [](const Scalar& x, const Scalar& y) { return x.type == y.type && x.text == y.text && x.integer == y.integer; };
    return a.source == b.source && a.function == b.function && a.place == b.place && a.cast_to == b.cast_to &&
           std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(), same_value);
  }

  TileProgram& program_;
  std::shared_ptr<Graph> old_, graph_;
  std::vector<NodeId> copies_;
  std::vector<bool> needed_;
  std::map<NodeId, TextSearch> searches_;
};

// Calls keep(row, result) for every text of a column without a dictionary, in threads.
template <class Keep> void for_each_text(const DerivedColumn& derived, const Column& texts, const Keep& keep) {
  in_parallel(texts.row_count, 1 << 12, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<Scalar> inputs = derived.inputs;
    inputs[derived.place].type = {Kind::string};
    for (std::uint64_t row = first; row < last; row++) {
      if (!texts.is_valid(row)) continue;
      inputs[derived.place].text = texts.string(row);
      keep(row, derived.function->host(inputs));
    }
  });
}

// The function's results: truths, numbers or strings.
Column results_of(const DerivedColumn& derived, const Column& texts) {
  Column column;
  column.type = derived.function->result_type;
  column.row_count = texts.row_count;
  if (column.type.kind == Kind::boolean) {
    std::vector<std::uint8_t> truths(texts.row_count);      // bytes, which threads may write side by side
    for_each_text(derived, texts, [&](std::uint64_t row, const Scalar& result) { truths[row] = result.integer != 0; });
    column::BitBuilder bits;
    for (const std::uint8_t truth : truths) bits.push(truth != 0);
    column.values = bits.take();
  } else if (column.type.kind == Kind::int64) {
    std::vector<std::int64_t> numbers(texts.row_count);
    const auto keep = [&](std::uint64_t row, const Scalar& result) { numbers[row] = static_cast<std::int64_t>(result.integer); };
    for_each_text(derived, texts, keep);
    column.values = Bytes::own(std::move(numbers));
  } else {
    std::vector<Scalar> results(texts.row_count, Scalar::null_of(column.type));
    for_each_text(derived, texts, [&](std::uint64_t row, Scalar result) { results[row] = std::move(result); });
    return column_of(column.type, results);
  }
  return column;
}

// Spreads the results of a dictionary's texts over the rows that name them.
Column spread(const Column& results, const Column& source) {
  Column column;
  column.type = results.type;
  column.row_count = source.row_count;
  column.validity = source.validity;
  const auto* codes = source.values.as<std::int32_t>();
  const auto entry = [&](std::uint64_t row) { return source.is_valid(row) ? static_cast<std::uint64_t>(codes[row]) : 0; };
  if (results.row_count == 0) {      // every row is NULL
    column.values = Bytes::own(std::vector<std::int64_t>(source.row_count));
  } else if (column.type.kind == Kind::boolean) {
    column::BitBuilder bits;
    for (std::uint64_t row = 0; row < source.row_count; row++) bits.push(results.boolean(entry(row)));
    column.values = bits.take();
  } else {
    std::vector<std::int64_t> values(source.row_count);
    for (std::uint64_t row = 0; row < values.size(); row++) values[row] = results.values.as<std::int64_t>()[entry(row)];
    column.values = Bytes::own(std::move(values));
  }
  return column;
}

// 128 bits as floats.
template <class T> Column as_floats(const Column& source) {
  std::vector<T> values(source.row_count);
  in_parallel(source.row_count, 1 << 13, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++) {
      if (!source.is_valid(row)) continue;
      Int128 value;      // 16 bytes may lie on 8
      std::memcpy(&value, source.values.data + row * sizeof value, sizeof value);
      values[row] = static_cast<T>(expr::cast_value(Scalar::of(source.type, value), type_of<T>()).value.real);
    }
  });
  Column column = Column::from(std::move(values));
  column.validity = source.validity;
  return column;
}

}  // namespace

Status derive_columns(TileProgram& program) {
  std::vector<NodeId> roots = program.roots();
  for (const Output& output : program.outputs) roots.push_back(output.root);      // of carried ones too
  const std::vector<bool> needed = expr::reachable(*program.graph, roots);
  bool any = false;
  for (NodeId id = 0; id < program.graph->size(); id++)
    any = any || (needed[id] && (calls_text_function(*program.graph, program.graph->at(id)) ||
                                 casts_wide_column(*program.graph, program.graph->at(id)) || asks_for_nulls(program, id) ||
                                 text_search(program, id)));
  std::vector<NodeId> counted(program.outputs.size(), no_node);
  for (std::size_t i = 0; i < counted.size(); i++)
    if (is_counted(program, i)) counted[i] = program.outputs[i].root;
  if (!any && std::all_of(counted.begin(), counted.end(), [](NodeId column) { return column == no_node; })) return {};
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

Result<Column> derive(const DerivedColumn& derived, const Column& source) {
  if (!derived.function) return derived.cast_to.kind == Kind::float32 ? as_floats<float>(source) : as_floats<double>(source);
  if (source.encoded) return Status(Code::internal, "a function of texts that are not decoded");
  if (source.device_values && source.values.empty())
    return Status(Code::unsupported, "functions of strings that live on a device alone");
  const Column& texts = source.dictionary ? *source.dictionary : source;
  Column results = results_of(derived, texts);
  if (!source.dictionary) {
    results.validity = source.validity;
    return results;
  }
  if (results.type.kind != Kind::string) return spread(results, source);
  Column column = source;
  column.dictionary = std::make_shared<const Column>(std::move(results));
  return column;
}

Result<Table> with_derived(const TileProgram& program, Table table) {
  for (const DerivedColumn& derived : program.derived) {
    PENSTOCK_ASSIGN(Column column, derive(derived, table.columns[derived.source]));
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace penstock::plan
