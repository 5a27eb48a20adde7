// A decoding variant fits a device if all its phases have the local memory and the threads that
// they need.
#include <gtest/gtest.h>

#include "codec/lz4/kernels/lz4_limits.h"
#include "codec/snappy/kernels/snappy_limits.h"
#include "penstock/batch.hpp"

namespace penstock::batch {
namespace {

using Names = std::vector<std::string>;

Traits traits_of(bool is_cpu, std::uint64_t local_bytes, std::uint32_t max_group_size) {
  Traits traits;
  traits.is_cpu = is_cpu, traits.local_bytes = local_bytes, traits.max_group_size = max_group_size;
  return traits;
}

TEST(ChunkVariants, APhaseOfThreadsPerChunkHasTheLocalMemoryOfAChunk) {
  constexpr std::uint64_t tree_bytes =
      4 * 1244;  // of the literals of a Zstandard frame, the most of its phases
  const Names both = {"zstd_decode_warp", "zstd_decode_thread"};
  EXPECT_EQ(Decoder::variants(Format::zstd, traits_of(false, tree_bytes, 256)), both);
  EXPECT_EQ(Decoder::variants(Format::zstd, traits_of(false, tree_bytes - 1, 256)), Names());
  EXPECT_EQ(Decoder::variants(Format::zstd, traits_of(true, tree_bytes, 1)),
            Names{"zstd_decode_thread"});
  EXPECT_EQ(Decoder::variants(Format::zstd, traits_of(true, tree_bytes - 1, 1)), Names());
}

TEST(ChunkVariants, APhaseOfThreadsPerChunkHasAsManyThreadsAsAChunk) {
  EXPECT_EQ(Decoder::variants(Format::zstd, traits_of(false, 32 << 10, 3)), Names());
  EXPECT_EQ(Decoder::variants(Format::zstd, traits_of(false, 32 << 10, 4)),
            Names{"zstd_decode_thread"});
}

TEST(ChunkVariants, AWarpHasItsLocalMemory) {
  const auto of_lz4 = [](std::uint64_t local_bytes) {
    return Decoder::variants(Format::lz4, traits_of(false, local_bytes, 32));
  };
  EXPECT_EQ(of_lz4(LZ4_DECODE_WARP_BYTES),
            (Names{"lz4_decode_warp", "lz4_decode_thread", "lz4_decode_segments"}));
  EXPECT_EQ(of_lz4(LZ4_DECODE_WARP_BYTES - 1), (Names{"lz4_decode_thread", "lz4_decode_segments"}));
  EXPECT_EQ(of_lz4(LZ4_SOURCE_WARP_BYTES - 1), Names{"lz4_decode_thread"});
  EXPECT_EQ(Encoder::variants(Format::deflate, traits_of(false, 13311, 32)), Names());
}

TEST(ChunkVariants, LargeAndDependentLz4BlocksAreSplitIntoSegments) {
  const Traits gpu = traits_of(false, 48 << 10, 1024), cpu = traits_of(true, 48 << 10, 1);
  const auto first = [&](Requirements requirements) {
    return Decoder::variants(Format::lz4, gpu, requirements).front();
  };
  EXPECT_EQ(first({}), "lz4_decode_warp");
  EXPECT_EQ(first({.max_output_bytes = 65536}), "lz4_decode_warp");
  EXPECT_EQ(first({.max_output_bytes = 4 << 20}), "lz4_decode_segments");
  EXPECT_EQ(Decoder::variants(Format::lz4, gpu, {65536, true}), Names{"lz4_decode_segments"});
  EXPECT_EQ(Decoder::variants(Format::lz4, cpu, {65536, true}), Names());
  EXPECT_EQ(Decoder::variants(Format::snappy, gpu, {65536, true}), Names());
}

TEST(ChunkVariants, LargeSnappyBlocksAreSplitIntoSegmentsWhereThereAreWarps) {
  const Traits gpu = traits_of(false, 48 << 10, 1024), cpu = traits_of(true, 48 << 10, 1);
  const auto first = [&](const Traits& traits, std::uint64_t max_output_bytes) {
    return Decoder::variants(Format::snappy, traits, {max_output_bytes}).front();
  };
  EXPECT_EQ(first(gpu, 65536), "snappy_decode_warp");
  EXPECT_EQ(first(gpu, 1 << 20), "snappy_decode_segments");
  EXPECT_EQ(first(cpu, 1 << 20), "snappy_decode_thread");
  EXPECT_EQ(first(traits_of(false, SNAPPY_DECODE_WARP_BYTES - 1, 32), 1 << 20),
            "snappy_decode_thread");
}

}  // namespace
}  // namespace penstock::batch
