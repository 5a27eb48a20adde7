// Writes the little-endian numbers of headers and trailers into memory that is long enough.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace penstock::stream {

class ByteWriter {
 public:
  explicit ByteWriter(std::byte* to) : begin_(to), end_(to) {}
  void number(std::uint64_t value, unsigned byte_count) {
    for (unsigned i = 0; i < byte_count; i++) *end_++ = static_cast<std::byte>(value >> (8 * i));
  }
  void u8(std::uint64_t value) { number(value, 1); }
  void u16(std::uint64_t value) { number(value, 2); }
  void u32(std::uint64_t value) { number(value, 4); }
  void bytes(std::string_view bytes) {
    std::memcpy(end_, bytes.data(), bytes.size());
    end_ += bytes.size();
  }
  std::size_t written() const { return static_cast<std::size_t>(end_ - begin_); }

 private:
  std::byte *begin_, *end_;
};

}  // namespace penstock::stream
