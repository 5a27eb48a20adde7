// Bit streams of Zstandard. Entropy-coded streams are read from their last bit to their first (RFC
// 8878, section 4.1): `left` bits are still to be read, and the next ones are the highest of these.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/zstd/format/zstd_constants.hpp"

namespace penstock::zstd {

inline std::uint64_t load_le64(const Byte* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
  return value;
}

// Returns a little-endian number of up to eight bytes.
inline std::uint64_t load_le(const Byte* at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t byte = 0; byte < bytes; byte++) value |= std::uint64_t{at[byte]} << (8 * byte);
  return value;
}

// Returns the bits of a stream below its end mark; -1 if it is empty or has no mark.
inline std::int64_t stream_bits(std::span<const Byte> stream) {
  if (stream.empty() || stream.back() == 0) return -1;
  return static_cast<std::int64_t>(8 * (stream.size() - 1)) + std::bit_width(stream.back()) - 1;
}

// Reads a short stream backwards, and zeros before its beginning.
class BackwardBits {
 public:
  explicit BackwardBits(std::span<const Byte> stream)
      : stream_(stream), left_(stream_bits(stream)) {}
  std::int64_t left() const { return left_; }  // below zero: more was read than there is
  std::uint32_t take(unsigned count) {         // at most 16
    left_ -= count;
    std::uint64_t value = 0;
    const std::int64_t first = left_ >> 3;
    for (std::int64_t byte = std::max<std::int64_t>(first, 0);
         byte < first + 4 && byte < static_cast<std::int64_t>(stream_.size()); byte++)
      value |= std::uint64_t{stream_[static_cast<std::size_t>(byte)]} << (8 * (byte - first));
    return static_cast<std::uint32_t>(value >> (left_ & 7) & ((1u << count) - 1));
  }

 private:
  std::span<const Byte> stream_;
  std::int64_t left_;
};

// Reads forwards, and zeros after the end.
class ForwardBits {
 public:
  explicit ForwardBits(std::span<const Byte> stream) : stream_(stream) {}
  std::uint32_t peek(unsigned count) const {  // at most 16
    const std::size_t first = at_ >> 3;
    std::uint64_t value = 0;
    if (first + 8 <= stream_.size())
      value = load_le64(stream_.data() + first);
    else if (first < stream_.size())
      value = load_le(stream_.data() + first, stream_.size() - first);
    return static_cast<std::uint32_t>(value >> (at_ & 7) & ((1u << count) - 1));
  }
  void skip(unsigned count) { at_ += count; }
  std::uint32_t take(unsigned count) {
    const std::uint32_t value = peek(count);
    skip(count);
    return value;
  }
  std::size_t used_bytes() const { return (at_ + 7) >> 3; }

 private:
  std::span<const Byte> stream_;
  std::size_t at_ = 0;
};

}  // namespace penstock::zstd
