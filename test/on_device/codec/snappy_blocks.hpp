// Snappy blocks that tests make by hand.
#pragma once
#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {

// Builds blocks tag by tag.
struct SnappyBlock {
  Bytes bytes;
  explicit SnappyBlock(std::uint64_t output_bytes) {
    for (; output_bytes >= 128; output_bytes /= 128)
      bytes.push_back(static_cast<std::uint8_t>(output_bytes % 128 + 128));
    bytes.push_back(static_cast<std::uint8_t>(output_bytes));
  }
  // `number_bytes`: 0 where the tag has the number of literals; else the bytes of the number after
  // the tag.
  SnappyBlock& literals(std::uint32_t count, std::uint32_t number_bytes = 0) {
    tag(number_bytes == 0 ? (count - 1) * 4 : (59 + number_bytes) * 4, count - 1, number_bytes);
    for (std::uint32_t i = 0; i < count; i++)
      bytes.push_back(static_cast<std::uint8_t>(bytes.size() * 7));
    return *this;
  }
  SnappyBlock& near(std::uint32_t count, std::uint32_t distance) {
    return tag(1 + (count - 4) * 4 + distance / 256 * 32, distance, 1);
  }
  SnappyBlock& far(std::uint32_t count, std::uint32_t distance) {
    return tag(2 + (count - 1) * 4, distance, 2);
  }
  SnappyBlock& farther(std::uint32_t count, std::uint32_t distance) {
    return tag(3 + (count - 1) * 4, distance, 4);
  }
  SnappyBlock& tag(std::uint32_t first, std::uint32_t number, std::uint32_t number_bytes) {
    bytes.push_back(static_cast<std::uint8_t>(first));
    for (std::uint32_t i = 0; i < number_bytes; i++)
      bytes.push_back(static_cast<std::uint8_t>(number >> 8 * i));
    return *this;
  }
};

// Tags of all kinds and lengths in any order, since encoders need not alternate them: literals
// after literals, copies after copies.
inline Chunk chunk_of_all_tags(std::uint32_t tags, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(random() % count);
  };
  std::uint32_t made = 0;
  SnappyBlock body(0);
  for (std::uint32_t i = 0; i < tags; i++) {
    const std::uint32_t kind = made == 0 ? 0 : below(4),
                        distance = made == 0 ? 0 : 1 + below(std::min(made, 1u << below(17)));
    std::uint32_t count = 1 + below(below(3) == 0 ? 64 : 8);
    if (kind == 0 && below(16) == 0) count = 1 + below(400);
    if (kind == 0)
      body.literals(count, count > 256 ? 2 + below(3) : count > 60 || below(8) == 0 ? 1 : 0);
    if (kind == 1) body.near(count = 4 + count % 8, std::min(distance, 2047u));
    if (kind == 2) body.far(count, std::min(distance, 65535u));
    if (kind == 3) body.farther(count, distance);
    made += count;
  }
  Bytes block = SnappyBlock(made).bytes;
  block.insert(block.end(), body.bytes.begin() + 1, body.bytes.end());
  return {block, made};
}

}  // namespace penstock::batch
