#include <algorithm>
#include <atomic>
#include <bit>

#include "expr/operation.hpp"
#include "penstock/expression.hpp"

namespace penstock {
namespace {

std::size_t mix(std::size_t seed, std::uint64_t value) {
  // Fibonacci hashing with a rotation, so that the order of inputs counts.
  return (std::rotl(static_cast<std::uint64_t>(seed), 23) ^ value) * 0x9E3779B97F4A7C15ull;
}

std::size_t hash_of(const Node& node) {
  std::size_t hash =
      mix(static_cast<std::size_t>(node.op), static_cast<std::uint64_t>(node.type.kind));
  hash = mix(hash, node.type.precision * 64u + node.type.scale);
  hash = mix(hash, node.payload);
  for (NodeId input : node.inputs) hash = mix(hash, input);
  return hash;
}

bool derive_nullable(const Graph& graph, const Node& node) {
  const auto input = [&](std::size_t i) { return graph.at(node.inputs[i]).nullable; };
  const auto count_nullable = [&] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < node.inputs.size(); i++) count += input(i);
    return count;
  };
  switch (node.op) {
    case Op::column: return node.nullable;
    case Op::parameter: return graph.parameters[node.payload].is_null;
    case Op::is_null: return false;
    case Op::select: return input(1) || input(2);
    case Op::coalesce:
    case Op::least:
    case Op::greatest: return count_nullable() == node.inputs.size();
    default: return count_nullable() > 0;
  }
}

bool same_value(const Scalar& a, const Scalar& b) {
  return a.type == b.type && a.is_null == b.is_null && a.integer == b.integer && a.text == b.text &&
         std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real);
}

// Finds or appends a parameter; those with an identity are equal only to themselves.
NodeId add_parameter(Graph& graph, Scalar value, ParameterOrigin origin, std::uint64_t identity) {
  const Type type = value.type;
  std::uint32_t index = 0;
  const auto is_same = [&](std::uint32_t i) {
    return graph.parameter_origins[i] == origin && graph.parameter_identities[i] == identity &&
           same_value(graph.parameters[i], value);
  };
  while (index < graph.parameters.size() && !is_same(index)) index++;
  if (index == graph.parameters.size()) {
    graph.parameters.push_back(std::move(value));
    graph.parameter_origins.push_back(origin);
    graph.parameter_identities.push_back(identity);
  }
  return graph.add({Op::parameter, type, false, index, {}});
}

}  // namespace

NodeId Graph::add(Node node) {
  node.nullable = derive_nullable(*this, node);
  const std::size_t hash = hash_of(node);
  const auto [first, last] = index_.equal_range(hash);
  for (auto found = first; found != last; ++found)
    if (nodes_[found->second] == node) return found->second;
  const NodeId id = static_cast<NodeId>(nodes_.size());
  nodes_.push_back(std::move(node));
  index_.emplace(hash, id);
  return id;
}

NodeId Graph::parameter(Scalar value, ParameterOrigin origin) {
  static std::atomic<std::uint64_t> next_identity{1};
  return add_parameter(*this, std::move(value), origin,
                       origin == ParameterOrigin::captured ? next_identity++ : 0);
}

std::uint32_t Graph::custom(const std::shared_ptr<const CustomFunction>& function) {
  const auto found = std::find(custom_functions.begin(), custom_functions.end(), function);
  const auto index = static_cast<std::uint32_t>(found - custom_functions.begin());
  if (found == custom_functions.end()) custom_functions.push_back(function);
  return index;
}

NodeId Graph::import_node(const Graph& from, NodeId id, std::span<const NodeId> copies) {
  Node node = from.at(id);
  for (NodeId& input : node.inputs) input = copies[input];
  NodeId copy = 0;
  if (node.op == Op::parameter) {
    copy = add_parameter(*this, from.parameters[node.payload], from.parameter_origins[node.payload],
                         from.parameter_identities[node.payload]);
  } else {
    if (node.op == Op::custom) node.payload = custom(from.custom_functions[node.payload]);
    copy = add(std::move(node));
  }
  if (const auto site = from.sites.find(id); site != from.sites.end())
    sites.emplace(copy, site->second);
  return copy;
}

NodeId Graph::import(const Graph& from, NodeId root, std::span<const NodeId> columns) {
  const std::vector<bool> needed = expr::reachable(from, std::span(&root, 1));
  std::vector<NodeId> copies(root + 1);
  for (NodeId id = 0; id <= root; id++)
    if (needed[id])
      copies[id] = from.at(id).op == Op::column ? columns[from.at(id).payload]
                                                : import_node(from, id, copies);
  return copies[root];
}

namespace {

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string result;
  for (std::size_t i = 0; i < texts.size(); i++)
    result.append(i == 0 ? "" : between).append(texts[i]);
  return result;
}

std::string text_of_node(const Graph& graph, const Node& node, std::vector<std::string> inputs,
                         const Schema& schema) {
  const std::string_view symbol = expr::row_of(node.op).symbol;
  if (!symbol.empty()) return "(" + joined(inputs, " " + std::string(symbol) + " ") + ")";
  switch (node.op) {
    case Op::column:
      return node.payload < schema.size() ? schema[node.payload].name
                                          : "column" + std::to_string(node.payload);
    case Op::parameter: {
      const Scalar& value = graph.parameters[node.payload];
      const bool has_quotes = value.type.kind == Kind::string && !value.is_null;
      return has_quotes ? "'" + text_of(value) + "'" : text_of(value);
    }
    case Op::negate: return "-" + inputs[0];
    case Op::bit_not: return "~" + inputs[0];
    case Op::not_: return "(NOT " + inputs[0] + ")";
    case Op::is_null: return "(" + inputs[0] + " IS NULL)";
    case Op::cast: return "CAST(" + inputs[0] + " AS " + name_of(node.type) + ")";
    case Op::select:
      return "CASE WHEN " + inputs[0] + " THEN " + inputs[1] + " ELSE " + inputs[2] + " END";
    case Op::custom:
      return graph.custom_functions[node.payload]->name + "(" + joined(inputs, ", ") + ")";
    default: return std::string(name_of(node.op)) + "(" + joined(inputs, ", ") + ")";
  }
}

// Texts of shared sub-expressions are repeated, so a deep graph would print exponentially: past
// this length "..." stands.
constexpr std::size_t max_text_bytes = 4096;

std::string text_within(const Graph& graph, NodeId id, const Schema& schema, std::size_t& budget) {
  const Node& node = graph.at(id);
  std::vector<std::string> inputs;
  for (NodeId input : node.inputs) {
    if (budget == 0) {
      inputs.push_back("...");
      continue;
    }
    inputs.push_back(text_within(graph, input, schema, budget));
  }
  std::string text = text_of_node(graph, node, std::move(inputs), schema);
  budget -= std::min(budget, std::size_t{16});
  return text;
}

}  // namespace

std::string text_of(const Graph& graph, NodeId root, const Schema& schema) {
  std::size_t budget = max_text_bytes;
  return text_within(graph, root, schema, budget);
}

Status fault_status(const Graph& graph, NodeId node, Code code, const Schema& schema) {
  std::string text = text_of(graph, node, schema);
  if (const auto site = graph.sites.find(node);
      site != graph.sites.end() && !site->second.text.empty()) {
    text = site->second.text;
    if (site->second.is_message) return {Code::invalid, text};
  }
  if (graph.at(node).op == Op::custom && code == Code::unsupported)
    return {code, "the function " + graph.custom_functions[graph.at(node).payload]->name +
                      " runs in kernels alone, and this step runs on the host"};
  if (graph.at(node).op == Op::require)
    return {code, text.starts_with("CAST(")
                      ? "a string is not of the type in " + text + "; TRY_CAST gives NULL there"
                      : "a string is not of the type that the expression wants"};
  if (code == Code::invalid) return {code, "division by zero in " + text};
  if (expr::is_date_part(graph.at(node).op) || graph.at(node).op == Op::epoch_microseconds)
    return {code, text + " of an infinite date or timestamp is not supported (DuckDB has NULL)"};
  return {code, "a value of " + text + " is outside " + name_of(graph.at(node).type)};
}

}  // namespace penstock
