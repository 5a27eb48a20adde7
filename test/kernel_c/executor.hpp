// Runs Kernel C on the host: the reference that other devices are compared with, and the place
// where kernels are searched for defects. Include after a host text, or after kernel/host.prelude
// with the kernels in namespace kernelc (see test/fuzz).
//
// Each thread of a group is a fiber; BARRIER passes on to the next. Groups run one after
// another. Local memory is an exact heap block filled with 0xA5 at the start of each group. The
// executor finds barriers that not all threads of a group reach, or reach at different places. It
// finds races if the kernel's text is compiled by clang with `sanitizer_flags` of CMakeLists.txt.
// Address- and UndefinedBehaviorSanitizer find everything else, given that each buffer is a heap
// block of exactly its size.
#pragma once
#include <string_view>
#include <vector>

#include "shadow.hpp"

namespace kernelc {

enum class Order {
  forward,
  reverse,
  shuffled
};  // in which the threads of a group take their turns
struct MemoryRange {
  const void* begin;
  std::size_t bytes;
  std::string name;
};

struct LaunchOptions {
  Order order = Order::forward;
  u32 seed = 1;                      // of Order::shuffled
  std::vector<MemoryRange> watched;  // races in it are reported, as they always are in local memory
};

// Sentences about defects, empty when there are none. After a diverged barrier the rest of the
// launch is not run.
using Findings = std::vector<std::string>;
// arguments: for each parameter a pointer to the pointer (IN, OUT, ATOMIC) or to the value (VALUE).
Findings launch(const KernelEntry& kernel, u32 groups, void** arguments,
                const LaunchOptions& options = {});
// The thread that runs: for texts with barriers that do not name their thread.
WORK current_work();
const KernelEntry* find_kernel(std::string_view name);

// launch(kernel, groups, arguments...) with the arguments themselves.
template <class... A>
Findings launch_with(const KernelEntry& kernel, u32 groups, const LaunchOptions& options,
                     A... arguments) {
  void* pointers[] = {&arguments...};
  return launch(kernel, groups, pointers, options);
}

}  // namespace kernelc
