// Names of functions in Substrait's plans. DataFusion's own names stand beside the standard ones.
#pragma once
#include <cstddef>
#include <string_view>

#include "sql/parse/syntax.hpp"

namespace penstock::sql {

struct SubstraitFunction {
  std::string_view name;
  SyntaxKind kind;                  // operation or function
  std::string_view ours;            // as in a statement
  std::size_t least = 1, most = 1;  // inputs
  bool is_condition = false;        // yields a BOOLEAN, where the plan states no type
};

// `name` may have a signature behind it: "add:i64_i64". Returns null for an unknown one.
const SubstraitFunction* substrait_function(std::string_view name, bool is_datafusion);
std::string_view without_signature(std::string_view name);

}  // namespace penstock::sql
