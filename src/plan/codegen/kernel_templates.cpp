// Finds the kernel templates of this layer (and the operations of expr) that cmake/Embed.cmake
// compiled in.
#include "kernel/kernel_source.hpp"
#include "plan/codegen/emit_pipeline_parts.hpp"

namespace penstock::plan {

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

}  // namespace penstock::plan
