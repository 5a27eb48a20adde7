// Patterns become sets of places in them, sets become states.
#include "codec/fsst/host/automaton.hpp"

#include <algorithm>
#include <map>

namespace penstock::fsst {
namespace {

constexpr std::uint32_t max_states = 253;  // a byte counts them, and three that nothing changes
constexpr std::uint64_t max_elements = 1 << 16;

struct Element {
  enum class Kind : unsigned char { byte, any_character, any_text, end };
  Kind kind = Kind::end;
  std::uint8_t byte = 0;
};
using Elements = std::vector<Element>;

void add_literals(Elements& to, std::string_view text) {
  for (const char c : text) to.push_back({Element::Kind::byte, static_cast<std::uint8_t>(c)});
}
// Several % in a row are one.
void add_pattern(Elements& to, std::string_view pattern, std::string_view escape) {
  for (std::size_t at = 0; at < pattern.size(); at++) {
    const bool is_escape = !escape.empty() && pattern[at] == escape[0] && at + 1 < pattern.size();
    if (is_escape || (pattern[at] != '%' && pattern[at] != '_')) {
      at += is_escape ? 1 : 0;
      to.push_back({Element::Kind::byte, static_cast<std::uint8_t>(pattern[at])});
    } else if (pattern[at] == '_') {
      to.push_back({Element::Kind::any_character});
    } else if (to.empty() || to.back().kind != Element::Kind::any_text) {
      to.push_back({Element::Kind::any_text});
    }
  }
}
// All patterns one behind another, each with its end.
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

// A place before an element, doubled; odd: behind a character of _ whose continuation bytes may
// still come. Ascending, each once.
using Places = std::vector<std::uint32_t>;

class Construction {
 public:
  explicit Construction(Elements elements) : elements_(std::move(elements)) {}

  Places start() const {
    Places places;
    for (std::uint32_t at = 0; at < elements_.size(); at++)
      if (at == 0 || elements_[at - 1].kind == Element::Kind::end) places.push_back(2 * at);
    return reduced(std::move(places));
  }

  Places after(const Places& places, std::uint32_t byte) const {
    Places next;
    for (const std::uint32_t place : places) {
      const std::uint32_t at = place / 2;
      add_step(next, at, byte);
      if (elements_[at].kind == Element::Kind::any_text) {
        next.push_back(2 * at);
        add_step(next, at + 1, byte);
      }
      if ((place & 1) != 0 && is_continuation(byte)) next.push_back(place);
    }
    return reduced(std::move(next));
  }

  // Of the places' patterns one holds whatever comes: % is its last element.
  bool is_matched(const Places& places) const {
    return std::any_of(places.begin(), places.end(), [&](std::uint32_t place) {
      return elements_[place / 2].kind == Element::Kind::any_text &&
             elements_[place / 2 + 1].kind == Element::Kind::end;
    });
  }
  // Holds when the text ends here.
  bool is_accepting(const Places& places) const {
    return is_matched(places) ||
           std::any_of(places.begin(), places.end(), [&](std::uint32_t place) {
             return elements_[place / 2].kind == Element::Kind::end;
           });
  }

 private:
  void add_step(Places& next, std::uint32_t at, std::uint32_t byte) const {
    const Element element = elements_[at];
    if (element.kind == Element::Kind::byte && element.byte == byte) next.push_back(2 * (at + 1));
    if (element.kind == Element::Kind::any_character && !is_continuation(byte))
      next.push_back(2 * (at + 1) + 1);
  }
  // What a pattern still asks for before a % that was reached need not be tried any more: whatever
  // holds from there holds from the %, too.
  Places reduced(Places places) const {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    Places kept;
    for (std::size_t i = places.size(); i-- > 0;) {
      if (!kept.empty() && covers(places[i], kept.back())) continue;
      kept.push_back(places[i]);
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
  }
  // Whether a % stands at or before `later`, behind `earlier`, in one pattern, and was reached:
  // places behind a % come with the % itself.
  bool covers(std::uint32_t earlier, std::uint32_t later) const {
    return elements_[later / 2].kind == Element::Kind::any_text &&
           is_one_pattern(earlier / 2, later / 2) && earlier != later;
  }
  bool is_one_pattern(std::uint32_t first, std::uint32_t last) const {
    return std::none_of(elements_.begin() + first, elements_.begin() + last,
                        [](const Element& element) { return element.kind == Element::Kind::end; });
  }

  Elements elements_;
};

constexpr std::uint32_t matched_set = ~0u, dead_set = ~0u - 1;

// Sets by number in the order they are met, and where each byte leads.
struct Sets {
  std::vector<Places> places;
  std::vector<std::array<std::uint32_t, 256>> next;
  std::map<Places, std::uint32_t> numbers;

  std::uint32_t number_of(const Construction& construction, const Places& set) {
    if (set.empty()) return dead_set;
    if (construction.is_matched(set)) return matched_set;
    const auto [at, is_new] = numbers.emplace(set, static_cast<std::uint32_t>(places.size()));
    if (is_new) places.push_back(set);
    return at->second;
  }
};

// Numbers as Automaton has them.
Automaton numbered(const Construction& construction, const Sets& sets, std::uint32_t start) {
  Automaton automaton;
  automaton.state_count = static_cast<std::uint32_t>(sets.places.size());
  std::vector<std::uint32_t> state_of(sets.places.size());
  std::uint32_t count = 0;
  for (const bool accepting : {false, true}) {
    if (accepting) automaton.first_accepting = count;
    for (std::size_t set = 0; set < sets.places.size(); set++)
      if (construction.is_accepting(sets.places[set]) == accepting) state_of[set] = count++;
  }
  const auto state = [&](std::uint32_t set) {
    return set == matched_set ? automaton.matched()
           : set == dead_set  ? automaton.dead()
                              : state_of[set];
  };
  automaton.start = state(start);
  automaton.next.resize(automaton.state_count);
  for (std::size_t set = 0; set < sets.places.size(); set++)
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
  Sets sets;
  const std::uint32_t start = sets.number_of(construction, construction.start());
  for (std::size_t set = 0; set < sets.places.size(); set++) {
    if (sets.places.size() > max_states)
      return Status(Code::unsupported, "a predicate on FSST codes that takes more than " +
                                           std::to_string(max_states) + " states");
    sets.next.emplace_back();
    for (std::uint32_t byte = 0; byte < 256; byte++) {
      const std::uint32_t next =
          sets.number_of(construction, construction.after(sets.places[set], byte));
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
          code < table.symbol_count || code == escape_code ? from : automaton.bad();
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
                          : is_edge                 ? Element::Kind::any_text
                                                    : Element::Kind::byte;
    if (elements[at].kind != expected) return 0;
  }
  return static_cast<std::uint32_t>(elements.size() - 3);
}

// Bits 0 to 13: of states, several a bit where there are more; low half: those that a code may
// leave behind, high half: those from which it completes the word. The start is always possible, as
// a row may begin there. Bit 14 is in all low halves, and in the high ones of codes that must be
// looked at by themselves; bit 15 in all high halves, and in the low one of an escape, whose next
// byte is no code.
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
  constexpr std::uint64_t max_groups = 16, max_pieces = 256, candidate_codes = 16;
  const std::size_t step = std::max<std::size_t>(1, strings.row_groups.size() / max_groups);
  std::uint64_t pieces = 0, noted = 0;
  for (std::size_t group = 0; group < strings.row_groups.size(); group += step) {
    const SymbolTable& table = *strings.row_groups[group].table;
    const std::array<std::uint32_t, 256> filter =
        filter_of(automaton, code_transitions(automaton, table), table);
    const std::uint8_t* at =
        strings.codes.as<std::uint8_t>() + strings.offset(strings.row_groups[group].first_row);
    const std::uint8_t* const end =
        strings.codes.as<std::uint8_t>() + strings.offset(strings.end_row(group));
    std::uint32_t last = 0;
    for (std::uint64_t i = 0; i < max_pieces && end - at >= std::ptrdiff_t{candidate_codes};
         i++, pieces++) {
      std::uint32_t shared = 0;
      for (std::uint64_t code = 0; code < candidate_codes; code++) {
        const std::uint32_t next = filter[*at++];
        shared |= last << 16 & next;
        last = next;
      }
      noted += shared != 0 ? 1 : 0;
    }
  }
  return pieces > 0 ? static_cast<double>(noted) / static_cast<double>(pieces) : 0;
}

}  // namespace penstock::fsst
