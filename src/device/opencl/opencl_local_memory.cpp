#include "device/opencl/opencl_local_memory.hpp"

#include <array>
#include <mutex>
#include <set>

#include "device/resident_groups.hpp"

namespace penstock::opencl {
namespace {

// The driver's compiler takes 4 bytes of a group's local memory for itself.
constexpr std::uint64_t compiler_bytes = 64;

// All of the local memory is written, and read by other threads.
std::string source_of(std::uint64_t bytes) {
  return "#define WORDS " + std::to_string(bytes / 4) + "u\n" + R"(
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void check(__global uint* sums)
{
  __local uint words[WORDS];
  const uint id = (uint)get_local_id(0);
  for (uint i = id; i < WORDS; i += 64u) words[i] = i * 2654435761u + sums[id];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0;
  for (uint i = 63u - id; i < WORDS; i += 64u) sum += words[i];
  sums[id] = sum;
}
)";
}

std::uint32_t wanted_sum(std::uint32_t thread, std::uint64_t bytes) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 63 - thread; i < bytes / 4; i += 64) sum += i * 2654435761u;
  return sum;
}

// The handles of one run.
struct Check {
  const Context& context;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem sums = nullptr;
  ~Check() {
    if (sums) context.api.clReleaseMemObject(sums);
    if (kernel) context.api.clReleaseKernel(kernel);
    if (program) context.api.clReleaseProgram(program);
  }

  bool build(std::uint64_t bytes) {
    BuildOutcome built = build_source(context, {source_of(bytes), "-cl-std=CL1.2"});
    program = built.program;
    if (built.code != CL_SUCCESS) return false;
    cl_int outcome = CL_SUCCESS;
    kernel = context.api.clCreateKernel(program, "check", &outcome);
    return outcome == CL_SUCCESS;
  }

  bool run(std::uint64_t bytes) {
    const Api& api = context.api;
    std::array<std::uint32_t, 64> values{};
    cl_int outcome = CL_SUCCESS;
    sums = api.clCreateBuffer(context.context, CL_MEM_READ_WRITE, sizeof values, nullptr, &outcome);
    const std::size_t threads = values.size();
    if (outcome != CL_SUCCESS ||
        api.clEnqueueWriteBuffer(context.host_queue, sums, 1, 0, sizeof values, values.data(), 0,
                                 nullptr, nullptr) != CL_SUCCESS ||
        api.clSetKernelArg(kernel, 0, sizeof(cl_mem), &sums) != CL_SUCCESS ||
        api.clEnqueueNDRangeKernel(context.host_queue, kernel, 1, nullptr, &threads, &threads, 0,
                                   nullptr, nullptr) != CL_SUCCESS ||
        api.clEnqueueReadBuffer(context.host_queue, sums, 1, 0, sizeof values, values.data(), 0,
                                nullptr, nullptr) != CL_SUCCESS)
      return false;
    for (std::uint32_t thread = 0; thread < threads; thread++)
      if (values[thread] != wanted_sum(thread, bytes)) return false;
    return true;
  }
};

// Devices of this process that have passed. A failure is not kept: the device may have been full.
std::mutex passed_mutex;
std::set<std::string>& passed() {
  static std::set<std::string>& names = *new std::set<std::string>;
  return names;
}
bool is_known(const Traits& traits) {
  const std::lock_guard guard(passed_mutex);
  return passed().contains(traits.architecture + ", " + traits.driver);
}
void remember(const Traits& traits) {
  const std::lock_guard guard(passed_mutex);
  passed().insert(traits.architecture + ", " + traits.driver);
}

}  // namespace

std::uint64_t usable_local_bytes(const Context& context) {
  const Traits& traits = context.traits;
  const device::Multiprocessor all = device::multiprocessor_of(traits);
  if (traits.is_cpu || all.local_bytes <= traits.local_bytes + all.bytes_per_group + compiler_bytes)
    return traits.local_bytes;
  const std::uint64_t bytes = all.local_bytes - all.bytes_per_group - compiler_bytes;
  if (is_known(traits)) return bytes;
  Check check{context};
  if (!check.build(bytes) || !check.run(bytes)) return traits.local_bytes;
  remember(traits);
  return bytes;
}

}  // namespace penstock::opencl
