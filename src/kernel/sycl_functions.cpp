#include "kernel/sycl_functions.hpp"

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

std::string_view use_of(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::in: return "USM memory that is read";
    case ParameterKind::out: return "USM memory that is written, and may be read";
    case ParameterKind::atomic: return "USM memory that atomics change";
    case ParameterKind::value: return "a value";
  }
  return "";
}

std::string function_of(const Signature& kernel) {
  std::string comment = "// Enqueues `" + kernel.name +
                        "` and returns its event; the queue should be in order. `groups`: groups "
                        "of GROUP_SIZE threads.\n";
  std::string parameters, addresses;
  for (const Parameter& parameter : kernel.parameters) {
    comment += "//   " + parameter.name + ": " + std::string(use_of(parameter)) + "\n";
    parameters += ", " + type_of(parameter) + " " + parameter.name;
    addresses +=
        (addresses.empty() ? "" : ", ") + std::string("kc_address(") + parameter.name + ")";
  }
  return comment + "[[maybe_unused]] static sycl::event launch_" + kernel.name +
         "(sycl::queue& kc_queue, u32 kc_groups" + parameters + ")\n{\n  void* kc_arguments[] = {" +
         addresses + "};\n  return " + kernel.name +
         "_entry.launch(kc_queue, kc_groups, kc_arguments);\n}\n";
}

}  // namespace

std::string sycl_header_begin(std::uint32_t group_size) {
  return "// A header for SYCL 2020 programs, which needs nothing else. Include it, and call\n"
         "// kernelc::launch_<kernel>(), at its end, with a sycl::queue and USM pointers. Compile\n"
         "// with -ffp-contract=off for results that equal the host's.\n"
         "#ifndef GROUP_SIZE\n#define GROUP_SIZE " +
         std::to_string(group_size) + "  // threads of a group\n#endif\n";
}

std::string sycl_functions(std::string_view text) {
  const auto kernels = read_signatures(text);
  if (!kernels.ok()) return "#error \"" + kernels.status().text() + "\"\n";
  std::string functions =
      "#line 1 \"kernel/sycl_functions.prelude\"\nnamespace kernelc {\n"
      "template <class T> void* kc_address(T& value)\n{\n"
      "  return const_cast<void*>(static_cast<const volatile void*>(&value));\n}\n";
  for (const Signature& kernel : *kernels) functions += function_of(kernel);
  return functions + "}  // namespace kernelc\n";
}

}  // namespace penstock::kernel
