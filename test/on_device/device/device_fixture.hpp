// Shared by the device tests: every device, a private cache directory, and a few words that spell
// one text for all drivers.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "kernel/kernel_source.hpp"
#include "kernel_c/host_device.hpp"
#include "penstock/device.hpp"
#include "take.hpp"

// Read by LeakSanitizer where a build has it: PoCL 3.1 loses 16 bytes a process when it compiles.
extern "C" inline __attribute__((used)) const char* __lsan_default_suppressions() {
  return "leak:libpocl\n";
}

namespace penstock {

// Returns a parameter of C as Kernel C has it: IN(unsigned, a) of "GLOBAL const unsigned* a".
inline std::string kernel_c_parameter(const std::string& of_c) {
  std::smatch parts;
  if (!std::regex_match(
          of_c, parts,
          std::regex(R"(\s*(GLOBAL\s+)?(const\s+|volatile\s+)?(\w+)\s*(\*?)\s*(\w+)\s*)")))
    return of_c;
  const bool is_const = parts[2].str().starts_with("const");
  const char* kind = parts[4].length() == 0 ? "VALUE" : is_const ? "IN" : "OUT";
  return std::string(kind) + "(" + parts[3].str() + ", " + parts[5].str() + ")";
}

// SYCL and C have no kernels without types of parameters and local memory: the words become Kernel
// C's.
inline std::string kernel_c_source(Target target, const std::string& body) {
  std::string text, rest = body;
  const std::regex head(R"(KERNEL (\w+)\(([^)]*)\))");
  for (std::smatch found; std::regex_search(rest, found, head); rest = found.suffix()) {
    text += found.prefix().str() + "KERNEL(" + found[1].str() + ", TestTile";
    std::istringstream parameters(found[2].str());
    for (std::string each; std::getline(parameters, each, ',');)
      text += ", " + kernel_c_parameter(each);
    text += ")";
  }
  text += rest;
  text = std::regex_replace(text, std::regex(R"(LOCAL unsigned tile\[GROUP_SIZE\];)"), "");
  text = std::regex_replace(text, std::regex(R"(\btile\[)"), "tile->values[");
  text = std::regex_replace(text, std::regex("BARRIER;"), "BARRIER(work);");
  return kernel::assemble(target, {{{"test.kc",
                                     "#define GROUP GROUP_ID(work)\n"
                                     "#define THREAD LOCAL_ID(work)\n"
                                     "#define AT (GROUP * GROUP_SIZE + THREAD)\n"
                                     "typedef struct { u32 values[GROUP_SIZE]; } TestTile;\n" +
                                         text}}});
}

inline std::string source_for(Target target, const std::string& body) {
  if (target == Target::sycl || target == Target::cpu) return kernel_c_source(target, body);
  const char* cuda =
      "#define KERNEL extern \"C\" __global__ void\n#define GLOBAL\n#define LOCAL __shared__\n"
      "#define GROUP blockIdx.x\n#define THREAD threadIdx.x\n#define BARRIER __syncthreads()\n";
  const char* opencl =
      "#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void\n"
      "#define GLOBAL __global\n#define LOCAL __local\n#define GROUP ((uint)get_group_id(0))\n"
      "#define THREAD ((uint)get_local_id(0))\n"
      "#define BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)\n";
  return (target == Target::cuda ? cuda : opencl) +
         std::string("#define AT (GROUP * GROUP_SIZE + THREAD)\n") + body;
}

inline const char* const basic_body = R"(
KERNEL add(GLOBAL const unsigned* a, GLOBAL unsigned* b, unsigned more, unsigned count) {
  if (AT < count) b[AT] = a[AT] + more;
}
KERNEL reverse_group(GLOBAL unsigned* a) {
  LOCAL unsigned tile[GROUP_SIZE];
  tile[THREAD] = a[AT];
  BARRIER;
  a[AT] = tile[GROUP_SIZE - 1 - THREAD];
}
KERNEL spin(GLOBAL unsigned* a, unsigned rounds, unsigned count) {
  if (AT >= count) return;
  unsigned x = a[AT];
  for (unsigned i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
  a[AT] = x;
}
KERNEL multiply_add(GLOBAL const float* a, GLOBAL const float* b, GLOBAL const float* c, GLOBAL float* d, GLOBAL float* e) {
  d[AT] = a[AT] * b[AT] + c[AT];
  e[AT] = a[AT] / b[AT];
}
)";

// The threads of a group of these tests: a CPU's own driver has groups of one.
inline std::uint32_t threads_of(const Device& device, std::uint32_t wanted = 64) {
  return std::min(wanted, device.traits().max_group_size);
}

template <class T>
Result<std::shared_ptr<Buffer>> on_device(Device& device, Queue& queue,
                                          const std::vector<T>& values) {
  PENSTOCK_ASSIGN(auto buffer,
                  device.allocate(std::max<std::size_t>(values.size() * sizeof(T), 64)));
  PENSTOCK_TRY(queue.upload(*buffer, values.data(), values.size() * sizeof(T)));
  return buffer;
}

// A path of this process alone, so that parts of a program's tests run side by side.
inline std::string own_path(const std::string& name) {
  return ::testing::TempDir() + "penstock-" + std::to_string(::getpid()) + "-" + name;
}

// A cache of the program's own: made before the first build, removed at the end.
class EmptyCacheDirectory : public ::testing::Environment {
 public:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "penstock-device-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
    setenv("PENSTOCK_CACHE_DIR", path_.c_str(), 1);
  }
  // A compiler in the background may still write there.
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

 private:
  std::string path_;
};
// CTest names a cache that all tests share (test/CMakeLists.txt). A program that runs alone makes
// one, and leaves the user's as it was.
inline const auto* const cache_directory =
    getenv("PENSTOCK_CACHE_DIR") ? nullptr
                                 : ::testing::AddGlobalTestEnvironment(new EmptyCacheDirectory);

// Every device found. PENSTOCK_HOST_TARGET in the environment: the host executor instead, which
// runs the texts of that target (kernel_c/host_device.hpp).
inline std::vector<std::shared_ptr<Device>> devices_under_test() {
  if (getenv("PENSTOCK_HOST_TARGET") != nullptr) return {kernel::make_host_device({})};
  std::vector<std::shared_ptr<Device>> devices;
  std::vector<std::string> notes;
  for (const Traits& traits : list_devices(&notes)) {
    auto device = open_device(traits.id);
    EXPECT_TRUE(device.ok()) << device.status().text();
    if (device.ok()) devices.push_back(std::move(device).value());
  }
  for (const std::string& note : notes) EXPECT_FALSE(devices.empty()) << note;
  return devices;
}

// Runs a body for every device. A machine without any is a failed test: the set-up installs
// compilers for the CPU, and PoCL. The body takes what keeps the device.
template <class Body> void on_each_shared(Body body) {
  const auto devices = devices_under_test();
  ASSERT_FALSE(devices.empty());
  for (const std::shared_ptr<Device>& device : devices) {
    SCOPED_TRACE(device->traits().id + " " + device->traits().name);
    body(device);
  }
}

template <class Body> void on_each_device(Body body) {
  on_each_shared([&](const std::shared_ptr<Device>& device) { body(*device); });
}

// The same for devices with many threads in a group, as some variants want: all but cpu:0.
template <class Body> void on_each_shared_of_groups(Body body) {
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    if (device->traits().max_group_size > 1) body(device);
  });
}

template <class Body> void on_each_device_of_groups(Body body) {
  on_each_shared_of_groups([&](const std::shared_ptr<Device>& device) { body(*device); });
}

#define EXPECT_OK(...)                                                    \
  do {                                                                    \
    const auto outcome_ = (__VA_ARGS__);                                  \
    EXPECT_TRUE(outcome_.ok()) << ::penstock::status_of(outcome_).text(); \
  } while (false)
#define ASSERT_OK(...)                                                    \
  do {                                                                    \
    const auto outcome_ = (__VA_ARGS__);                                  \
    ASSERT_TRUE(outcome_.ok()) << ::penstock::status_of(outcome_).text(); \
  } while (false)

}  // namespace penstock
