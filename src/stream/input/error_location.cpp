#include "stream/input/error_location.hpp"

#include <cstdio>

namespace penstock::stream {

Status ErrorLocation::error(Code code, std::string_view reason) const {
  std::string message(name_of(format));
  message.append(": ").append(reason).append(" (").append(counted_part_of(format));
  message.append(" " + std::to_string(index) + ", byte " + std::to_string(offset) + ")");
  return {code, message};
}

Status ErrorLocation::unexpected_end() const {
  return error(Code::truncated, "unexpected end of file");
}

Status ErrorLocation::wrong_checksum(std::string_view name, std::uint32_t computed,
                                     std::uint32_t stored) const {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, ": stored %08x, computed %08x", stored, computed);
  return corrupt("incorrect " + std::string(name) + numbers);
}

}  // namespace penstock::stream
