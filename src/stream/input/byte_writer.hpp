// Numbers of headers and trailers, the lowest byte first, where there is room for them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace penstock::stream {

class ByteWriter {
 public:
  explicit ByteWriter(std::byte* at) : begin_(at), at_(at) {}
  void number(std::uint64_t value, unsigned byte_count) {
    for (unsigned i = 0; i < byte_count; i++) *at_++ = static_cast<std::byte>(value >> (8 * i));
  }
  void u8(std::uint64_t value) { number(value, 1); }
  void u16(std::uint64_t value) { number(value, 2); }
  void u32(std::uint64_t value) { number(value, 4); }
  void output(std::string_view bytes) {
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }
  std::size_t written() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::byte *begin_, *at_;
};

}  // namespace penstock::stream
