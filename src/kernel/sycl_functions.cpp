#include "kernel/sycl_functions.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.hpp"
#include "kernel/signature.hpp"

namespace penstock::kernel {
namespace {

std::string type_of(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::in: return "const " + parameter.type + "*";
    case ParameterKind::out: return parameter.type + "*";
    case ParameterKind::atomic: return "ATOMIC_" + parameter.type + "*";
    case ParameterKind::value: return parameter.type;
  }
  return parameter.type;
}

std::string function_of(const Signature& kernel, const DescribeParameter& describe) {
  const std::string comment =
      "// Enqueues `" + kernel.name +
      "` and returns its event; the queue should be in order. `kc_groups`: groups of GROUP_SIZE "
      "threads, called groups in sizes.\n" +
      parameter_comments(kernel, describe);
  std::string parameters, addresses;
  for (const Parameter& parameter : kernel.parameters) {
    parameters += ", " + type_of(parameter) + " " + parameter.name;
    addresses +=
        (addresses.empty() ? "" : ", ") + std::string("kc_address(") + parameter.name + ")";
  }
  return comment + "[[maybe_unused]] static sycl::event launch_" + kernel.name +
         "(sycl::queue& kc_queue, u32 kc_groups" + parameters + ")\n{\n  void* kc_arguments[] = {" +
         addresses + "};\n  return " + kernel.name +
         "_entry.launch(kc_queue, kc_groups, kc_arguments);\n}\n";
}

std::string functions_of(std::string_view text, const DescribeParameter& describe) {
  const auto kernels = read_signatures(text);
  if (!kernels.ok()) return "#error \"" + kernels.status().text() + "\"\n";
  std::string functions =
      "#line 1 \"kernel/sycl_functions.prelude\"\nnamespace kernelc {\n"
      "template <class T> void* kc_address(T& value)\n{\n"
      "  return const_cast<void*>(static_cast<const volatile void*>(&value));\n}\n";
  for (const Signature& kernel : *kernels) functions += function_of(kernel, describe);
  return functions + "}  // namespace kernelc\n";
}

// Returns the name of the macro that a line defines; "" if it defines none.
std::string_view macro_of(std::string_view line) {
  constexpr std::string_view word = "#define ";
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  if (!line.starts_with(word)) return "";
  line.remove_prefix(word.size());
  return line.substr(0, line.find_first_not_of(letters));
}

// The next program has macros of the same names.
std::string without_macros(std::string_view text) {
  std::set<std::string_view> names = {"GROUP_SIZE", "kernelc"};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (const auto name = macro_of(text.substr(at, end - at)); !name.empty()) names.insert(name);
    at = end + 1;
  }
  std::string lines;
  for (const std::string_view name : names) lines.append("#undef ").append(name).append("\n");
  return lines;
}

// The sizes that comments name, for the program that includes the header: its macros are gone then.
// A number that is defined twice is none of them.
std::string constants_of(std::string_view text, const std::string& group_size) {
  constexpr std::string_view define = "#define PIPELINE_";
  std::map<std::string_view, std::set<std::string_view>> values = {{"GROUP_SIZE", {group_size}}};
  for (std::size_t at = text.find(define); at != std::string_view::npos;
       at = text.find(define, at + 1)) {
    const std::size_t begin = at + std::string_view("#define ").size();
    const std::string_view line =
        text.substr(begin, std::min(text.find('\n', at), text.size()) - begin);
    const std::size_t name = std::min(line.find(' '), line.size() - 1);
    values[line.substr(0, name)].insert(line.substr(name + 1));
  }
  std::string constants;
  for (const auto& [name, all] : values) {
    const std::string_view value = all.size() == 1 ? *all.begin() : "";
    if (!value.empty() && value.find_first_not_of("0123456789u") == std::string_view::npos)
      constants += "constexpr std::uint32_t " + std::string(name) + " = " +
                   std::string(value.substr(0, value.find('u'))) + ";\n";
  }
  return constants;
}

}  // namespace

// Equal names in two programs would break the one-definition rule, so each program has its own
// namespace. The headers that the text includes come before the macro, which would rename things in
// them.
std::string sycl_header(std::string_view text, std::uint32_t group_size,
                        const DescribeParameter& describe) {
  const std::string size = std::to_string(group_size);
  const std::string name = "kernelc_" + content_hash(std::string(text) + size).hex().substr(0, 16);
  const std::string guard = "PENSTOCK_" + name;
  return "// A header for SYCL 2020 programs, which needs nothing else. Include it, and call\n"
         "// " +
         name +
         "::launch_<kernel>(), at its end, with a sycl::queue\n"
         "// and USM pointers. Compile with -ffp-contract=off for results that equal the host's.\n"
         "#ifndef " +
         guard + "\n#define " + guard +
         "\n"
         "#include <sycl/sycl.hpp>\n#include <cstddef>\n#include <cstdint>\n#include <tuple>\n"
         "#include <type_traits>\n#include <utility>\n"
         "#define kernelc " +
         name +
         "\n#undef GROUP_SIZE\n"
         "#define GROUP_SIZE " +
         size + "  // threads of a group\n" + std::string(text) + functions_of(text, describe) +
         without_macros(text) + "namespace " + name + " {  // sizes that comments name\n" +
         constants_of(text, size) + "}  // namespace " + name + "\n#endif  // " + guard + "\n";
}

}  // namespace penstock::kernel
