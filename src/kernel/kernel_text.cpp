#include "kernel/kernel_text.hpp"

namespace penstock::kernel {
namespace {

void add_part(std::string& text, std::string_view name, std::string_view part) {
  text.append("#line 1 \"").append(name).append("\"\n").append(part);
  if (!part.ends_with('\n')) text += '\n';
}

// C++ targets share plain.prelude and keep kernels in a namespace, as a kernel may have any name.
bool is_plain(Target target) { return target == Target::sycl || target == Target::host; }

std::vector<std::string> prelude_names(Target target) {
  std::vector<std::string> names = {"kernel/common.prelude"};
  if (is_plain(target)) names.push_back("kernel/plain.prelude");
  names.push_back("kernel/" + std::string(name_of(target)) + ".prelude");
  return names;
}

}  // namespace

std::string_view find_text(std::span<const EmbeddedText> texts, std::string_view name) {
  for (const EmbeddedText& text : texts)
    if (text.name == name) return text.text;
  return {};
}

std::string assemble(Target target, std::span<const TextPart> parts) {
  std::string text;
  if (target == Target::sycl) text += "#include <sycl/sycl.hpp>\n";   // before any word is a macro
  for (const std::string& name : prelude_names(target)) add_part(text, name, kernel_text(name));
  if (is_plain(target)) text += "namespace kernelc {\n";
  add_part(text, "kernel/group.kc", kernel_text("kernel/group.kc"));
  for (const TextPart& part : parts) add_part(text, part.name, part.text);
  if (is_plain(target)) text += "}  // namespace kernelc\n";
  return text;
}

}  // namespace penstock::kernel
