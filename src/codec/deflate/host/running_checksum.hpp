// One of the checksums around Deflate streams, of parts that are summed separately and joined.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/checksum/adler32.hpp"
#include "codec/checksum/crc32.hpp"
#include "codec/deflate/host/parallel_inflate.hpp"

namespace penstock::deflate {

class RunningChecksum {
 public:
  explicit RunningChecksum(Checksum kind)
      : kind_(kind), value_(kind == Checksum::adler32 ? 1 : 0) {}
  void add(std::span<const std::byte> bytes) {
    if (kind_ == Checksum::crc32) value_ = checksum::crc32(value_, bytes);
    if (kind_ == Checksum::adler32) value_ = checksum::adler32(value_, bytes);
  }
  // Appends bytes with a known checksum.
  void join(const RunningChecksum& next, std::uint64_t next_bytes) {
    if (kind_ == Checksum::crc32) value_ = checksum::crc32_combine(value_, next.value_, next_bytes);
    if (kind_ == Checksum::adler32)
      value_ = checksum::adler32_combine(value_, next.value_, next_bytes);
  }
  std::uint32_t value() const { return value_; }

 private:
  Checksum kind_;
  std::uint32_t value_;
};

}  // namespace penstock::deflate
