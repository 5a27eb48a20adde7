#include "expr/emit.hpp"

#include <algorithm>
#include <map>

#include "expr/emit_operation.hpp"
#include "expr/operation.hpp"

namespace penstock {

std::string kernel_type(Type type) {
  switch (type.kind) {
    case Kind::boolean:
    case Kind::string: return "u32";
    case Kind::int8: return "i8";
    case Kind::int16: return "i16";
    case Kind::int32:
    case Kind::date32: return "i32";
    case Kind::uint8: return "u8";
    case Kind::uint16: return "u16";
    case Kind::uint32: return "u32";
    case Kind::uint64: return "u64";
    case Kind::float32: return "f32";
    case Kind::float64: return "f64";
    case Kind::int64:
    case Kind::timestamp: return "i64";
    case Kind::decimal: return expr::is_wide(type) ? "I128" : "i64";
    case Kind::int128: return "I128";
  }
  return {};
}

std::string memory_type(Type type) {
  if (type.kind == Kind::boolean) return "u8";
  if (expr::is_wide(type)) return "u64";
  return type.kind == Kind::string ? "i32" : kernel_type(type);
}

std::string zero_constant(Type type) {
  return expr::is_wide(type) ? "i128_of_i64(0)" : "(" + kernel_type(type) + ")0";
}

bool needs_f64(const Graph& graph, std::span<const NodeId> roots) {
  const std::vector<bool> needed = expr::reachable(graph, roots);
  for (NodeId id = 0; id < graph.size(); id++) {
    if (!needed[id]) continue;
    const Node& node = graph.at(id);
    if (node.type.kind == Kind::float64) return true;
    if (node.op != Op::cast) continue;
    const Type from = graph.at(node.inputs[0])
                          .type;  // decimals become floats, and floats decimals, through float64
    if ((from.kind == Kind::decimal && is_float(node.type)) ||
        (is_float(from) && node.type.kind == Kind::decimal))
      return true;
  }
  return false;
}

namespace {

using expr::Operand;
using expr::Printed;

bool is_name(const std::string& expression) { return expression.find(' ') == std::string::npos; }

class Emitter {
 public:
  Emitter(const Graph& graph, const EmissionNames& names)
      : graph_(graph), names_(names), operands_(graph.size()), emitted_(graph.size()) {}

  Result<Emission> emit(std::span<const NodeId> roots) {
    if (!names_.after_root) PENSTOCK_TRY(emit_all(roots));
    for (std::size_t i = 0; i < roots.size(); i++) {
      if (names_.after_root) PENSTOCK_TRY(emit_all(roots.subspan(i, 1)));
      const Operand& operand = operands_[roots[i]];
      emission_.roots.push_back({operand.value, operand.valid, operand.fault});
      if (names_.after_root) emission_.statements += names_.after_root(i, emission_.roots.back());
    }
    return std::move(emission_);
  }

 private:
  Status emit_all(std::span<const NodeId> roots) {
    const std::vector<bool> needed = expr::reachable(graph_, roots);
    for (NodeId id = 0; id < graph_.size(); id++) {
      if (!needed[id] || emitted_[id]) continue;
      if (const Status status = emit_node(id); !status.ok())
        return status.with("in " + text_of(graph_, id, {}));
      emitted_[id] = true;
    }
    return {};
  }

  Status emit_node(NodeId id) {
    const Node& node = graph_.at(id);
    Operand& result = operands_[id];
    result.type = node.type;
    if (node.op == Op::column)
      return leaf(result, names_.value(node.payload), names_.valid(node.payload));
    if (node.op == Op::parameter) {
      const std::string valid = names_.parameter_valid(node.payload);
      return leaf(result, names_.parameter(node.payload),
                  valid.empty() && node.nullable ? "0u" : valid);
    }
    std::vector<Operand> inputs;
    for (NodeId input : node.inputs) inputs.push_back(operands_[input]);
    const expr::EmittedCustom custom{node.op == Op::custom ? custom_name(node.payload) : "",
                                     names_.custom_guard};
    Result<Printed> printed = expr::print_operation(graph_, node, inputs, number_, custom);
    if (!printed.ok()) return printed.status();
    emission_.statements += printed->preparation;
    declare(result, id, inputs, *printed);
    return {};
  }

  static Status leaf(Operand& result, std::string value, std::string valid) {
    result.value = std::move(value);
    result.valid = valid.empty() ? "1u" : std::move(valid);
    return {};
  }

  std::string statement(const std::string& type, const char* prefix,
                        const std::string& expression) {
    const std::string name = prefix + std::to_string(number_);
    emission_.statements += "  const " + type + " " + name + " = " + expression + ";\n";
    return name;
  }

  void declare(Operand& result, NodeId id, std::span<const Operand> inputs,
               const Printed& printed) {
    result.value =
        printed.is_alias ? printed.value : statement(kernel_type(result.type), "v", printed.value);
    result.valid = is_name(printed.valid) ? printed.valid : statement("u32", "n", printed.valid);
    const std::string fault =
        printed.strict ? strict_fault(id, inputs, printed, result.valid) : printed.fault;
    result.fault = is_name(fault) ? fault : statement("u32", "e", fault);
    number_++;
  }

  // Returns the first input's fault, else the operation's own. None if the result is NULL.
  std::string strict_fault(NodeId id, std::span<const Operand> inputs, const Printed& printed,
                           const std::string& valid) {
    std::vector<const Operand*> faulting;
    for (const Operand& input : inputs)
      if (input.fault != "0u") faulting.push_back(&input);
    if (faulting.empty() && printed.own_faults.empty()) return "0u";
    std::string text, tail = "0u";
    if (printed.own_faults.empty()) {
      tail = faulting.back()->fault;
      if (faulting.size() == 1 && faulting[0]->valid == valid) return tail;
      faulting.pop_back();
    }
    if (valid != "1u") text = valid + " == 0u ? 0u : ";
    for (const Operand* input : faulting) text += input->fault + " != 0u ? " + input->fault + " : ";
    for (const auto& [code, predicate] : printed.own_faults) {
      emission_.faults.push_back(id);
      emission_.fault_codes.push_back(code);
      text += predicate + " ? " + std::to_string(emission_.faults.size()) + "u : ";
    }
    return text + tail;
  }

  // Returns the function's name in this source. Prints its definition the first time.
  std::string custom_name(std::uint32_t index) {
    const CustomFunction& function = *graph_.custom_functions[index];
    const auto [found, inserted] = custom_names_.try_emplace(
        index, "custom_" + std::to_string(custom_names_.size()) + "_" + function.name);
    if (inserted) define_custom(function, found->second);
    return found->second;
  }

  void define_custom(const CustomFunction& function, const std::string& name) {
    std::string parameters;
    for (std::size_t i = 0; i < function.parameter_names.size(); i++)
      parameters += (i == 0 ? "" : ", ") + kernel_type(function.parameter_types[i]) + " " +
                    function.parameter_names[i];
    emission_.functions += "FUNCTION " + kernel_type(function.result_type) + " " + name + "(" +
                           parameters + ")\n{\n  " + function.body + "\n}\n";
  }

  const Graph& graph_;
  const EmissionNames& names_;
  std::vector<Operand> operands_;
  std::vector<bool> emitted_;
  std::map<std::uint32_t, std::string> custom_names_;  // names by index in the graph
  Emission emission_;
  unsigned number_ = 0;  // of the operation within this text
};

}  // namespace

Result<Emission> emit(const Graph& graph, std::span<const NodeId> roots,
                      const EmissionNames& names) {
  return Emitter(graph, names).emit(roots);
}

}  // namespace penstock
