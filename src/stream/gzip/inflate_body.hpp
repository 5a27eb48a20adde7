// Decodes raw Deflate (RFC 1951): by our decoder if all of it is in memory, by zlib if it comes in
// parts. Both refuse the same streams. libdeflate is as fast, but accepts a code of 31 or 32
// distances, and code lengths that are repeated beyond the last symbol.
#pragma once
#include <zlib.h>

#include "stream/input/error_location.hpp"

namespace penstock::stream {

constexpr std::uint64_t max_deflate_ratio = 1032;  // 258 bytes from two bits
// Returns the largest output of this many compressed bytes, including output that a last byte
// begins.
constexpr std::uint64_t max_inflated(std::uint64_t compressed_bytes) {
  return (compressed_bytes + 1) * max_deflate_ratio;
}

enum class InflateOutcome : unsigned char { done, bad, output_too_small };
struct InflateResult {
  InflateOutcome outcome;
  std::size_t bytes_in = 0, bytes_out = 0;
};
// Decodes the Deflate stream at the beginning of `body`, which may be followed by anything.
InflateResult inflate_body(std::span<const std::byte> body, std::byte* out, std::size_t max_bytes);

// Returns the error of a body that inflate_body() has refused. zlib decodes it again, so that the
// message does not depend on the method. `location` is the body's first byte.
Status diagnose_body(std::span<const std::byte> body, const ErrorLocation& location);

// Wraps a z_stream, which begins again for each member.
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
  // Decodes until either side is used up or the stream ends; `location` is the first byte of `in`.
  Result<Step> step(std::span<const std::byte> in, std::span<std::byte> out,
                    const ErrorLocation& location);

 private:
  z_stream stream_{};
  bool is_begun_ = false;
};

}  // namespace penstock::stream
