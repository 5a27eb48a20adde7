#include "device/sycl/sycl_api.hpp"

#include <cstdlib>
#include <filesystem>

#include "device/library.hpp"

namespace penstock::sycl_plugin {
namespace {

constexpr const char* plugin_name = "libpenstock_sycl.so";

// PENSTOCK_SYCL_PLUGIN, or beside the program, or where the dynamic linker looks for the program's
// libraries, which an installed program's run path says.
Result<const Api*> find_plugin() {
  if (const char* const asked = std::getenv("PENSTOCK_SYCL_PLUGIN"); asked && *asked)
    return open_plugin(asked);
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (const auto beside = program.parent_path() / plugin_name;
      !error && std::filesystem::exists(beside, error))
    return open_plugin(beside.string());
  return open_plugin(plugin_name);
}

Code code_of(int code) {
  switch (code) {
    case PENSTOCK_SYCL_INVALID:
    case PENSTOCK_SYCL_NO_KERNEL: return Code::invalid;
    case PENSTOCK_SYCL_NO_MEMORY: return Code::no_memory;
    case PENSTOCK_SYCL_LOST: return Code::device_lost;
    case PENSTOCK_SYCL_UNSUPPORTED: return Code::unsupported;
    default: return Code::internal;
  }
}

// Returns the name of the first function that a table lacks; null if it is complete.
const char* missing_function(const Api& api) {
#define PENSTOCK_NAMED_(name) \
  if (api.name == nullptr) return #name
  PENSTOCK_NAMED_(compiler_command);
  PENSTOCK_NAMED_(compiler_version);
  PENSTOCK_NAMED_(device_count);
  PENSTOCK_NAMED_(device_info);
  PENSTOCK_NAMED_(open_device);
  PENSTOCK_NAMED_(open_device_of_queue);
  PENSTOCK_NAMED_(close_device);
  PENSTOCK_NAMED_(allocate);
  PENSTOCK_NAMED_(release);
  PENSTOCK_NAMED_(check_memory);
  PENSTOCK_NAMED_(make_queue);
  PENSTOCK_NAMED_(borrow_queue);
  PENSTOCK_NAMED_(free_queue);
  PENSTOCK_NAMED_(copy);
  PENSTOCK_NAMED_(fill);
  PENSTOCK_NAMED_(launch);
  PENSTOCK_NAMED_(flush);
  PENSTOCK_NAMED_(finish);
  PENSTOCK_NAMED_(record);
  PENSTOCK_NAMED_(wait_for);
  PENSTOCK_NAMED_(wait);
  PENSTOCK_NAMED_(end_nanoseconds);
  PENSTOCK_NAMED_(free_event);
  PENSTOCK_NAMED_(load_module);
  PENSTOCK_NAMED_(find_kernel);
  PENSTOCK_NAMED_(free_module);
#undef PENSTOCK_NAMED_
  return nullptr;
}

}  // namespace

Result<const Api*> open_plugin(const std::string& name) {
  const auto library = device::Library::open({name});
  if (!library.ok())
    return Status(Code::no_device,
                  "SYCL: no plug-in (" + library.status().message() +
                      "); it is built with Penstock where CMake finds AdaptiveCpp or icpx");
  const auto entry = reinterpret_cast<penstock_sycl_entry>(library->symbol(PENSTOCK_SYCL_ENTRY));
  if (!entry)
    return Status(Code::no_device, "SYCL: " + name + " is no plug-in: it has no function " +
                                       std::string(PENSTOCK_SYCL_ENTRY));
  const Api* const table = entry();
  if (!table || table->version != PENSTOCK_SYCL_INTERFACE_VERSION)
    return Status(Code::no_device,
                  "SYCL: the plug-in " + name + " has version " +
                      (table ? std::to_string(table->version) : std::string("none")) + ", not " +
                      std::to_string(PENSTOCK_SYCL_INTERFACE_VERSION) +
                      ": build it with this Penstock");
  if (const char* const missing = missing_function(*table))
    return Status(Code::no_device, "SYCL: the plug-in " + name + " lacks " + std::string(missing));
  return table;
}

const Result<const Api*>& api() {
  // Kept for ever: buffers may be released while statics are destroyed.
  static const Result<const Api*>& bound = *new Result<const Api*>(find_plugin());
  return bound;
}

Status status_of(int code, const penstock_sycl_error& error, const char* call) {
  if (code == 0) return {};
  return Status(code_of(code), std::string("SYCL ") + call + ": " + error.text);
}

}  // namespace penstock::sycl_plugin
