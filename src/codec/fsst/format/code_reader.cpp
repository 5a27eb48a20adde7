#include "codec/fsst/format/code_reader.hpp"

#include <string>

namespace penstock::fsst {

Status bad_code(Special special, std::uint32_t code, std::uint64_t row, std::uint64_t byte) {
  const std::string what = special == Special::ends_early
                               ? "an escape at the row's end"
                               : "code " + std::to_string(code) + " has no symbol";
  return {Code::corrupt, "row " + std::to_string(row) + ", byte " + std::to_string(byte) +
                             " of its codes: " + what};
}

Measured measure(const CodeTable& table, const std::uint8_t* at, const std::uint8_t* end) {
  Measured measured;
  while (at < end) {
    const auto left = static_cast<std::uint64_t>(end - at);
    std::uint64_t codes = left >= 8 ? load_codes(at) : load_last_codes(at, left);
    const std::uint32_t count = left >= 8 ? 8 : static_cast<std::uint32_t>(left);
    std::uint64_t special = table.special(codes);
    if (count == 8 && special == 0) {
      measured.string_bytes += table.string_bytes(codes);
      at += 8;
      continue;
    }
    if (count < 8)
      special &= (std::uint64_t{1} << 8 * count) - 1;  // ignores the bytes after the row
    const std::uint32_t before = special != 0 ? first_byte_of(special) : count;
    for (std::uint32_t i = 0; i < before; i++, codes >>= 8)
      measured.string_bytes += table.lengths[codes & 255];
    at += before;
    if (special == 0) continue;
    if (const Special found = special_at(at, end); found != Special::literal)
      return {measured.string_bytes, at, found};
    measured.string_bytes++;
    at += 2;
  }
  return measured;
}

}  // namespace penstock::fsst
