// Copies past the caches: every byte, whatever the place.
#include "base/streaming_copy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace penstock {
namespace {

TEST(CopyPastCaches, NoByteIsLostOrWrittenBesideAtAnyAlignment) {
  std::vector<std::byte> from(1000);
  for (std::size_t i = 0; i < from.size(); i++) from[i] = static_cast<std::byte>(i * 31 + i / 256);
  constexpr std::byte canary{0xa5};
  for (std::size_t to_at = 0; to_at < 66; to_at += 3)
    for (std::size_t from_at = 0; from_at < 3; from_at++)
      for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 200u, 511u, 900u}) {
        std::vector<std::byte> to(1100, canary);
        copy_past_caches(to.data() + to_at, from.data() + from_at, bytes);
        for (std::size_t i = 0; i < to.size(); i++)
          ASSERT_EQ(to[i], i >= to_at && i < to_at + bytes ? from[i - to_at + from_at] : canary)
              << to_at << ' ' << bytes << ' ' << i;
      }
}

}  // namespace
}  // namespace penstock
