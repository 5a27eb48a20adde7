#include "device/cpu/cpu_object.hpp"

#include <dlfcn.h>

#include <atomic>

#include "device/cpu/cpu_host_functions.hpp"
#include "device/cpu/stack_header.hpp"

namespace penstock::cpu {

std::string new_object_name() {
  static std::atomic<std::uint64_t> number{0};
  return "program" + std::to_string(number++) + ".so";
}

Result<std::shared_ptr<const Object>> Object::open(const device::CompileFolder& folder,
                                                   const std::string& name) {
  PENSTOCK_TRY(forbid_executable_stack(folder.path_of(name)));
  void* const handle = dlopen(folder.path_of(name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* const reason = dlerror();
    return Status(Code::io, std::string("cannot load a compiled kernel: ") +
                                (reason ? reason : name.c_str()));
  }
  std::shared_ptr<const Object> object(new Object(handle));
  auto* const host = static_cast<const void**>(dlsym(handle, "kc_host"));
  if (!host) return Status(Code::io, "a compiled program has no table of functions");
  *host = host_functions();
  return object;
}

Object::~Object() { dlclose(handle_); }

Object::Kernel Object::kernel(const std::string& name) const {
  return {reinterpret_cast<RunGroups>(dlsym(handle_, ("kc_run_" + name).c_str())),
          static_cast<const std::uint32_t*>(dlsym(handle_, ("kc_bytes_" + name).c_str()))};
}

}  // namespace penstock::cpu
