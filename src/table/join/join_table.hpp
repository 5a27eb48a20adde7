// The hash table of a join on the host: it finds the rows of the right side by their keys, in the
// layout of table/join/join_layout.hpp. The host makes it; the host and kernels read it. Rows with
// equal keys are chained after the first one.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "table/join/join_layout.hpp"
#include "table/join/key_words.hpp"

namespace penstock::plan {

constexpr std::uint64_t join_mixer = 0xBF58476D1CE4E5B9u;

class JoinTable {
 public:
  static constexpr std::uint32_t no_row = 0xffffffffu;

  // Makes a table of columns of equal length, one for each key; strings are words by their code in
  // the pool. Unless all rows are wanted, any row of a key may represent it.
  static Result<JoinTable> build(std::span<const Column> keys, StringPool& strings,
                                 bool wants_all = true);

  bool is_unique() const { return next_.empty(); }
  std::uint32_t find(std::span<const std::uint64_t> key) const;  // the first row of that key
  std::uint32_t next(std::uint32_t row) const { return next_.empty() ? no_row : next_[row]; }
  const LargeVector<std::uint32_t>& positions() const { return positions_; }
  const LargeVector<std::uint64_t>& table() const { return table_; }

 private:
  std::uint64_t position_of(std::span<const std::uint64_t> key) const;
  void begin(const JoinHeaderWords& header, const KeyWords& keys);
  void clear_positions();
  bool fill_in_order(const KeyWords& keys, bool wants_all);
  bool insert_once(const KeyWords& keys, bool wants_all);
  bool insert_all(const KeyWords& keys, bool wants_all, std::uint32_t max_steps);
  struct Placed {
    std::uint64_t position = 0;
    bool is_twice = false;  // the key of a row, or of one before, had been there
  };
  std::uint64_t put(std::uint32_t row, std::span<const std::uint64_t> key, std::uint64_t max_steps,
                    Placed& placed);
  void chain(const LargeVector<std::uint64_t>& positions);
  bool has_long_run() const;
  bool holds(std::uint32_t row, std::span<const std::uint64_t> key) const;

  std::size_t key_count_ = 0;
  LargeVector<std::uint32_t> positions_, next_;
  LargeVector<std::uint64_t> table_;
};

// Inline, as a join asks for the key of each row: 17 % of TPC-DS 72's samples were in calls.
inline std::uint64_t JoinTable::position_of(std::span<const std::uint64_t> key) const {
  std::uint64_t at = key[0] - table_[header_base];
  for (const std::uint64_t word : key.subspan(1)) at = (at ^ at >> 29) * join_mixer + word;
  return at * table_[header_factor] >> table_[header_shift];
}

inline bool JoinTable::holds(std::uint32_t row, std::span<const std::uint64_t> key) const {
  if (table_[header_is_exact] != 0) return true;
  const std::uint64_t* const stored = table_.data() + header_words + row * key.size();
  // A loop: std::equal calls memcmp, which costs more than one or two words do.
  for (std::size_t i = 0; i < key.size(); i++)
    if (stored[i] != key[i]) return false;
  return true;
}

inline std::uint32_t JoinTable::find(std::span<const std::uint64_t> key) const {
  std::uint64_t at = position_of(key);
  if (at >= positions_.size()) return no_row;
  for (; positions_[at] != 0; at = at + 1 == positions_.size() ? 0 : at + 1)
    if (holds(positions_[at] - 1, key)) return positions_[at] - 1;
  return no_row;
}

}  // namespace penstock::plan
