// Finds the kernel templates of this layer (and the operations of expr) that cmake/Embed.cmake
// compiled in.
#include "kernel/kernel_source.hpp"
#include "plan/codegen/emit_pipeline_parts.hpp"

namespace penstock {
namespace kernel {
extern const EmbeddedText plan_texts[];
extern const unsigned plan_text_count;
extern const EmbeddedText expr_texts[];
extern const unsigned expr_text_count;
}  // namespace kernel

namespace plan {

// `name` is without folder and ending. Several names, separated by spaces, give their sources one
// after another.
std::string template_source(const std::string& name) {
  if (const std::size_t space = name.find(' '); space != std::string::npos)
    return template_source(name.substr(0, space)) + template_source(name.substr(space + 1));
  for (unsigned i = 0; i < kernel::plan_text_count; i++)
    if (kernel::plan_texts[i].name == "plan/codegen/kernels/" + name + ".kc")
      return kernel::plan_texts[i].text;
  for (unsigned i = 0; i < kernel::expr_text_count; i++)
    if (kernel::expr_texts[i].name == "expr/" + name + ".kc") return kernel::expr_texts[i].text;
  return "#error \"no kernel text named " + name + "\"\n";
}

}  // namespace plan
}  // namespace penstock
