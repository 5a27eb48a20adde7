// The serialized symbol table of cwida/fsst:
//
//     byte 0       1: the writer was little endian
//     byte 1       the number of symbols
//     byte 2       the terminator, a hint for encoders
//     byte 3       the first code after the two-byte symbols that are no prefix of a longer one
//                  (and after code 0 of a zero-terminated table), a hint for encoders
//     bytes 4..7   20190218, the version
//     byte 8       1 when strings are zero-terminated: then code 0 is the byte 0,
//                  and is not among the symbols' bytes
//     bytes 9..16  the numbers of symbols of 1, 2, ..., 8 bytes
//     then         the symbols' bytes in the order of codes: lengths 2 to 8, and last 1
//
// Every count is checked against the others and against the input's size before it is used.
#include <cstring>
#include <numeric>
#include <string>

#include "penstock/fsst.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint32_t format_version = 20190218;
constexpr std::uint64_t header_bytes = 17;
constexpr std::array<std::uint32_t, 8> length_order{2, 3, 4, 5, 6, 7, 8, 1};

Status bad_table(std::uint64_t byte, const std::string& what) {
  return {Code::corrupt, "symbol table, byte " + std::to_string(byte) + ": " + what};
}
Status ends_early(std::uint64_t bytes, std::uint64_t needed) {
  return {Code::truncated, "symbol table: it ends at byte " + std::to_string(bytes) + " of " +
                               std::to_string(needed)};
}
std::uint32_t byte_at(std::span<const std::byte> bytes, std::uint64_t at) {
  return std::to_integer<std::uint32_t>(bytes[at]);
}

// The bytes before the symbols.
struct Header {
  std::uint32_t symbol_count = 0;
  std::uint8_t terminator = 0;
  bool zero_terminated = false;
  std::array<std::uint32_t, 9> counts{};  // [n]: symbols of n bytes
  std::uint64_t symbol_bytes = 0;
};

Status read_counts(std::span<const std::byte> bytes, Header& header) {
  std::uint32_t sum = 0;
  for (std::uint32_t length = 1; length <= 8; length++) {
    header.counts[length] = byte_at(bytes, 8 + length);
    sum += header.counts[length];
    header.symbol_bytes += length * header.counts[length];
    if (sum > header.symbol_count)
      return bad_table(8 + length, "at least " + std::to_string(sum) +
                                       " symbols, where byte 1 counts " +
                                       std::to_string(header.symbol_count));
  }
  if (sum < header.symbol_count)
    return bad_table(1, std::to_string(header.symbol_count) +
                            " symbols, where bytes 9 to 16 count " + std::to_string(sum));
  if (!header.zero_terminated) return {};
  if (header.counts[1] == 0)
    return bad_table(9, "no symbol of one byte, but strings are zero-terminated");
  header.counts[1]--, header.symbol_bytes--;
  return {};
}

Result<Header> read_header(std::span<const std::byte> bytes) {
  if (bytes.size() < header_bytes) return ends_early(bytes.size(), header_bytes);
  std::uint32_t version = 0;
  for (std::uint32_t i = 0; i < 4; i++) version |= byte_at(bytes, 4 + i) << (8 * i);
  if (version != format_version)
    return bad_table(4, "the version is " + std::to_string(version) + ", and not 20190218");
  if (byte_at(bytes, 0) != 1)
    return bad_table(
        0, "the mark of the byte order is " + std::to_string(byte_at(bytes, 0)) + ", and not 1");
  Header header;
  header.symbol_count = byte_at(bytes, 1);
  header.terminator = static_cast<std::uint8_t>(byte_at(bytes, 2));
  if (byte_at(bytes, 8) > 1)
    return bad_table(
        8, "zero-terminated is " + std::to_string(byte_at(bytes, 8)) + ", and neither 0 nor 1");
  header.zero_terminated = byte_at(bytes, 8) == 1;
  PENSTOCK_TRY(read_counts(bytes, header));
  return header;
}

// Returns the first code after the two-byte symbols that are no prefix of a longer one.
std::uint32_t suffix_limit(const SymbolTable& table) {
  const auto begins_another = [&](std::uint32_t code) {
    for (std::uint32_t other = 0; other < table.symbol_count; other++)
      if (other != code && table.lengths[other] > 1 &&
          (table.symbols[other] & 0xffff) == (table.symbols[code] & 0xffff))
        return true;
    return false;
  };
  std::uint32_t limit = table.zero_terminated ? 1 : 0;
  while (limit < table.symbol_count && table.lengths[limit] == 2 && !begins_another(limit)) limit++;
  return limit;
}

// Returns the first code that breaks the order of lengths 2 to 8, 1; symbol_count if none does.
std::uint32_t first_out_of_order(const SymbolTable& table) {
  std::uint32_t index = 0;
  for (std::uint32_t code = table.zero_terminated ? 1 : 0; code < table.symbol_count; code++) {
    while (index < 8 && length_order[index] != table.lengths[code]) index++;
    if (index == 8) return code;
  }
  return table.symbol_count;
}

}  // namespace

Status validate(const SymbolTable& table) {
  const auto wrong = [](std::uint32_t code, const std::string& what) {
    return Status(Code::corrupt, "symbol table, code " + std::to_string(code) + ": " + what);
  };
  if (table.symbol_count > max_symbols)
    return {Code::corrupt, "symbol table: " + std::to_string(table.symbol_count) + " symbols"};
  for (std::uint32_t code = 0; code < max_symbols; code++) {
    const std::uint32_t length = table.lengths[code];
    if (code >= table.symbol_count && length != 0)
      return wrong(code, "a length after the last symbol");
    if (code < table.symbol_count && (length < 1 || length > 8))
      return wrong(code, "a symbol of " + std::to_string(length) + " bytes");
    if (length < 8 && table.symbols[code] >> (8 * length) != 0)
      return wrong(code, "bytes after the symbol's end");
  }
  if (table.zero_terminated &&
      (table.symbol_count == 0 || table.lengths[0] != 1 || table.symbols[0] != 0))
    return wrong(0, "not the byte 0, but strings are zero-terminated");
  return {};
}

Result<ReadTable> read_symbol_table(std::span<const std::byte> bytes) {
  PENSTOCK_ASSIGN(const Header header, read_header(bytes));
  if (bytes.size() < header_bytes + header.symbol_bytes)
    return ends_early(bytes.size(), header_bytes + header.symbol_bytes);
  ReadTable read;
  SymbolTable& table = read.table;
  table.symbol_count = header.symbol_count;
  table.terminator = header.terminator;
  table.zero_terminated = header.zero_terminated;
  std::uint32_t code = 0;
  if (header.zero_terminated) table.lengths[code++] = 1;
  std::uint64_t at = header_bytes;
  for (const std::uint32_t length : length_order)
    for (std::uint32_t i = 0; i < header.counts[length]; i++, code++) {
      table.lengths[code] = static_cast<std::uint8_t>(length);
      for (std::uint32_t byte = 0; byte < length; byte++)
        table.symbols[code] |= std::uint64_t{byte_at(bytes, at++)} << (8 * byte);
    }
  read.byte_count = at;
  return read;
}

Result<std::vector<std::byte>> write_symbol_table(const SymbolTable& table) {
  PENSTOCK_TRY(validate(table));
  if (const std::uint32_t code = first_out_of_order(table); code < table.symbol_count)
    return Status(
        Code::unsupported,
        "symbol table, code " + std::to_string(code) +
            ": serialized tables have symbols of 2 to 8 bytes in this order, then those of 1 byte");
  std::vector<std::byte> bytes(header_bytes);
  const auto put = [&](std::uint64_t at, std::uint32_t value) {
    bytes[at] = static_cast<std::byte>(value);
  };
  put(0, 1), put(1, table.symbol_count), put(2, table.terminator), put(3, suffix_limit(table)),
      put(8, table.zero_terminated);
  for (std::uint32_t i = 0; i < 4; i++) put(4 + i, format_version >> (8 * i) & 255);
  for (std::uint32_t code = 0; code < table.symbol_count; code++)
    bytes[8 + table.lengths[code]] =
        static_cast<std::byte>(std::to_integer<std::uint32_t>(bytes[8 + table.lengths[code]]) + 1);
  for (std::uint32_t code = table.zero_terminated ? 1 : 0; code < table.symbol_count; code++)
    for (std::uint32_t byte = 0; byte < table.lengths[code]; byte++)
      bytes.push_back(static_cast<std::byte>(table.symbols[code] >> (8 * byte) & 255));
  return bytes;
}

}  // namespace penstock::fsst
