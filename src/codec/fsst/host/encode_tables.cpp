#include "codec/fsst/host/encode_tables.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "codec/fsst/host/symbol_matcher.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint32_t slot_count = 1 << slot_bits;
constexpr std::uint32_t min_pair_count = 512;
constexpr std::uint32_t length_shift = 8, is_escaped = 0x1000, row_shift = 13;
constexpr std::uint16_t free_slot = 0xff00 | escape_code,
                        free_pair =
                            escape_code;  // a length that no string has; a code of no symbol

// A sparse table of two-byte symbols by row displacement: a row per first byte, the rows laid over
// one another. `begins` says where each row begins in `entries`.
struct Pairs {
  std::array<std::uint32_t, 256> begins{};
  std::vector<std::uint16_t> entries = std::vector<std::uint16_t>(256, free_pair);

  bool is_free(std::span<const std::uint16_t> seconds, std::uint32_t begin) const {
    return std::ranges::all_of(seconds, [&](std::uint16_t second) {
      return (entries[begin + second] & 255) == free_pair;
    });
  }
};

struct Table {
  std::array<std::uint16_t, slot_count> slots;
  std::array<std::uint8_t, 256> singles;
  std::array<std::vector<std::uint16_t>, 256>
      seconds;  // second bytes of the symbols with a first byte
  std::array<std::vector<std::uint8_t>, 256> codes;  // and their codes
  Pairs pairs;
};

// Adds a symbol. The first of equal symbols counts, as in encode_string().
bool add_symbol(Table& table, std::uint64_t symbol, std::uint32_t length, std::uint8_t code) {
  const std::uint32_t first = symbol & 255;
  if (length == 1) {
    if (table.singles[first] == escape_code) table.singles[first] = code;
  } else if (length == 2) {
    const auto second = static_cast<std::uint16_t>(symbol >> 8);
    if (std::ranges::find(table.seconds[first], second) != table.seconds[first].end()) return true;
    table.seconds[first].push_back(second);
    table.codes[first].push_back(code);
  } else {
    std::uint16_t& slot = table.slots[slot_of(symbol)];
    if (slot != free_slot) return false;
    slot = static_cast<std::uint16_t>(length << length_shift | code);
  }
  return true;
}

// Places the longest rows first, each at the first position where its entries collide with no
// other's. Tables of addresses need some 400 entries.
void lay_pairs(Table& table) {
  std::array<std::uint32_t, 256> order;
  for (std::uint32_t byte = 0; byte < 256; byte++) order[byte] = byte;
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::uint32_t byte) { return table.seconds[byte].size(); });
  Pairs& pairs = table.pairs;
  for (const std::uint32_t first : order) {
    if (table.seconds[first].empty()) break;
    std::uint32_t begin = 0;
    while (!pairs.is_free(table.seconds[first], begin))
      if (++begin + 256 > pairs.entries.size()) pairs.entries.push_back(free_pair);
    for (std::size_t i = 0; i < table.seconds[first].size(); i++)
      pairs.entries[begin + table.seconds[first][i]] =
          static_cast<std::uint16_t>(first << 8 | table.codes[first][i]);
    pairs.begins[first] = begin;
  }
}

Result<Table> table_of(const SymbolTable& symbols) {
  PENSTOCK_TRY(validate(symbols));
  Table table;
  table.slots.fill(free_slot);
  table.singles.fill(escape_code);
  for (std::uint32_t code = 0; code < symbols.symbol_count; code++)
    if (!add_symbol(table, symbols.symbols[code], symbols.lengths[code],
                    static_cast<std::uint8_t>(code)))
      return Status(Code::unsupported,
                    "symbol table, code " + std::to_string(code) + ": another symbol has its slot");
  lay_pairs(table);
  return table;
}

void append_words(const Table& table, const SymbolTable& symbols, std::uint32_t pair_count,
                  std::vector<std::uint32_t>& words) {
  const std::size_t begin = words.size();
  words.resize(begin + slot_count / 2 + 512 + 256 + pair_count / 2);
  std::uint32_t* to = words.data() + begin;
  for (std::uint32_t slot = 0; slot < slot_count; slot++)
    to[slot / 2] |= std::uint32_t{table.slots[slot]} << (16 * (slot % 2));
  to += slot_count / 2;
  std::memcpy(to, symbols.symbols.data(), symbols.symbols.size() * 8);
  to += 512;
  for (std::uint32_t byte = 0; byte < 256; byte++) {
    const std::uint32_t code =
        table.singles[byte] == escape_code ? is_escaped | byte : table.singles[byte];
    to[byte] = table.pairs.begins[byte] << row_shift | 1u << length_shift | code;
  }
  to += 256;
  for (std::uint32_t pair = 0; pair < pair_count; pair++) {
    const std::uint32_t entry =
        pair < table.pairs.entries.size() ? table.pairs.entries[pair] : free_pair;
    to[pair / 2] |= entry << (16 * (pair % 2));
  }
}

}  // namespace

Result<EncodeTables> encode_tables(std::span<const RowGroup> row_groups) {
  std::vector<Table> tables;
  std::size_t max_pairs = min_pair_count;
  for (std::size_t group = 0; group < row_groups.size(); group++) {
    auto table = table_of(*row_groups[group].table);
    if (!table.ok()) return table.status().with("row group " + std::to_string(group));
    max_pairs = std::max(max_pairs, table->pairs.entries.size());
    tables.push_back(std::move(*table));
  }
  EncodeTables all;
  all.pair_count = static_cast<std::uint32_t>(std::bit_ceil(max_pairs));
  for (std::size_t group = 0; group < tables.size(); group++)
    append_words(tables[group], *row_groups[group].table, all.pair_count, all.words);
  return all;
}

}  // namespace penstock::fsst
