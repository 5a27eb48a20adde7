// Finds the kernel templates of this layer (and the operations of expr) that cmake/Embed.cmake
// compiled in.
#include <sstream>

#include "kernel/kernel_source.hpp"
#include "plan/codegen/emit_pipeline_parts.hpp"

namespace penstock::plan {

constexpr const char* upper_case_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";

// `name` is without folder and ending. Several names, separated by spaces, give their sources one
// after another.
std::string template_source(const std::string& name) {
  if (const std::size_t space = name.find(' '); space != std::string::npos)
    return template_source(name.substr(0, space)) + template_source(name.substr(space + 1));
  std::string_view text = kernel::plan_source("plan/codegen/kernels/" + name + ".kc");
  if (text.empty()) text = kernel::expr_source("expr/" + name + ".kc");
  if (!text.empty()) return std::string(text);
  return "#error \"no kernel text named " + name + "\"\n";
}

// Lines such as "SIGNED_OPERATIONS(i8, u32, 8u, (i8)-128)" define functions named after a type,
// here multiply_i8(). Those of types that no function is called of are left empty, and not
// compiled.
std::string operations_of(const std::string& callers) {
  std::string text;
  std::istringstream lines(template_source("operations"));
  for (std::string line; std::getline(lines, line); text += '\n') {
    const std::size_t open = line.find('('), name = line.find_first_not_of(upper_case_letters);
    const bool is_of_a_type = open != std::string::npos && open > 0 && name == open;
    const std::string type = line.substr(open + 1, line.find_first_of(",)", open) - open - 1);
    if (!is_of_a_type || callers.find("_" + type + "(") != std::string::npos) text += line;
  }
  return text;
}

}  // namespace penstock::plan
