// Prints expressions as Kernel C statements: the one emitter of expressions, for every target.
//
// For each root the emission names three C expressions: the value, whether it is valid, and its
// fault. Common sub-expressions are printed once. Types: see kernel_type(). Functions the
// statements call stand in operations.kc
// ("expr/operations.kc", and "expr/wide_operations.kc" for 128 bits) and, for custom functions, in
// `functions`.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "penstock/expression.hpp"

namespace penstock {

// Returns the C type of this Type's values in registers: boolean and string codes "u32", decimal
// and timestamp "i64", date32 "i32"; 128 bits are the struct "I128".
std::string kernel_type(Type type);
std::string zero_constant(Type type);
// Returns the C type of one element in memory. Boolean columns are bits in u8, and a value of 128
// bits is two elements of u64, the lower one first.
std::string memory_type(Type type);

struct Emission {
  std::string functions;   // FUNCTION definitions to stand before the kernel
  std::string statements;  // declarations `const f32 v3 = ...;`, each on a line, in order
  struct Root {
    std::string value;  // "v3"
    std::string valid;  // "n3", or "1u" when never NULL
    std::string fault;  // "e3", or "0u" when none can arise; u32: 0, or 1 + index into `faults`
  };
  std::vector<Root> roots;
  std::vector<NodeId> faults;     // the node each fault number names
  std::vector<Code> fault_codes;  // beside faults: what went wrong there
};

struct EmissionNames {
  std::function<std::string(std::uint32_t column)> value,
      valid;  // valid: "" when the column has no NULLs
  std::function<std::string(std::uint32_t parameter)> parameter,
      parameter_valid;  // parameter_valid: "" for non-NULL
  // Prints statements after each root's. A custom function might never return for a row that a
  // filter dropped. These statements may declare what its guard reads.
  std::function<std::string(std::size_t index, const Emission::Root& root)> after_root = {};
  std::string custom_guard = {};  // a condition without which no body is called; "" for none
};

// Returns whether a root computes in float64, also inside a cast between float32 and decimal. Metal
// has no such type.
bool needs_f64(const Graph& graph, std::span<const NodeId> roots);
// Refuses by name what no target can do (a string order comparison). The text
// does not depend on node ids, only on the operations, so that equal expressions of different
// graphs are equal texts.
Result<Emission> emit(const Graph& graph, std::span<const NodeId> roots,
                      const EmissionNames& names);

}  // namespace penstock
