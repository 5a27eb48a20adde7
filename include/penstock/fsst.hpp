// String columns compressed with FSST (fast static symbol table).
//
// A row's codes are bytes. A byte below the table's symbol_count stands for a symbol of 1 to 8
// bytes. The byte 255 is an escape: the byte after it stands for itself. Any other byte is an
// error. Each row is encoded on its own, so that rows can be decoded alone and in any order.
//
// Codes and symbol tables follow FSST (P. Boncz, T. Neumann, V. Leis: "FSST: Fast Random
// Access String Compression", VLDB 2020). Tables are read and written as cwida/fsst serializes
// them. docs/formats/fsst.md specifies every byte.
//
//     PENSTOCK_ASSIGN(fsst::EncodedStrings urls, fsst::encode(column));
//     PENSTOCK_ASSIGN(Column strings, fsst::decode(urls));
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/status.hpp"

namespace penstock::fsst {

constexpr std::uint32_t escape_code = 255;  // the next byte stands for itself
constexpr std::uint32_t max_symbols = 255;
constexpr std::uint32_t max_symbol_bytes = 8;

struct SymbolTable {
  // Each symbol's first byte is the lowest byte of its word; bytes after its end are zero.
  std::array<std::uint64_t, max_symbols> symbols{};
  std::array<std::uint8_t, max_symbols> lengths{};  // 1 to 8 below symbol_count, then zero
  std::uint32_t symbol_count = 0;
  // Strings are C strings and include their zero byte. Code 0 is the zero byte alone.
  bool zero_terminated = false;
  // A rare byte that an encoder may append to its input. Decoders ignore it.
  std::uint8_t terminator = 0;
  bool operator==(const SymbolTable&) const = default;
};
// Checks a table. Code::corrupt names the code that is wrong.
Status validate(const SymbolTable& table);

// A table, and how many bytes of the input it took.
struct ReadTable {
  SymbolTable table;
  std::uint64_t byte_count = 0;
};
// Reads a table as cwida/fsst's fsst_export() writes it. Errors name the byte: Code::truncated
// if the input ends early, Code::corrupt otherwise.
Result<ReadTable> read_symbol_table(std::span<const std::byte> bytes);
// Writes a table in that format. Code::unsupported for a table with symbols out of the
// format's order of lengths: 2 to 8, then 1.
Result<std::vector<std::byte>> write_symbol_table(const SymbolTable& table);

// Consecutive rows that share a symbol table: from first_row to the first row of the next group.
struct RowGroup {
  std::uint64_t first_row = 0;
  std::uint64_t first_string_byte = 0;  // offset of these rows' strings in the column's output
  std::shared_ptr<const SymbolTable> table;
};

struct EncodedStrings {
  std::uint64_t row_count = 0;
  Bytes codes;
  // row_count + 1 ascending offsets into `codes`. The first may be above zero.
  Bytes offsets;
  std::uint32_t offset_bytes = 4;  // of one offset: 4 or 8
  // A bitmap as Column has it. encode() gives a null row no codes. Decoders decode the codes of a
  // null row like any others.
  Bytes validity;
  std::vector<RowGroup> row_groups;  // ascending; the first begins at row 0; empty without rows
  std::uint64_t string_bytes = 0;    // of all decoded rows
  // True where every row has the codes that encode_string() gives with the row's table: the longest
  // symbol at every position. Only then do rows of one group have equal codes exactly where their
  // strings are equal. True for the result of encode(), unknown for other files.
  bool is_canonical = false;

  std::uint64_t offset(std::uint64_t row) const {
    return offset_bytes == 8 ? offsets.as<std::uint64_t>()[row] : offsets.as<std::uint32_t>()[row];
  }
  bool is_valid(std::uint64_t row) const {
    return validity.empty() ||
           (static_cast<unsigned>(validity.data[row >> 3]) >> (row & 7) & 1u) != 0;
  }
  // Return where a row group's rows, or its decoded strings, end.
  std::uint64_t end_row(std::size_t group) const {
    return group + 1 < row_groups.size() ? row_groups[group + 1].first_row : row_count;
  }
  std::uint64_t end_string_byte(std::size_t group) const {
    return group + 1 < row_groups.size() ? row_groups[group + 1].first_string_byte : string_bytes;
  }
};

// Checks every rule that decoders rely on. Code::corrupt names row group, row and byte. Decoding is
// memory-safe without this check: decode() and the kernels never write outside their output.
Status validate(const EncodedStrings& strings);
// Checks what costs no more than reading the offsets: sizes, ascending offsets, row groups and
// symbol tables. Reads no codes.
Status validate_layout(const EncodedStrings& strings);

struct EncodeOptions {
  // A row group, which has a symbol table of its own, ends at so many rows. It ends earlier before
  // a row that would bring its strings above row_group_string_bytes.
  std::uint64_t row_group_rows = 1 << 17, row_group_string_bytes = 32 << 20;
};
// Encodes a string column, plain or of a dictionary, on all cores. The result does not depend on
// the number of threads. Code::capacity for a string of 1 GiB or more.
Result<EncodedStrings> encode(const Column& strings, const EncodeOptions& options = {});

// Returns a symbol table trained on a sample of `strings`.
SymbolTable train(std::span<const std::string_view> strings);
// Returns one string's codes: the longest symbol at every position. For the constants of
// predicates; encode() returns the same codes and is faster.
std::vector<std::uint8_t> encode_string(const SymbolTable& table, std::string_view string);

struct DecodeOptions {
  std::uint32_t offset_bytes = 0;  // of the column: 4 or 8; 0: 4 if the output's size allows
  // Decodes only these rows, in this order. A row may occur more than once.
  std::optional<std::span<const std::uint64_t>> rows = {};
};
// Decodes to a string column, on all cores. Checks every code; Code::corrupt names row and byte.
Result<Column> decode(const EncodedStrings& strings, const DecodeOptions& options = {});

}  // namespace penstock::fsst
