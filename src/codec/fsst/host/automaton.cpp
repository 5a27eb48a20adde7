// Predicates as finite automata: subset construction over positions in the pattern.
//
// The pattern is a nondeterministic automaton: a position before each element. A set of positions
// that the same input reaches is one state of the deterministic automaton. For LIKE '%word%' the
// result is the automaton of Knuth, Morris and Pratt, for a list of constants it is their trie. The
// number of states is bounded, as LIKE '%a__________b%' would have exponentially many.
#include "codec/fsst/host/automaton.hpp"

#include <algorithm>
#include <map>

namespace penstock::fsst {
namespace {

constexpr std::uint32_t max_states = 253;  // a state fits a byte, and three more are final
constexpr std::uint64_t max_elements = 1 << 16;

struct Element {
  enum class Kind : unsigned char { byte, any_character, any_string, end };
  Kind kind = Kind::end;
  std::uint8_t byte = 0;
};
using Elements = std::vector<Element>;

void add_literals(Elements& to, std::string_view string) {
  for (const char c : string) to.push_back({Element::Kind::byte, static_cast<std::uint8_t>(c)});
}
// Appends a LIKE pattern. Consecutive % become one.
void add_pattern(Elements& to, std::string_view pattern, std::string_view escape) {
  for (std::size_t at = 0; at < pattern.size(); at++) {
    const bool is_escape = !escape.empty() && pattern[at] == escape[0] && at + 1 < pattern.size();
    if (is_escape || (pattern[at] != '%' && pattern[at] != '_')) {
      at += is_escape ? 1 : 0;
      to.push_back({Element::Kind::byte, static_cast<std::uint8_t>(pattern[at])});
    } else if (pattern[at] == '_') {
      to.push_back({Element::Kind::any_character});
    } else if (to.empty() || to.back().kind != Element::Kind::any_string) {
      to.push_back({Element::Kind::any_string});
    }
  }
}
// Returns all patterns one after another, each followed by an end element.
Elements elements_of(const Predicate& predicate) {
  Elements elements;
  for (const std::string& constant : predicate.constants) {
    if (predicate.kind == Predicate::Kind::is_like)
      add_pattern(elements, constant, predicate.escape);
    else
      add_literals(elements, constant);
    elements.push_back({Element::Kind::end});
  }
  return elements;
}

bool is_continuation(std::uint32_t byte) { return (byte & 0xc0) == 0x80; }

// Positions before an element, doubled. An odd position is inside a character that _ matched: its
// continuation bytes may still come. Ascending and unique.
using PositionSet = std::vector<std::uint32_t>;

class Construction {
 public:
  explicit Construction(Elements elements) : elements_(std::move(elements)) {}

  PositionSet start() const {
    PositionSet positions;
    for (std::uint32_t at = 0; at < elements_.size(); at++)
      if (at == 0 || elements_[at - 1].kind == Element::Kind::end) positions.push_back(2 * at);
    return reduced(std::move(positions));
  }

  PositionSet after(const PositionSet& positions, std::uint32_t byte) const {
    PositionSet next;
    for (const std::uint32_t position : positions) {
      const std::uint32_t at = position / 2;
      add_step(next, at, byte);
      if (elements_[at].kind == Element::Kind::any_string) {
        next.push_back(2 * at);
        add_step(next, at + 1, byte);
      }
      if ((position & 1) != 0 && is_continuation(byte)) next.push_back(position);
    }
    return reduced(std::move(next));
  }

  // Returns whether a pattern matches whatever follows: its last element, %, is reached.
  bool is_matched(const PositionSet& positions) const {
    return std::any_of(positions.begin(), positions.end(), [&](std::uint32_t position) {
      return elements_[position / 2].kind == Element::Kind::any_string &&
             elements_[position / 2 + 1].kind == Element::Kind::end;
    });
  }
  // Returns whether a pattern matches if the string ends here.
  bool is_accepting(const PositionSet& positions) const {
    return is_matched(positions) ||
           std::any_of(positions.begin(), positions.end(), [&](std::uint32_t position) {
             return elements_[position / 2].kind == Element::Kind::end;
           });
  }

 private:
  void add_step(PositionSet& next, std::uint32_t at, std::uint32_t byte) const {
    const Element element = elements_[at];
    if (element.kind == Element::Kind::byte && element.byte == byte) next.push_back(2 * (at + 1));
    if (element.kind == Element::Kind::any_character && !is_continuation(byte))
      next.push_back(2 * (at + 1) + 1);
  }
  // Drops positions that a % makes redundant: what still matches from before a % that was reached
  // matches from the % as well.
  PositionSet reduced(PositionSet positions) const {
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    PositionSet kept;
    for (std::size_t i = positions.size(); i-- > 0;) {
      if (!kept.empty() && covers(positions[i], kept.back())) continue;
      kept.push_back(positions[i]);
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
  }
  // Returns whether `later` is at a % of the same pattern and after `earlier`. A position after a %
  // is only reached together with the % itself.
  bool covers(std::uint32_t earlier, std::uint32_t later) const {
    return elements_[later / 2].kind == Element::Kind::any_string &&
           is_one_pattern(earlier / 2, later / 2) && earlier != later;
  }
  bool is_one_pattern(std::uint32_t first, std::uint32_t last) const {
    return std::none_of(elements_.begin() + first, elements_.begin() + last,
                        [](const Element& element) { return element.kind == Element::Kind::end; });
  }

  Elements elements_;
};

constexpr std::uint32_t matched_set = ~0u, dead_set = ~0u - 1;

// Numbers the sets in the order in which they are found, with the set that each byte leads to.
struct StateSets {
  std::vector<PositionSet> positions;
  std::vector<std::array<std::uint32_t, 256>> next;
  std::map<PositionSet, std::uint32_t> numbers;

  std::uint32_t state_set_number(const Construction& construction, const PositionSet& set) {
    if (set.empty()) return dead_set;
    if (construction.is_matched(set)) return matched_set;
    const auto [at, is_new] = numbers.emplace(set, static_cast<std::uint32_t>(positions.size()));
    if (is_new) positions.push_back(set);
    return at->second;
  }
};

// Renumbers the sets as Automaton's states.
Automaton numbered(const Construction& construction, const StateSets& sets, std::uint32_t start) {
  Automaton automaton;
  automaton.state_count = static_cast<std::uint32_t>(sets.positions.size());
  std::vector<std::uint32_t> state_of(sets.positions.size());
  std::uint32_t count = 0;
  for (const bool accepting : {false, true}) {
    if (accepting) automaton.first_accepting = count;
    for (std::size_t set = 0; set < sets.positions.size(); set++)
      if (construction.is_accepting(sets.positions[set]) == accepting) state_of[set] = count++;
  }
  const auto state = [&](std::uint32_t set) {
    return set == matched_set ? automaton.matched()
           : set == dead_set  ? automaton.dead()
                              : state_of[set];
  };
  automaton.start = state(start);
  automaton.next.resize(automaton.state_count);
  for (std::size_t set = 0; set < sets.positions.size(); set++)
    for (std::uint32_t byte = 0; byte < 256; byte++)
      automaton.next[state_of[set]][byte] = static_cast<std::uint8_t>(state(sets.next[set][byte]));
  return automaton;
}

}  // namespace

Result<Automaton> automaton_of(const Predicate& predicate) {
  if (predicate.kind == Predicate::Kind::is_like && predicate.constants.size() != 1)
    return Status(Code::invalid, "LIKE has one pattern");
  Elements elements = elements_of(predicate);
  if (elements.size() > max_elements)
    return Status(Code::unsupported, "constants of more than 65536 bytes on FSST codes");
  const Construction construction(std::move(elements));
  StateSets sets;
  const std::uint32_t start = sets.state_set_number(construction, construction.start());
  for (std::size_t set = 0; set < sets.positions.size(); set++) {
    if (sets.positions.size() > max_states)
      return Status(Code::unsupported, "a predicate on FSST codes with more than " +
                                           std::to_string(max_states) + " states");
    sets.next.emplace_back();
    for (std::uint32_t byte = 0; byte < 256; byte++) {
      const std::uint32_t next =
          sets.state_set_number(construction, construction.after(sets.positions[set], byte));
      sets.next[set][byte] = next;
    }
  }
  return numbered(construction, sets, start);
}

std::vector<std::uint8_t> code_transitions(const Automaton& automaton, const SymbolTable& table) {
  std::vector<std::uint8_t> steps(std::size_t{automaton.state_count} * 256);
  for (std::uint32_t from = 0; from < automaton.state_count; from++)
    for (std::uint32_t code = 0; code < 256; code++) {
      std::uint32_t state =
          code < table.symbol_count || code == escape_code ? from : automaton.invalid();
      for (std::uint32_t i = 0; code < table.symbol_count && i < table.lengths[code]; i++)
        state = automaton.after(state, static_cast<std::uint8_t>(table.symbols[code] >> 8 * i));
      steps[std::size_t{from} * 256 + code] = static_cast<std::uint8_t>(state);
    }
  return steps;
}

std::uint32_t contained_bytes(const Predicate& predicate) {
  if (predicate.kind != Predicate::Kind::is_like || predicate.constants.size() != 1) return 0;
  const Elements elements = elements_of(predicate);
  if (elements.size() < 4) return 0;
  for (std::size_t at = 0; at < elements.size(); at++) {
    const bool is_edge = at == 0 || at + 2 == elements.size();
    const auto expected = at + 1 == elements.size() ? Element::Kind::end
                          : is_edge                 ? Element::Kind::any_string
                                                    : Element::Kind::byte;
    if (elements[at].kind != expected) return 0;
  }
  return static_cast<std::uint32_t>(elements.size() - 3);
}

// A filter word has the state sets of one code. States beyond 13 share bits.
//
// Bits 0 to 13 of the low half are the states that the code may lead to; of the high half, the
// states from which it completes the word. The start state is always possible, as a row may begin
// at any code. Bit 14 is set in all low halves, and in the high halves of codes that need a closer
// look (escapes and codes without a symbol). Bit 15 is set in all high halves, and in the low half
// of an escape, after which the next byte is no code.
std::array<std::uint32_t, 256> filter_of(const Automaton& automaton,
                                         const std::vector<std::uint8_t>& steps,
                                         const SymbolTable& table) {
  const auto bit_of = [](std::uint32_t state) {
    return 1u << (state == 0 ? 0 : 1 + (state - 1) % 13);
  };
  std::array<std::uint32_t, 256> filter;
  for (std::uint32_t code = 0; code < 256; code++) {
    std::uint32_t leaves = 1u << 14 | bit_of(automaton.start), completes = 1u << 15;
    for (std::uint32_t state = 0; state < automaton.state_count; state++) {
      const std::uint32_t next = steps[std::size_t{state} * 256 + code];
      if (next < automaton.state_count) leaves |= bit_of(next);
      if (next == automaton.matched()) completes |= bit_of(state);
    }
    if (code >= table.symbol_count) completes |= 1u << 14;
    if (code == escape_code) leaves = 0xffff;
    filter[code] = leaves | completes << 16;
  }
  return filter;
}

double candidate_share(const EncodedStrings& strings, const Automaton& automaton) {
  constexpr std::uint64_t max_groups = 16, max_blocks = 256, candidate_codes = 16;
  const std::size_t step = std::max<std::size_t>(1, strings.row_groups.size() / max_groups);
  std::uint64_t blocks = 0, candidates = 0;
  for (std::size_t group = 0; group < strings.row_groups.size(); group += step) {
    const SymbolTable& table = *strings.row_groups[group].table;
    const std::array<std::uint32_t, 256> filter =
        filter_of(automaton, code_transitions(automaton, table), table);
    const std::uint8_t* at =
        strings.codes.as<std::uint8_t>() + strings.offset(strings.row_groups[group].first_row);
    const std::uint8_t* const end =
        strings.codes.as<std::uint8_t>() + strings.offset(strings.end_row(group));
    std::uint32_t last = 0;
    for (std::uint64_t i = 0; i < max_blocks && end - at >= std::ptrdiff_t{candidate_codes};
         i++, blocks++) {
      std::uint32_t shared = 0;
      for (std::uint64_t code = 0; code < candidate_codes; code++) {
        const std::uint32_t next = filter[*at++];
        shared |= last << 16 & next;
        last = next;
      }
      candidates += shared != 0 ? 1 : 0;
    }
  }
  return blocks > 0 ? static_cast<double>(candidates) / static_cast<double>(blocks) : 0;
}

}  // namespace penstock::fsst
