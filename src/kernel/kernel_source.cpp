#include "kernel/kernel_source.hpp"

#include <set>

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
  if (target != Target::opencl) names.push_back("kernel/parameters.prelude");
  if (is_plain(target)) names.push_back("kernel/plain.prelude");
  names.push_back("kernel/" + std::string(name_of(target)) + ".prelude");
  return names;
}

// OpenCL's KERNEL for kernels of `count` parameters: body and entry, as the other targets' preludes
// spell it with KC_MAP.
std::string opencl_kernel_macro(std::size_t count) {
  std::string parameters, declarations, names;
  for (std::size_t i = 0; i < count; i++) {
    const std::string p = "p" + std::to_string(i);
    parameters += ", " + p;
    declarations += "KC_DECLARE_##" + p + ", ";
    names += "KC_NAME_##" + p + ", ";
  }
  const std::string body =
      "FUNCTION void NAME##_body(" + declarations + "WORK work, __local TILE* tile)";
  const std::string entry =
      declarations.substr(0, declarations.size() < 2 ? 0 : declarations.size() - 2);
  return "#define KERNEL_" + std::to_string(count) + "(NAME, TILE" + parameters + ") \\\n  " +
         body + "; \\\n" +
         "  __kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void NAME(" + entry +
         ") \\\n" + "  { __local TILE kc_tile; NAME##_body(" + names + "0u, &kc_tile); } \\\n  " +
         body + "\n";
}

// The parts with each KERNEL named by its arity, after the macros that they need.
std::string with_opencl_kernels(std::span<const TextPart> parts) {
  std::string text;
  for (const TextPart& part : parts) add_part(text, part.name, part.text);
  const auto signatures = read_signatures(text);
  if (!signatures.ok()) return text;  // the compiler will name the place
  std::set<std::size_t> arities;
  for (auto signature = signatures->rbegin(); signature != signatures->rend();
       ++signature) {  // places in front stay true
    const std::size_t count = signature->parameters.size();
    text.insert(signature->place + std::string_view("KERNEL").size(), "_" + std::to_string(count));
    arities.insert(count);
  }
  std::string macros;
  for (const std::size_t count : arities) macros += opencl_kernel_macro(count);
  return macros + text;
}

}  // namespace

std::string_view find_text(std::span<const EmbeddedText> texts, std::string_view name) {
  for (const EmbeddedText& text : texts)
    if (text.name == name) return text.text;
  return {};
}

std::string assemble(Target target, std::span<const TextPart> parts) {
  std::string text;
  if (target == Target::sycl) text += "#include <sycl/sycl.hpp>\n";  // before any word is a macro
  for (const std::string& name : prelude_names(target)) add_part(text, name, kernel_text(name));
  if (is_plain(target)) text += "namespace kernelc {\n";
  add_part(text, "kernel/group.kc", kernel_text("kernel/group.kc"));
  if (target == Target::opencl)
    text += with_opencl_kernels(parts);
  else
    for (const TextPart& part : parts) add_part(text, part.name, part.text);
  if (is_plain(target)) text += "}  // namespace kernelc\n";
  return text;
}

}  // namespace penstock::kernel
