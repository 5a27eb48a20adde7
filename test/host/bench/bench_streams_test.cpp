// `penstock bench streams` times right outputs on a device with warps. The CPU devices that run the
// bench in other tests have none.
#include <random>

#include <gtest/gtest.h>

#include "bench/bench_streams.hpp"
#include "kernel_c/host_device.hpp"

namespace penstock::bench {
namespace {

constexpr std::size_t block_bytes = 64 << 10;

// Lines, then bytes that do not compress, so that their block is stored, and lines again.
Bytes text_of_three_blocks() {
  Bytes text(2 * block_bytes + 5000, 'x');
  const std::string line = "a line that comes again\n";
  for (std::size_t i = 0; i < 20'000; i++) text[i] = line[i % line.size()];
  std::mt19937 random(1);
  for (std::size_t i = block_bytes; i < 2 * block_bytes; i++) text[i] = static_cast<char>(random());
  std::copy(text.begin() + 100, text.begin() + 5000, text.begin() + 2 * block_bytes);
  return text;
}

TEST(BenchStreams, WarpsDecodeEachKind) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device({.subgroup_size = 32});
  for (const StreamKind& kind : stream_kinds()) {
    SCOPED_TRACE(kind.name);
    ASSERT_TRUE(kind.fits(device->traits()));
    StreamsOptions options;
    options.block_bytes = block_bytes;
    const auto bench = kind.open(device, text_of_three_blocks(), options);
    ASSERT_TRUE(bench.ok()) << bench.status().text();
    const Status right = (*bench)->verify();
    EXPECT_TRUE(right.ok()) << right.text();
    const auto seconds = (*bench)->peer_seconds();
    EXPECT_TRUE(seconds.ok()) << seconds.status().text();
  }
}

}  // namespace
}  // namespace penstock::bench
