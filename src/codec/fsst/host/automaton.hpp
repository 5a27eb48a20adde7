// Predicates on strings as automata, on bytes and then on the codes of a symbol table.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "penstock/fsst/matcher.hpp"

namespace penstock::fsst {

// A deterministic automaton. States are numbers: first the ordinary ones, of which the accepting
// ones are last, then three final ones that no byte changes: matched, dead and invalid.
struct Automaton {
  std::uint32_t state_count = 0;      // of ordinary states
  std::uint32_t first_accepting = 0;  // states from here to matched() match at a string's end
  std::uint32_t start = 0;            // may be a final state
  std::vector<std::array<std::uint8_t, 256>> next;  // [state][byte]

  std::uint32_t matched() const { return state_count; }
  std::uint32_t dead() const { return state_count + 1; }
  std::uint32_t invalid() const { return state_count + 2; }  // the codes are corrupt
  std::uint32_t after(std::uint32_t state, std::uint8_t byte) const {
    return state < state_count ? next[state][byte] : state;
  }
};

// Builds a predicate's automaton. Code::unsupported above 253 states.
Result<Automaton> automaton_of(const Predicate& predicate);

// Returns a row group's transitions, [state][code]: the state after a symbol. The escape code, 255,
// changes nothing.
std::vector<std::uint8_t> code_transitions(const Automaton& automaton, const SymbolTable& table);

// Returns the length of `word` if the predicate is LIKE '%word%', else 0.
std::uint32_t contained_bytes(const Predicate& predicate);

// Returns one word per code, with which kernels find the few blocks of codes where LIKE '%word%'
// may match (fsst_find_candidates.kc).
std::array<std::uint32_t, 256> filter_of(const Automaton& automaton,
                                         const std::vector<std::uint8_t>& steps,
                                         const SymbolTable& table);

// Returns the share of blocks of 16 codes that pass the filter, in a sample of the row groups.
double candidate_share(const EncodedStrings& strings, const Automaton& automaton);

}  // namespace penstock::fsst
