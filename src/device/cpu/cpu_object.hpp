// A shared object of kernels in the process.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/compile_folder.hpp"
#include "penstock/status.hpp"

namespace penstock::cpu {

// Runs groups [first, end) of `count`. Arguments are addresses of pointers and of values.
using RunGroups = void (*)(const void* const* arguments, std::uint32_t first, std::uint32_t end,
                           std::uint32_t count);

class Object {
 public:
  // Opens `name` in a folder, which the object does not need any more then.
  static Result<std::shared_ptr<const Object>> open(const device::CompileFolder& folder,
                                                    const std::string& name);
  ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  struct Kernel {
    RunGroups run = nullptr;
    const std::uint32_t* value_bytes = nullptr;  // of each parameter: 0 for a buffer
  };
  Kernel kernel(const std::string& name) const;  // without `run` where there is none of that name

 private:
  explicit Object(void* handle) : handle_(handle) {}
  void* handle_;
};

// The number after the last parameter in Kernel::value_bytes.
constexpr std::uint32_t end_of_parameters = 0xffffffff;

// Returns a name for a file that no other object of this process has: the dynamic linker takes a
// name that it knows for the object that it has.
std::string new_object_name();

}  // namespace penstock::cpu
