#include "codec/zstd/sequence_table.hpp"

#include <algorithm>

#include "codec/zstd/code_tables.hpp"

namespace penstock::zstd {
namespace {

SequenceState state_of(CodeKind kind, const FseState& state) {
  const unsigned code = state.symbol;
  switch (kind) {
    case CodeKind::literal_length:
      return sequence_state(literal_length_bits[code], state.next_bits, state.next_base, literal_length_base[code]);
    case CodeKind::match_length: return sequence_state(match_length_bits[code], state.next_bits, state.next_base, match_length_base[code]);
    case CodeKind::offset: break;
  }
  return sequence_state(code, state.next_bits, state.next_base, code > 1 ? (1u << code) - 3 : code);
}

template <std::size_t count> Distribution predefined(const std::int16_t (&states)[count], std::uint8_t log) {
  Distribution result{log, static_cast<std::uint8_t>(count), {}};
  std::copy(states, states + count, result.states.begin());
  return result;
}

Distribution predefined(CodeKind kind) {
  switch (kind) {
    case CodeKind::literal_length: return predefined(literal_length_default, literal_length_default_log);
    case CodeKind::offset: return predefined(offset_default, offset_default_log);
    case CodeKind::match_length: break;
  }
  return predefined(match_length_default, match_length_default_log);
}

void fill_from(CodeKind kind, const Distribution& distribution, SequenceTable& table) {
  std::array<FseState, 1u << literal_length_log> states;
  spread_states(distribution, states.data());
  table.accuracy_log = distribution.accuracy_log;
  for (unsigned at = 0; at < 1u << distribution.accuracy_log; at++) table.states[at] = state_of(kind, states[at]);
}

}  // namespace

unsigned largest_log_of(CodeKind kind) {
  return kind == CodeKind::literal_length ? literal_length_log : kind == CodeKind::offset ? offset_log : match_length_log;
}

unsigned code_count_of(CodeKind kind) {
  return kind == CodeKind::literal_length ? literal_length_codes : kind == CodeKind::offset ? offset_codes : match_length_codes;
}

void fill_table(CodeKind kind, const TableSource& source, SequenceTable& table) {
  if (source.mode == TableMode::fse) return fill_from(kind, source.distribution, table);
  if (source.mode == TableMode::predefined) return fill_from(kind, predefined(kind), table);
  table.accuracy_log = 0;
  table.states[0] = state_of(kind, FseState{source.rle_code, 0, 0});
}

}  // namespace penstock::zstd
