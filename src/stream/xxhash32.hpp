// XXH32, the checksum of LZ4 frames, over bytes that come in parts.
//
// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace penstock::stream {

static_assert(std::endian::native == std::endian::little, "lanes are loaded as they lie");

class Xxhash32 {
 public:
  void update(std::span<const std::byte> bytes) {
    total_bytes_ += bytes.size();
    if (held_ > 0) {
      const std::size_t part = std::min(stripe_bytes - held_, bytes.size());
      std::memcpy(stripe_.data() + held_, bytes.data(), part);
      held_ += part;
      bytes = bytes.subspan(part);
      if (held_ < stripe_bytes) return;
      take_stripes(stripe_.data(), 1);
      held_ = 0;
    }
    take_stripes(bytes.data(), bytes.size() / stripe_bytes);
    const auto rest = bytes.last(bytes.size() % stripe_bytes);
    if (!rest.empty()) std::memcpy(stripe_.data(), rest.data(), rest.size());
    held_ = rest.size();
  }

  std::uint32_t digest() const {
    std::uint32_t hash = total_bytes_ < stripe_bytes ? prime5
                                                     : std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
                                                           std::rotl(lanes_[3], 18);
    hash += static_cast<std::uint32_t>(total_bytes_);
    std::size_t at = 0;
    for (; at + 4 <= held_; at += 4) hash = std::rotl(hash + word(stripe_.data() + at) * prime3, 17) * prime4;
    for (; at < held_; at++) hash = std::rotl(hash + std::to_integer<std::uint32_t>(stripe_[at]) * prime5, 11) * prime1;
    hash = (hash ^ hash >> 15) * prime2;
    hash = (hash ^ hash >> 13) * prime3;
    return hash ^ hash >> 16;
  }

 private:
  static constexpr std::uint32_t prime1 = 0x9E3779B1, prime2 = 0x85EBCA77, prime3 = 0xC2B2AE3D, prime4 = 0x27D4EB2F, prime5 = 0x165667B1;
  static constexpr std::size_t stripe_bytes = 16;

  static std::uint32_t word(const std::byte* at) {
    std::uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  void take_stripes(const std::byte* at, std::size_t count) {
    std::array<std::uint32_t, 4> lanes = lanes_;
    for (; count > 0; count--, at += stripe_bytes)
      for (int i = 0; i < 4; i++) lanes[i] = std::rotl(lanes[i] + word(at + 4 * i) * prime2, 13) * prime1;
    lanes_ = lanes;
  }

  std::array<std::uint32_t, 4> lanes_ = {prime1 + prime2, prime2, 0, 0u - prime1};
  std::array<std::byte, stripe_bytes> stripe_{};
  std::size_t held_ = 0;
  std::uint64_t total_bytes_ = 0;
};

inline std::uint32_t xxhash32(std::span<const std::byte> bytes) {
  Xxhash32 hash;
  hash.update(bytes);
  return hash.digest();
}

}  // namespace penstock::stream
