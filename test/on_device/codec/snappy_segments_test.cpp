// Large Snappy blocks by several warps each (snappy_decode_segments), against libsnappy and the
// decoder that takes one tag after another.
#include <gtest/gtest.h>

#include <array>

#include "on_device/codec/snappy_blocks.hpp"

namespace penstock::batch {
namespace {

const Reference of_snappy_library = snappy_reference();
constexpr std::uint32_t segment_bytes = 65536;

// A block that is made tag by tag; its stated size is added last.
class GrowingBlock {
 public:
  explicit GrowingBlock(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
  std::uint32_t written() const { return written_; }
  void literals(std::uint32_t count) {
    const std::uint32_t least = count <= 60 ? 0 : count <= 256 ? 1 : count <= 65536 ? 2 : 3;
    tags_.literals(count, least + below(5 - least));
    written_ += count;
  }
  void copy(std::uint32_t count, std::uint32_t distance) {
    if (count >= 4 && count < 12 && distance < 2048 && below(4) != 0)
      tags_.near(count, distance);
    else if (distance < 65536 && below(4) != 0)
      tags_.far(count, distance);
    else
      tags_.farther(count, distance);
    written_ += count;
  }
  // With a stated size that is wrong by `lie`.
  Chunk ended(std::int32_t lie = 0) const {
    Bytes block = SnappyBlock(written_ + lie).bytes;
    block.insert(block.end(), tags_.bytes.begin() + 1, tags_.bytes.end());
    return {block, written_ + 100};
  }

 private:
  std::mt19937 random_;
  SnappyBlock tags_{0};
  std::uint32_t written_ = 0;
};

// Copies of any length with distances below `reach`, and few literals.
GrowingBlock crossing_block(std::uint32_t seed, std::uint32_t reach, std::uint32_t bytes) {
  GrowingBlock block(seed);
  block.literals(30);
  while (block.written() < bytes) {
    if (block.below(3) == 0) block.literals(1 + block.below(70));
    block.copy(1 + block.below(64), 1 + block.below(std::min(block.written(), reach)));
  }
  return block;
}

// Literals of lengths around those at which their number has another byte, and of several segments.
GrowingBlock block_of_literals(std::uint32_t seed) {
  constexpr std::array<std::uint32_t, 12> lengths = {1,   59,    60,    61,    256,   257,
                                                     300, 65535, 65536, 65537, 70000, 200000};
  GrowingBlock block(seed);
  for (std::uint32_t i = 0; i < 24; i++) {
    block.literals(lengths[block.below(block.below(4) == 0 ? 12 : 7)]);
    block.copy(1 + block.below(64), 1 + block.below(std::min(block.written(), 60000u)));
  }
  return block;
}

// Numbers of eight bytes below 2^24: tags at regular distances, so that chains do not meet.
Bytes prices_output(std::size_t bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  Bytes output(bytes);
  for (std::size_t i = 0; i < bytes; i++)
    if (i % 8 < 3) output[i] = static_cast<std::uint8_t>(random());
  return output;
}

// Outputs for libsnappy: text, runs, noise that becomes one literal a fragment, and all in turn.
std::vector<Bytes> outputs_of_segments() {
  std::vector<Bytes> outputs = {words_text(160'000, 1),      mixed_output(200'000, 2),
                                numbers_output(150'000, 3),  Bytes(300'000, 7),
                                random_output(200'000, 4),   words_text(2 * segment_bytes, 5),
                                words_text(segment_bytes, 6)};
  Bytes islands = words_text(60'000, 7);
  for (std::uint32_t i = 8; i < 11; i++) {
    const Bytes noise = random_output(i == 9 ? 70'000 : 9'000, i), words = words_text(30'000, i);
    islands.insert(islands.end(), noise.begin(), noise.end());
    islands.insert(islands.end(), words.begin(), words.end());
  }
  outputs.push_back(islands);
  outputs.push_back(prices_output(180'000, 12));
  return outputs;
}

std::vector<Chunk> damaged(const Chunk& chunk, std::uint32_t seed) {
  std::vector<Chunk> chunks = {{chunk.bytes, chunk.capacity - 101}, {chunk.bytes, 70'000}};
  std::mt19937 random(seed);
  for (int i = 0; i < 6; i++) {
    Bytes changed = chunk.bytes;
    changed[random() % changed.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
    if (i % 4 == 3) changed.resize(changed.size() - 1 - random() % (changed.size() / 2));
    chunks.push_back({changed, chunk.capacity + 5000});
  }
  return chunks;
}

// Expects the outputs of libsnappy, and errors at the bytes at which one thread finds them.
void expect_same(const Method& method, const std::vector<Chunk>& chunks) {
  TAKE(const auto ours, decoded(method, Format::snappy, chunks));
  TAKE(const auto theirs, decoded({method.device, "snappy_decode_thread"}, Format::snappy, chunks));
  for (std::size_t i = 0; i < chunks.size(); i++) {
    const std::optional<Bytes> expected = snappy_output(chunks[i]);
    EXPECT_EQ(ours[i].chunk_status.error == ErrorCode::none, expected.has_value()) << "chunk " << i;
    EXPECT_TRUE(!expected || ours[i].output == *expected) << "chunk " << i;
    EXPECT_EQ(ours[i].chunk_status.error, theirs[i].chunk_status.error) << "chunk " << i;
    EXPECT_EQ(ours[i].chunk_status.offset, theirs[i].chunk_status.offset) << "chunk " << i;
  }
}

// On the host, with one warp in a group, and on devices, with many.
class SnappySegments : public ::testing::TestWithParam<const kernel::HostDeviceOptions*> {
 protected:
  template <class Body> void on_each(Body body) const {
    const auto is_split = [&](const Method& method) {
      if (method.variant == "snappy_decode_segments") body(method);
    };
    if (GetParam() == nullptr)
      on_each_method(Format::snappy, is_split);
    else
      on_each_method_on_host(*GetParam(), Format::snappy, is_split);
  }
};

TEST_P(SnappySegments, LargeBlocksComeBack) {
  on_each([](const Method& method) {
    expect_outputs(method, of_snappy_library, outputs_of_segments());
    expect_outputs(method, of_snappy_library, {words_text(140'000, 20), mixed_output(90'001, 21)},
                   {5, 1});
  });
}

TEST_P(SnappySegments, CopiesFromEarlierSegmentsComeBack) {
  std::vector<Chunk> chunks;
  for (const std::uint32_t reach : {7u, 3000u, 400'000u})
    chunks.push_back(crossing_block(reach, reach, 2 * segment_bytes + 9000).ended());
  on_each([&](const Method& method) { expect_same(method, chunks); });
}

TEST_P(SnappySegments, LiteralsThatCoverSegmentsComeBack) {
  on_each([](const Method& method) {
    expect_same(method, {block_of_literals(1).ended(), block_of_literals(2).ended()});
  });
}

TEST_P(SnappySegments, StatedSizesThatLieAreToldWhereOneThreadTellsThem) {
  const GrowingBlock block = crossing_block(5, 60'000, 70'000);
  std::vector<Chunk> chunks;
  for (const std::int32_t lie : {-10'000, -1, 1, 99, 101, 1 << 30})
    chunks.push_back(block.ended(lie));
  for (const std::int32_t lie : {-1, 1, 70'000})
    chunks.push_back({block.ended(lie).bytes, 300'000});
  on_each([&](const Method& method) { expect_same(method, chunks); });
}

TEST_P(SnappySegments, DamageIsToldWhereOneThreadTellsIt) {
  const Bytes text = words_text(90'000, 30);
  on_each([&](const Method& method) {
    expect_same(method, damaged({snappy_compressed(text), text.size() + 100}, 31));
    expect_same(method, damaged(crossing_block(32, 400'000, 80'000).ended(), 33));
    expect_same(method, damaged(block_of_literals(34).ended(), 35));
  });
}

TEST_P(SnappySegments, ACopyFromBeforeTheBlockIsToldInAnySegment) {
  std::vector<Chunk> chunks;
  for (const std::uint32_t bytes : {1'000u, 65'530u, 66'000u}) {
    GrowingBlock block = crossing_block(bytes, 60'000, bytes);
    block.copy(9, block.written() + 1);
    while (block.written() < 150'000) block.copy(64, 60'000 + block.below(9'000));
    chunks.push_back(block.ended());
  }
  on_each([&](const Method& method) { expect_same(method, chunks); });
}

const std::vector<kernel::HostDeviceOptions>& host_devices() {
  static const std::vector<kernel::HostDeviceOptions> devices = warps_on_host();
  return devices;
}
INSTANTIATE_TEST_SUITE_P(Host, SnappySegments,
                         ::testing::Values(&host_devices()[0], &host_devices()[1],
                                           &host_devices()[2]));
INSTANTIATE_TEST_SUITE_P(Devices, SnappySegments, ::testing::Values(nullptr));

}  // namespace
}  // namespace penstock::batch
