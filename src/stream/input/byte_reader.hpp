// Reads little-endian numbers from untrusted bytes. A read past the end returns zero and is
// remembered, so that a parser checks once, at its end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace penstock::stream {

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // Reads a number of `byte_count` bytes, at most 8.
  std::uint64_t number(unsigned byte_count) {
    if (!has(byte_count)) return 0;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < byte_count; i++)
      value |= std::to_integer<std::uint64_t>(bytes_[position_ + i]) << (8 * i);
    position_ += byte_count;
    return value;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::span<const std::byte> bytes(std::size_t count) {
    if (!has(count)) return {};
    position_ += count;
    return bytes_.subspan(position_ - count, count);
  }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }
  bool ended_early() const { return ended_early_; }

 private:
  bool has(std::size_t count) {
    if (remaining() < count) ended_early_ = true;
    return !ended_early_;
  }
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  bool ended_early_ = false;
};

}  // namespace penstock::stream
