#include "exec/aggregate/wanted_groups.hpp"

#include <bit>

#include "exec/aggregate/partial_columns.hpp"
#include "table/rows/gather.hpp"

namespace penstock::plan {
namespace {

bool has_null_bit(const std::uint64_t* masks, std::size_t i) {
  return (masks[i / 64] >> (i % 64) & 1) != 0;
}

}  // namespace

WantedGroups::WantedGroups(const TileProgram& program, const Table& groups,
                           const ProgramStrings& strings)
    : program_(program),
      key_count_(program.key_count - (program.of_distinct ? 1 : 0)),
      null_word_(program.key_count),
      keys_(words_of(groups, strings)),
      places_(std::bit_ceil(2 * groups.row_count + 2)) {
  for (std::uint32_t group = 0; group < groups.row_count; group++) {
    std::uint64_t at = hash_of(keys_.data() + group * width(), key_count_);
    while (places_[at & (places_.size() - 1)] != 0) at++;
    places_[at & (places_.size() - 1)] = group + 1;
  }
}

std::vector<std::uint64_t> WantedGroups::words_of(const Table& groups,
                                                  const ProgramStrings& strings) const {
  std::vector<std::uint64_t> words(groups.row_count * width());
  for (std::size_t i = 0; i < key_count_; i++)
    store_key(groups.columns[i], {i, key_count_}, strings.codes(program_, i), words.data(),
              width());
  return words;
}

// The word of a NULL means nothing.
std::uint64_t WantedGroups::hash_of(const std::uint64_t* key, std::size_t null_word) const {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < key_count_; i++) {
    hash = (hash ^ (has_null_bit(key + null_word, i) ? 1 : key[i])) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

// Returns the number of the wanted group with a key, plus 1; or 0.
std::uint32_t WantedGroups::find(const std::uint64_t* key, std::size_t null_word) const {
  for (std::uint64_t at = hash_of(key, null_word);; at++) {
    const std::uint32_t place = places_[at & (places_.size() - 1)];
    if (place == 0) return 0;
    const std::uint64_t* const wanted = keys_.data() + (place - 1) * width();
    bool is_same = true;
    for (std::size_t i = 0; i < key_count_ && is_same; i++) {
      const bool is_null = has_null_bit(wanted + key_count_, i);
      is_same = is_null == has_null_bit(key + null_word, i) && (is_null || wanted[i] == key[i]);
    }
    if (is_same) return place;
  }
}

Table WantedGroups::rows_of(const Table& table, const ProgramStrings& strings) const {
  const std::vector<std::uint64_t> words = words_of(table, strings);
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < table.row_count; row++)
    if (find(words.data() + row * width(), key_count_) != 0) rows.push_back(row);
  return rows.size() == table.row_count ? table : gather(table, rows);
}

}  // namespace penstock::plan
