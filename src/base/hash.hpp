// A 128-bit content hash: XXH3-128.
//
// It names files in the JIT cache. It is not cryptographic, and need not be: the cache stores the
// whole key text beside the binary and compares it on load. Two texts with one hash cost a
// recompile, never a wrong binary. It must only give similar texts (one digit changed) different
// names, and reveal a damaged file.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace penstock {

struct Hash128 {
  std::uint64_t low = 0, high = 0;
  auto operator<=>(const Hash128&) const = default;
  std::string hex() const;  // 32 lower-case digits, high half first
};

Hash128 content_hash(std::span<const std::byte> bytes, std::uint64_t seed = 0);
Hash128 content_hash(std::string_view text, std::uint64_t seed = 0);

}  // namespace penstock
