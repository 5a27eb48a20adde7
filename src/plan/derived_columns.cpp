#include "plan/derived_columns.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "column/column_builders.hpp"
#include "expr/operation.hpp"
#include "expr/text_functions.hpp"
#include "expr/value.hpp"

namespace penstock::plan {
namespace {

bool calls_text_function(const Graph& graph, const Node& node) {
  return node.op == Op::custom && expr::is_text_function(*graph.customs[node.payload]);
}

bool casts_wide_column(const Graph& graph, const Node& node) {
  if (node.op != Op::cast || !is_float(node.type)) return false;
  const Node& input = graph.at(node.inputs[0]);
  return input.op == Op::column && input.type.kind != Kind::string && width_bytes(input.type) > 8;
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

 private:
  // The constants of a call stay on the host.
  void need(NodeId id) {
    if (needed_[id]) return;
    needed_[id] = true;
    const bool is_call = calls_text_function(*old_, old_->at(id));
    for (NodeId input : old_->at(id).inputs)
      if (!is_call || old_->at(input).op != Op::parameter) need(input);
  }

  Status copy(NodeId id) {
    const Node& node = old_->at(id);
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
    copies_[id] = graph_->add({Op::column, node.type, nullable, column_for(std::move(derived), id, nullable), {}});
    return {};
  }

  Status derive_cast(NodeId id, const Node& node) {
    const Node& input = graph_->at(copies_[node.inputs[0]]);
    DerivedColumn derived;
    derived.source = input.payload;
    derived.cast_to = node.type;
    const bool nullable = input.nullable;
    copies_[id] = graph_->add({Op::column, node.type, nullable, column_for(std::move(derived), id, nullable), {}});
    return {};
  }

  std::uint32_t column_for(DerivedColumn derived, NodeId call, bool nullable) {
    const std::uint32_t first = program_.first_derived();
    for (std::uint32_t i = 0; i < program_.derived.size(); i++)
      if (is_same(program_.derived[i], derived)) return first + i;
    program_.source_schema.push_back({text_of(*old_, call, program_.source_schema), old_->at(call).type, nullable});
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
                                 casts_wide_column(*program.graph, program.graph->at(id))));
  if (!any) return {};
  Derivation derivation(program);
  PENSTOCK_TRY(derivation.run(roots));
  for (NodeId& predicate : program.predicates) predicate = derivation.copy_of(predicate);
  for (Lookup& lookup : program.lookups)
    for (NodeId& key : lookup.keys) key = derivation.copy_of(key);
  for (Output& output : program.outputs) output.root = derivation.copy_of(output.root);
  return {};
}

Result<Column> derive(const DerivedColumn& derived, const Column& source) {
  if (!derived.function) return derived.cast_to.kind == Kind::float32 ? as_floats<float>(source) : as_floats<double>(source);
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
