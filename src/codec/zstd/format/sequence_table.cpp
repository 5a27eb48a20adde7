#include "codec/zstd/format/sequence_table.hpp"

#include <algorithm>

#include "codec/zstd/format/code_tables.hpp"

namespace penstock::zstd {
namespace {

// The values of the codes of one kind.
struct CodeValues {
  const std::uint32_t* base;
  const std::uint8_t* bits;
};

struct OffsetValues {
  std::uint32_t base[offset_codes]{0, 1};
  std::uint8_t bits[offset_codes]{0, 1};
  constexpr OffsetValues() {
    for (unsigned code = 2; code < offset_codes; code++)
      base[code] = (1u << code) - 3, bits[code] = static_cast<std::uint8_t>(code);
  }
};
constexpr OffsetValues offset_values;

CodeValues values_of(CodeKind kind) {
  switch (kind) {
    case CodeKind::literal_length: return {literal_length_base, literal_length_bits};
    case CodeKind::offset: return {offset_values.base, offset_values.bits};
    case CodeKind::match_length: break;
  }
  return {match_length_base, match_length_bits};
}

SequenceState state_of(const CodeValues& values, const FseState& state) {
  return {values.bits[state.symbol], state.next_bits, state.next_base, values.base[state.symbol]};
}

template <std::size_t count>
Distribution predefined(const std::int16_t (&states)[count], std::uint8_t log) {
  Distribution result{log, static_cast<std::uint8_t>(count), {}};
  std::copy(states, states + count, result.states.begin());
  return result;
}

Distribution predefined(CodeKind kind) {
  switch (kind) {
    case CodeKind::literal_length:
      return predefined(literal_length_default, literal_length_default_log);
    case CodeKind::offset: return predefined(offset_default, offset_default_log);
    case CodeKind::match_length: break;
  }
  return predefined(match_length_default, match_length_default_log);
}

void fill_from(CodeKind kind, const Distribution& distribution, SequenceTable& table) {
  const CodeValues values = values_of(kind);
  table.accuracy_log = distribution.accuracy_log;
  for_each_state(distribution, [&](unsigned at, const FseState& state) {
    table.states[at] = state_of(values, state);
  });
}

}  // namespace

unsigned largest_log_of(CodeKind kind) {
  return kind == CodeKind::literal_length ? literal_length_log
         : kind == CodeKind::offset       ? offset_log
                                          : match_length_log;
}

unsigned code_count_of(CodeKind kind) {
  return kind == CodeKind::literal_length ? literal_length_codes
         : kind == CodeKind::offset       ? offset_codes
                                          : match_length_codes;
}

void fill_table(CodeKind kind, const TableSource& source, SequenceTable& table) {
  if (source.mode == TableMode::fse) return fill_from(kind, source.distribution, table);
  if (source.mode == TableMode::predefined) return fill_from(kind, predefined(kind), table);
  table.accuracy_log = 0;
  table.states[0] = state_of(values_of(kind), FseState{source.rle_code, 0, 0});
}

}  // namespace penstock::zstd
