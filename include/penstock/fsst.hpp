// String columns as FSST codes: each byte below 255 stands for a symbol of 1 to 8 bytes, and 255
// says that the next byte is itself.
//
// Codes are those of Boncz, Neumann and Leis (VLDB 2020), and symbol tables are read and written as
// their library serializes them. Every row is encoded by itself, so that rows are decoded alone and
// in any order. GSST is the same codes with splits: places inside the codes, whatever the rows,
// where decoding may begin. docs/formats/fsst.md gives every byte.
//
//     PENSTOCK_ASSIGN(fsst::EncodedStrings urls, fsst::encode(column, {.split_code_bytes = 64}));
//     PENSTOCK_ASSIGN(Column texts, fsst::decode(urls));
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
  std::array<std::uint64_t, max_symbols>
      symbols{};                                    // the first byte lowest; zero beyond the length
  std::array<std::uint8_t, max_symbols> lengths{};  // 1 to 8 below symbol_count, zero behind it
  std::uint32_t symbol_count = 0;
  // Texts are C strings whose zero byte is counts, and code 0 is that byte alone.
  bool zero_terminated = false;
  std::uint8_t terminator =
      0;  // a rare byte that an encoder may set behind its input; decoders do not use it
  bool operator==(const SymbolTable&) const = default;
};
Status validate(const SymbolTable& table);

// A table as cwida/fsst's fsst_export writes it; errors name the byte. `byte_count` is what the
// table took of `bytes`.
struct ReadTable {
  SymbolTable table;
  std::uint64_t byte_count = 0;
};
Result<ReadTable> read_symbol_table(std::span<const std::byte> bytes);
// Refuses a table whose symbols do not stand in that format's order of lengths: 2 to 8, then 1.
Result<std::vector<std::byte>> write_symbol_table(const SymbolTable& table);

// Rows that share a symbol table: those from first_row to the next group's.
struct RowGroup {
  std::uint64_t first_row = 0;
  std::uint64_t first_string_byte = 0;  // of the whole column's text: where these rows' text begins
  std::shared_ptr<const SymbolTable> table;
};

// Where decoding may begin inside a row group's codes: at every split_code_bytes of them, counts
// from the group's first. A split's entry says where the text of the first code that begins at or
// behind it starts. Groups follow one another; each begins a block and a split of its own, so that
// a group of n code bytes has ceil(n / block_code_bytes) blocks and ceil(n / split_code_bytes)
// splits.
constexpr std::uint32_t block_code_bytes = 4096;
constexpr std::uint32_t default_split_code_bytes = 64;  // 3.3 % of the codes' size
struct Splits {
  std::uint32_t split_code_bytes = 0;  // a power of two, 16 to 4096
  Bytes block_offsets;  // u64 a block: the text byte, counts from the group's, where its first
                        // code's text starts
  Bytes
      splits;  // u16 a split: bits 0 to 14 the same, counts from its block's; bit 15: the split's
               // first byte is an escape's second, so that the first code begins one byte behind it
  std::uint64_t block_count() const { return block_offsets.size / 8; }
  std::uint64_t split_count() const { return splits.size / 2; }
};

struct EncodedStrings {
  std::uint64_t row_count = 0;
  Bytes codes;
  Bytes offsets;  // row_count + 1 offsets into codes, of offset_bytes each; the first may be above
                  // zero
  std::uint32_t offset_bytes = 4;  // 4 or 8
  Bytes validity;  // as a Column's. encode() gives a missing row no codes; others are decoded like
                   // the rest
  std::vector<RowGroup> row_groups;  // ascending, the first at row 0; empty only without rows
  std::uint64_t string_bytes = 0;    // of all rows
  std::optional<Splits> splits;      // GSST
  // Codes are what encode_string() makes with the row's table: the longest symbol at every place.
  // Then, and only then, rows of one group have equal codes when their texts are equal. True for
  // what encode() made, unknown of others' files.
  bool is_canonical = false;

  std::uint64_t offset(std::uint64_t row) const {
    return offset_bytes == 8 ? offsets.as<std::uint64_t>()[row] : offsets.as<std::uint32_t>()[row];
  }
  bool is_valid(std::uint64_t row) const {
    return validity.empty() ||
           (static_cast<unsigned>(validity.data[row >> 3]) >> (row & 7) & 1u) != 0;
  }
  // Of the group's rows, or the group's text: where it ends.
  std::uint64_t end_row(std::size_t group) const {
    return group + 1 < row_groups.size() ? row_groups[group + 1].first_row : row_count;
  }
  std::uint64_t end_string_byte(std::size_t group) const {
    return group + 1 < row_groups.size() ? row_groups[group + 1].first_string_byte : string_bytes;
  }
};

// Whether every rule holds that decoders rely on; the error names row group, row and byte. What
// decode() and the kernels write stays inside their output without it.
Status validate(const EncodedStrings& strings);
// The part that costs no more than reading the offsets: sizes, ascending offsets, row groups,
// tables, the splits' sizes.
Status validate_layout(const EncodedStrings& strings);

struct EncodeOptions {
  // A row group, which has a symbol table of its own, ends at so many rows, or before the row that
  // brings its text over so many bytes.
  std::uint64_t row_group_rows = 1 << 17, row_group_string_bytes = 32 << 20;
  std::uint32_t split_code_bytes = 0;  // 0: no splits, plain FSST
};
// Of a string column, plain or of a dictionary's texts; by as many threads as there are cores. The
// result does not depend on their number.
Result<EncodedStrings> encode(const Column& strings, const EncodeOptions& options = {});

// The splits of codes that have none; checks the codes it reads.
Result<Splits> find_splits(const EncodedStrings& strings, std::uint32_t split_code_bytes);

// A table for these texts, trained on a sample of them.
SymbolTable train(std::span<const std::string_view> texts);
// One text's codes: the longest symbol at every place. For constants of predicates; encode() makes
// the same codes, only faster.
std::vector<std::uint8_t> encode_string(const SymbolTable& table, std::string_view text);

struct DecodeOptions {
  std::uint32_t offset_bytes = 0;  // of the column: 4 or 8; 0: 4 where the text's size allows
  std::optional<std::span<const std::uint64_t>> rows =
      {};  // only these, in this order (a row may stand twice)
};
// The texts as a string column; by as many threads as there are cores. Every code is validated;
// errors name row and byte.
Result<Column> decode(const EncodedStrings& strings, const DecodeOptions& options = {});

}  // namespace penstock::fsst
