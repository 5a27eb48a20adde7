// Prints one operation as Kernel C expressions over its inputs' expressions.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "penstock/expression.hpp"

namespace penstock::expr {

// A node that is printed already: its three expressions, identifiers or constants.
struct Operand {
  Type type;
  std::string value, valid = "1u", fault = "0u";
};

struct Printed {
  std::string value, valid = "1u";
  bool strict = true;        // NULL if an input is, and faults as its first faulting input does
  std::string fault = "0u";  // if not strict
  std::vector<std::pair<Code, std::string>>
      own_faults;           // with the conditions under which they arise
  bool is_alias = false;    // `value` is an input's own name
  std::string preparation;  // statements that come before
};

// A custom function's name in the source, and the condition under which its body is called ("":
// always).
struct EmittedCustom {
  std::string name, guard;
};

// `number` makes the names in `preparation` unique.
Result<Printed> print_operation(const Graph& graph, const Node& node,
                                std::span<const Operand> inputs, unsigned number,
                                const EmittedCustom& custom);

}  // namespace penstock::expr
