// The location of an error in a compressed file, and the common format of its messages.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/stream.hpp"

namespace penstock::stream {

struct ErrorLocation {
  Format format;
  std::uint64_t index;   // of the member, frame, stream or chunk, from 1
  std::uint64_t offset;  // of the byte in the input, from 0

  // Returns "gzip: invalid block type (member 2, byte 1234)".
  Status error(Code code, std::string_view reason) const;
  Status corrupt(std::string_view reason) const { return error(Code::corrupt, reason); }
  Status unexpected_end() const;
  // Returns "gzip: incorrect CRC-32: stored 00000000, computed 1234abcd (member 2, byte 1234)".
  Status wrong_checksum(std::string_view name, std::uint32_t computed, std::uint32_t stored) const;
  ErrorLocation at(std::uint64_t byte) const { return {format, index, byte}; }
};

// The unit that errors in a file of this format count: "member", "frame", "stream" or "chunk".
// Defined by the list of formats.
std::string_view counted_part_of(Format format);

}  // namespace penstock::stream
