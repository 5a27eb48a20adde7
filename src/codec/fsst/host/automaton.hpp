// Predicates on texts as automatons: first on bytes, then on the codes of a symbol table.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "penstock/fsst/matcher.hpp"

namespace penstock::fsst {

// States are numbers: those that more bytes can change come first, the ones that hold at a text's
// end last among them; then three that nothing changes.
struct Automaton {
  std::uint32_t state_count = 0;      // of those that change
  std::uint32_t first_accepting = 0;  // states from here to matched() hold at a text's end
  std::uint32_t start = 0;            // may be one that nothing changes
  std::vector<std::array<std::uint8_t, 256>> next;  // [state][byte]

  std::uint32_t matched() const { return state_count; }
  std::uint32_t dead() const { return state_count + 1; }
  std::uint32_t bad() const { return state_count + 2; }  // the codes are not sound
  std::uint32_t after(std::uint32_t state, std::uint8_t byte) const {
    return state < state_count ? next[state][byte] : state;
  }
};

// Code::unsupported when it has more states than a byte counts.
Result<Automaton> automaton_of(const Predicate& predicate);

// [state][code] of a row group: the state behind a symbol. 255, which is an escape, changes
// nothing.
std::vector<std::uint8_t> code_transitions(const Automaton& automaton, const SymbolTable& table);

// The bytes of `word` where the predicate is LIKE '%word%'; 0 where it is another.
std::uint32_t contained_bytes(const Predicate& predicate);

// A word a code, from which kernels find the few places where a LIKE '%word%' may hold
// (fsst_find_pieces.kc).
std::array<std::uint32_t, 256> filter_of(const Automaton& automaton,
                                         const std::vector<std::uint8_t>& steps,
                                         const SymbolTable& table);

// Of pieces of 16 codes, those that the filter lets through, by the first codes of some row groups.
double candidate_share(const EncodedStrings& strings, const Automaton& automaton);

}  // namespace penstock::fsst
