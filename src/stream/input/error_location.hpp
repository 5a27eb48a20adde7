// Where in compressed bytes something was found, as errors say it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/stream.hpp"

namespace penstock::stream {

struct Place {
  Format format;
  std::uint64_t index;   // of the member, frame or chunk, from 1
  std::uint64_t offset;  // of the byte in the input, from 0

  // "gzip member 2, byte 1234: its CRC-32 is wrong"
  Status error(Code code, std::string_view what) const;
  Status corrupt(std::string_view what) const { return error(Code::corrupt, what); }
  Status ended() const;  // the input ends here, before its format does
  Place at(std::uint64_t byte) const { return {format, index, byte}; }
  // "the CRC-32 of its content is 1234abcd, and it says 00000000"
  Status wrong_checksum(std::string_view name, std::uint32_t found, std::uint32_t said) const;
};

}  // namespace penstock::stream
