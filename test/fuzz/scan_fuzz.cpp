// The scan of tile counts in any size, with races and barriers checked; a model for fuzzing any
// kernel. GROUP_SIZE is small, so that tails and empty runs are common.
#define GROUP_SIZE 8
// clang-format off
#include "kernel/common.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
namespace kernelc {
#include "kernel/group.kc"
#include "assembled/fuse/kernels/scan.kc"
}
// clang-format on
#include "kernel_c/executor.hpp"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes < 2) return 0;
  std::vector<std::uint32_t> counts;
  for (std::size_t i = 1; i < bytes; i++) counts.push_back(data[i] * 0x1000001u);
  counts.shrink_to_fit();
  std::vector<std::uint64_t> starts(counts.size(), ~std::uint64_t{0}), total(1);
  kernelc::LaunchOptions options;
  options.order = static_cast<kernelc::Order>(data[0] % 3);
  options.seed = data[0];
  options.watched = {{starts.data(), starts.size() * 8, "tile_starts"},
                     {total.data(), 8, "kept_count"}};
  const kernelc::Findings findings =
      kernelc::launch_with(kernelc::pipeline_scan_entry, 1, options, counts.data(), starts.data(),
                           total.data(), static_cast<std::uint32_t>(counts.size()));
  for (const std::string& sentence : findings) std::fprintf(stderr, "%s\n", sentence.c_str());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); i++) {
    if (starts[i] != sum)
      std::fprintf(stderr, "start %zu is %llu, not %llu\n", i,
                   static_cast<unsigned long long>(starts[i]),
                   static_cast<unsigned long long>(sum)),
          std::abort();
    sum += counts[i];
  }
  if (!findings.empty() || total[0] != sum) std::abort();
  return 0;
}
