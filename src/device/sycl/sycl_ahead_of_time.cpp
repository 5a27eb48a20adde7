// Programs that came with the plug-in. Translated for a device at their first launch, they serve
// every device of one sub-group size, so their keys have no more of it.
#include <cstdlib>

#include "device/architecture.hpp"
#include "device/program_source.hpp"
#include "device/sycl/compiler_identity.hpp"
#include "device/sycl/sycl_device.hpp"

namespace penstock::sycl_plugin {
namespace {

// The traits that a program depends on; its policy is in its text.
Traits common_traits(const Context& context) {
  Traits common;
  common.target = Target::sycl;
  common.compiler = context.traits.compiler;
  return common;
}

// The options without the compiler's own path, but for one that the user names.
std::vector<std::string> common_options(const Context& context, bool fast_math) {
  std::vector<std::string> options = compiler_options(context, fast_math);
  if (!std::getenv("PENSTOCK_SYCL_COMPILER") && !options.empty() && options[0][0] != '-')
    options.erase(options.begin());
  const std::vector<std::string> environment = compiler_environment();
  options.insert(options.end(), environment.begin(), environment.end());
  options.push_back("interface " + std::to_string(PENSTOCK_SYCL_INTERFACE_VERSION));
  options.push_back("SUBGROUP_SIZE=" + subgroup_size_of(context));
  if (device::has_nvvm(context.traits)) options.push_back("KC_HAS_NVVM=1");
  return options;
}

}  // namespace

device::AheadOfTime programs_ahead_of_time(const Context& context, const ProgramSource& source) {
  const std::vector<std::string> options =
      device::key_options(common_options(context, source.fast_math), source);
  device::AheadOfTime ahead =
      device::shipped_programs("PENSTOCK_SYCL_PROGRAMS", "libpenstock_sycl.programs",
                               reinterpret_cast<const void*>(context.api.load_module));
  ahead.key = device::cache_key(common_traits(context), options, source);
  return ahead;
}

}  // namespace penstock::sycl_plugin
