// FSE decoding tables of sequences: the states of one kind of code (literal lengths, offsets or
// match lengths), each with its code's value.
#pragma once
#include <array>
#include <cstdint>

#include "codec/zstd/format/fse.hpp"
#include "codec/zstd/format/zstd_constants.hpp"

namespace penstock::zstd {

enum class CodeKind : std::uint8_t { literal_length, offset, match_length };

// The description of a table, without its states: kept while later blocks may repeat it.
struct TableSource {
  TableMode mode = TableMode::repeat;  // repeat: none yet
  std::uint8_t rle_code = 0;
  Distribution distribution;  // of mode fse
};

// A state. Its value is `base` plus `value_bits` bits of the stream. The next state is `next_base`
// plus `next_bits` bits. The value of an offset code of 2 or more is the offset itself (the format
// adds three). Else it is an index into the repeat offsets: 0, or 1 plus a bit.
struct SequenceState {
  std::uint8_t value_bits = 0, next_bits = 0;
  std::uint16_t next_base = 0;
  std::uint32_t base = 0;
};

struct SequenceTable {
  std::uint64_t accuracy_log = 0;
  std::array<SequenceState, 1u << literal_length_log> states;
};
using SequenceTables = std::array<SequenceTable, 3>;  // by CodeKind

unsigned largest_log_of(CodeKind kind);
unsigned code_count_of(CodeKind kind);
void fill_table(CodeKind kind, const TableSource& source, SequenceTable& table);

}  // namespace penstock::zstd
