// A plug-in of SYCL that is incomplete in the way that PENSTOCK_FAKE_SYCL_FAULT says.
#include <cstdlib>
#include <string_view>

#include "device/sycl/plugin/sycl_interface.hpp"

extern "C" const penstock_sycl_interface* penstock_sycl_plugin() {
  const char* const value = std::getenv("PENSTOCK_FAKE_SYCL_FAULT");
  const std::string_view fault = value ? value : "";
  static penstock_sycl_interface table = {};
  table.version = PENSTOCK_SYCL_INTERFACE_VERSION + (fault == "version" ? 1 : 0);
  table.compiler_command = "none";
  table.compiler_version = "none";
  return fault == "table" ? nullptr : &table;
}
