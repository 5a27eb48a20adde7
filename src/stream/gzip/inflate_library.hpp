// Raw Deflate (RFC 1951) by the published libraries: libdeflate where all of it is in memory, zlib
// where it comes in parts.
#pragma once
#include <zlib.h>

#include "stream/input/error_location.hpp"

namespace penstock::stream {

constexpr std::uint64_t max_deflate_ratio = 1032;  // 258 bytes from two bits
// What so many compressed bytes become at most, with room for what a last byte begins.
constexpr std::uint64_t max_inflated(std::uint64_t compressed_bytes) {
  return (compressed_bytes + 1) * max_deflate_ratio;
}

enum class Inflated : unsigned char { done, bad, needs_capacity };
struct InflatedBody {
  Inflated outcome;
  std::size_t bytes_in = 0, bytes_out = 0;
};
// The Deflate stream at the beginning of `body`, which may be followed by anything.
InflatedBody inflate_body(std::span<const std::byte> body, std::byte* out, std::size_t max_bytes);

// What is wrong with a body that libdeflate, which does not say, has refused: zlib decodes it again
// and tells byte and reason. `place` is the body's first byte.
Status diagnose_body(std::span<const std::byte> body, const Place& place);

// One stream of zlib's, begun again for each member.
class Inflater {
 public:
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater();
  Status begin(std::span<const std::byte> dictionary = {});
  struct Step {
    std::size_t bytes_in = 0, bytes_out = 0;
    bool is_end = false;
  };
  // Decodes until either side is used up or the stream ends; `place` is the first byte of `in`.
  Result<Step> step(std::span<const std::byte> in, std::span<std::byte> out, const Place& place);

 private:
  z_stream stream_{};
  bool is_begun_ = false;
};

}  // namespace penstock::stream
