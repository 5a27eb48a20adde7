#include "codec/fsst/host/symbol_matcher.hpp"

namespace penstock::fsst {

Matcher::Matcher() {
  long_[0].symbol = 1;  // 0 hashes to slot 0 and would match there; 1 hashes to another slot
  constexpr auto escape = static_cast<std::uint16_t>(Match::of(escape_code, 1, true).bits);
  single_.fill(escape);
  short_.fill(escape);
}

void Matcher::add_single(std::uint32_t byte, std::uint16_t match) {
  single_[byte] = match;
  for (std::uint32_t second = 0; second < 256; second++)
    if (std::uint16_t& at = short_[byte | second << 8]; Match{at}.length() == 1) at = match;
}

bool Matcher::add(std::uint64_t symbol, std::uint32_t length, std::uint32_t code) {
  const auto match = static_cast<std::uint16_t>(Match::of(code, length, false).bits);
  if (length == 1) {
    add_single(static_cast<std::uint32_t>(symbol), match);
  } else if (length == 2) {
    short_[symbol] = match;
  } else {
    LongSymbol& at = long_[slot_of(symbol)];
    if (!at.is_free()) return false;
    at = {symbol, match, static_cast<std::uint8_t>(64 - 8 * length)};
  }
  return true;
}

std::unique_ptr<const Matcher> matcher_of(const SymbolTable& table) {
  auto matcher = std::make_unique<Matcher>();
  for (std::uint32_t code = 0; code < table.symbol_count; code++)
    if (!matcher->add(table.symbols[code], table.lengths[code], code)) return nullptr;
  return matcher;
}

}  // namespace penstock::fsst
