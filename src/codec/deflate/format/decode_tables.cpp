#include "codec/deflate/format/decode_tables.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace penstock::deflate {
namespace {

enum class Incomplete { refused, one_symbol_or_none };

// The symbols of a code in the order of their code words, shortest first.
struct SortedCode {
  std::array<std::uint16_t, max_code_bits + 1> count{};  // of each length
  std::array<std::uint16_t, literal_symbols> symbols;
  unsigned begin = 0;  // symbols without a code come first
  unsigned longest = 0;
  int slots_left = 0;  // of 2^15; negative for an over-subscribed code

  explicit SortedCode(std::span<const std::uint8_t> code_bits) {
    for (const std::uint8_t bits : code_bits) count[bits]++;
    std::array<std::uint16_t, max_code_bits + 2> at{};
    slots_left = 1 << max_code_bits;
    for (unsigned bits = 0; bits <= max_code_bits; bits++) {
      at[bits + 1] = static_cast<std::uint16_t>(at[bits] + count[bits]);
      if (bits > 0) slots_left -= count[bits] << (max_code_bits - bits);
      if (bits > 0 && count[bits] > 0) longest = bits;
    }
    begin = count[0];
    for (unsigned symbol = 0; symbol < code_bits.size(); symbol++)
      symbols[at[code_bits[symbol]]++] = static_cast<std::uint16_t>(symbol);
  }
};

// Code words are stored highest bit first. Returns the next code word of `bits` bits, with the bits
// reversed.
inline unsigned next_reversed(unsigned reversed, unsigned bits) {
  const unsigned zeros = reversed ^ ((1u << bits) - 1);
  if (zeros == 0) return 0;
  const unsigned highest = std::bit_floor(zeros);
  return (reversed & (highest - 1)) | highest;
}

// Makes the second tables, for codes longer than table_bits. Codes with the same first bits are
// consecutive, the longest last, and share a table.
template <class EntryOf>
void build_second_tables(const SortedCode& code, unsigned index, unsigned bits, unsigned reversed,
                         unsigned symbol_count, Entry* table, unsigned table_bits,
                         const EntryOf& entry_of) {
  unsigned next_table = 1u << table_bits, left = 0;
  while (code.count[bits] == 0) bits++;
  left = code.count[bits];
  while (index < symbol_count) {
    const unsigned first_bits = reversed & ((1u << table_bits) - 1);
    unsigned second_bits = bits - table_bits,
             slots = left;  // until this many codes of the longest kind fill the table
    while (slots < 1u << second_bits) slots = 2 * slots + code.count[table_bits + ++second_bits];
    table[first_bits] =
        special_entry | next_table << value_at | second_bits << code_bits_at | table_bits;
    Entry* const second = table + next_table;
    next_table += 1u << second_bits;
    for (; index < symbol_count && (reversed & ((1u << table_bits) - 1)) == first_bits; index++) {
      const Entry entry = entry_of(code.symbols[index], bits - table_bits);
      for (unsigned at = reversed >> table_bits; at < 1u << second_bits;
           at += 1u << (bits - table_bits))
        second[at] = entry;
      reversed = next_reversed(reversed, bits);
      if (--left > 0 || index + 1 == symbol_count) continue;
      while (code.count[++bits] == 0) {}
      left = code.count[bits];
    }
  }
}

// The table doubles with each code length: its content repeats for each further bit.
template <class EntryOf>
void build_complete(const SortedCode& code, unsigned symbol_count, Entry* table,
                    unsigned table_bits, const EntryOf& entry_of) {
  unsigned index = code.begin, reversed = 0, bits = 1;
  for (; bits <= table_bits; bits++) {
    for (unsigned left = code.count[bits]; left > 0; left--) {
      table[reversed] = entry_of(code.symbols[index++], bits);
      reversed = next_reversed(reversed, bits);
    }
    if (bits < table_bits) std::memcpy(table + (1u << bits), table, sizeof(Entry) << bits);
  }
  if (index < symbol_count)
    build_second_tables(code, index, bits, reversed, symbol_count, table, table_bits, entry_of);
}

template <class EntryOf>
bool build(const SortedCode& code, std::size_t symbol_count, Incomplete allowed, Entry* table,
           unsigned table_bits, const EntryOf& entry_of) {
  if (code.slots_left < 0) return false;
  if (code.slots_left == 0) {
    build_complete(code, static_cast<unsigned>(symbol_count), table, table_bits, entry_of);
    return true;
  }
  if (allowed == Incomplete::refused || code.longest > 1) return false;
  std::fill_n(table, std::size_t{1} << table_bits, special_entry | no_symbol_entry | 1);
  if (code.longest == 1)
    for (unsigned at = 0; at < 1u << table_bits; at += 2)
      table[at] = entry_of(code.symbols[code.begin], 1);
  return true;
}

template <std::size_t count>
Entry ranged(const std::array<Range, count>& ranges, unsigned index, unsigned bits) {
  if (index >= count) return special_entry | no_symbol_entry | bits;
  return Entry{ranges[index].base} << value_at | bits << code_bits_at |
         (bits + ranges[index].extra_bits);
}
Entry literal_entry_of(unsigned symbol, unsigned bits) {
  if (symbol < end_of_block)
    return literal_entry | bits << first_bits_at | 1u << literal_count_at | symbol << 8 | bits;
  if (symbol == end_of_block) return special_entry | end_entry | bits;
  return ranged(length_ranges, symbol - end_of_block - 1, bits);
}
Entry distance_entry_of(unsigned symbol, unsigned bits) {
  return ranged(distance_ranges, symbol, bits);
}

// If the bits after a literal of `bits` bits are another literal's code, both become one entry.
// Computes the sum to add to the first entry, for each value of the bits after it.
void pair_sums(const Entry* table, unsigned bits, Entry* sums) {
  const unsigned left = literal_table_bits - bits;
  for (unsigned at = 0; at < 1u << left; at++) {
    const Entry second = table[at];
    const Entry sum = 1u << literal_count_at | (second & 0xff00) << 8 | (second & 0xff);
    sums[at] = (second >> 31 & ((second & 0xff) <= left)) ? sum : 0;
  }
}

}  // namespace

bool build_literals(std::span<const std::uint8_t> code_bits, DecodeTables& tables) {
  return build(SortedCode(code_bits), code_bits.size(), Incomplete::one_symbol_or_none,
               tables.literals.data(), literal_table_bits, literal_entry_of);
}

void pair_literals(std::span<const std::uint8_t> code_bits, DecodeTables& tables) {
  const SortedCode code(code_bits);
  Entry* const table = tables.literals.data();
  // For codes of b bits there are 2^(11 - b) sums, at that index.
  std::array<Entry, 1u << literal_table_bits> sums;
  for (unsigned bits = 1; bits < literal_table_bits; bits++)
    if (code.count[bits] > 0)
      pair_sums(table, bits, sums.data() + (1u << (literal_table_bits - bits)));
  unsigned index = code.begin, reversed = 0;
  for (unsigned bits = 1; bits < literal_table_bits; bits++) {
    const Entry* const sum = sums.data() + (1u << (literal_table_bits - bits));
    for (unsigned left = code.count[bits]; left > 0;
         left--, index++, reversed = next_reversed(reversed, bits)) {
      if (code.symbols[index] >= end_of_block) continue;
      const Entry first = table[reversed];
      for (unsigned at = 0; at < 1u << (literal_table_bits - bits); at++)
        table[reversed + (at << bits)] = first + sum[at];
    }
  }
}

bool build_distances(std::span<const std::uint8_t> code_bits, DecodeTables& tables) {
  return build(SortedCode(code_bits), code_bits.size(), Incomplete::one_symbol_or_none,
               tables.distances.data(), distance_table_bits, distance_entry_of);
}

bool build_precode(std::span<const std::uint8_t> code_bits, PrecodeTable& table) {
  return build(SortedCode(code_bits), code_bits.size(), Incomplete::refused, table.data(),
               precode_table_bits,
               [](unsigned symbol, unsigned bits) { return Entry{symbol} << value_at | bits; });
}

const DecodeTables& fixed_tables() {
  static const DecodeTables tables = [] {
    std::array<std::uint8_t, literal_symbols> literals;
    for (unsigned symbol = 0; symbol < literal_symbols; symbol++)
      literals[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
    std::array<std::uint8_t, distance_symbols> distances;
    distances.fill(5);
    DecodeTables result;
    build_literals(literals, result);
    pair_literals(literals, result);
    build_distances(distances, result);
    return result;
  }();
  return tables;
}

}  // namespace penstock::deflate
