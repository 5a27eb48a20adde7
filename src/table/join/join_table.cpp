#include "table/join/join_table.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};  // the position of a row with a NULL

// The least and the greatest of the words of keys that are not NULL, as signed numbers, minus the
// least of these.
std::pair<std::uint64_t, std::uint64_t> range_of(std::span<const std::uint64_t> words,
                                                 std::span<const std::uint8_t> present) {
  std::mutex mutex;
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  in_parallel(words.size(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (std::uint64_t row = first; row < last; row++) {
      low = present[row] ? std::min(low, words[row] ^ join_sign_bit) : low;
      high = present[row] ? std::max(high, words[row] ^ join_sign_bit) : high;
    }
    const std::lock_guard lock(mutex);
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
  });
  return lowest > highest ? std::pair<std::uint64_t, std::uint64_t>{0, 0}
                          : std::pair{lowest, highest};
}

}  // namespace

void JoinTable::begin(const JoinHeaderWords& header, const KeyWords& keys) {
  positions_.resize(header[header_last_position] + 1);
  clear_positions();
  table_.assign(header.begin(), header.end());
  table_[header_has_rows] = !keys.present.empty();
  next_.clear();
  if (table_[header_is_exact] != 0) return;
  const std::span<const std::uint64_t> words = keys.words();
  table_.resize(header_words + words.size());
  for_rows(words.size(), [&](std::uint64_t i) { table_[header_words + i] = words[i]; });
}

void JoinTable::clear_positions() {
  for_rows(positions_.size(), [&](std::uint64_t i) { positions_[i] = 0; });
}

// Fills a table of one key in the order of its values: with a position for each value of a narrow
// range, else for neighbouring values. Returns false if these are so uneven that keys lie far
// from their positions, or that one which is not there would be looked for along a long run.
bool JoinTable::fill_in_order(const KeyWords& keys, bool wants_all) {
  const std::uint64_t row_count = keys.present.size();
  const auto [lowest, highest] = range_of(keys.words(), keys.present);
  if (!is_exact_range(lowest, highest, row_count)) {
    begin(ordered_header(lowest, highest, row_count), keys);
    return insert_all(keys, wants_all, JOIN_MAX_STEPS) && !has_long_run();
  }
  begin(exact_header(lowest, highest), keys);
  if (insert_once(keys, wants_all)) return true;
  clear_positions();
  return insert_all(keys, wants_all, JOIN_ANY_STEPS);
}

// Returns whether very many neighbouring positions are taken. Keys in even steps with one far above
// them make one run of them all: a key that is not there took 0.5 ms at 100,000.
bool JoinTable::has_long_run() const {
  constexpr std::uint64_t long_run = std::uint64_t{2} * JOIN_RUN_BLOCK;
  std::atomic<bool> found = false;
  in_parallel(positions_.size(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t run = 0;
    for (std::uint64_t at = first - std::min(first, long_run); at < last; at++) {
      run = positions_[at] == 0 ? 0 : run + 1;
      if (run <= long_run) continue;
      found = true;
      return;
    }
  });
  return found;
}

// Fills a table in threads; each position must belong to one key. Returns false if a key
// repeats and all its rows are wanted: chains are made in order.
bool JoinTable::insert_once(const KeyWords& keys, bool wants_all) {
  const std::span<const std::uint64_t> words = keys.words();
  const std::span<const std::uint8_t> present = keys.present;
  std::atomic<bool> is_twice = false, has_nulls = false;
  in_parallel(present.size(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    bool twice = false, nulls = false;
    for (std::uint64_t row = first; row < last; row++) {
      if (row % rows_between_checks == 0) check_cancelled();
      nulls |= present[row] == 0;
      if (!present[row]) continue;
      const std::atomic_ref<std::uint32_t> position(positions_[words[row] - table_[header_base]]);
      if (!wants_all)
        position.store(static_cast<std::uint32_t>(row + 1), std::memory_order_relaxed);
      else
        twice |=
            position.exchange(static_cast<std::uint32_t>(row + 1), std::memory_order_relaxed) != 0;
    }
    if (twice) is_twice = true;
    if (nulls) has_nulls = true;
  });
  table_[header_has_nulls] = has_nulls;
  return !is_twice;
}

// Puts a row's key at the first free position from its own on, or finds it there. The first row of
// a key represents it. Returns how many positions it lies behind its own.
std::uint64_t JoinTable::put(std::uint32_t row, std::span<const std::uint64_t> key,
                             std::uint64_t max_steps, Placed& placed) {
  std::uint64_t at = position_of(key), steps = 0;
  for (; steps <= max_steps; steps++, at = at + 1 == positions_.size() ? 0 : at + 1) {
    const std::atomic_ref<std::uint32_t> position(positions_[at]);
    std::uint32_t seen = position.load(std::memory_order_relaxed);
    if (seen == 0 && position.compare_exchange_strong(seen, row + 1, std::memory_order_relaxed))
      break;
    if (!holds(seen - 1, key)) continue;
    placed.is_twice = true;
    while (seen > row + 1 &&
           !position.compare_exchange_weak(seen, row + 1, std::memory_order_relaxed)) {}
    break;
  }
  placed.position = at;
  return steps;
}

// Fills a table in threads. Unless any steps are allowed, returns false if a key would lie more
// than so many from its position, or keys lie too many from their own on average.
bool JoinTable::insert_all(const KeyWords& keys, bool wants_all, std::uint32_t max_steps) {
  const std::uint64_t row_count = keys.present.size(),
                      most = max_steps == JOIN_ANY_STEPS ? positions_.size() : max_steps;
  const std::uint64_t max_total_steps = JOIN_MEAN_STEPS * row_count;
  LargeVector<std::uint64_t> positions(row_count);
  std::atomic<std::uint64_t> total_steps = 0;
  std::atomic<bool> is_twice = false, has_nulls = false, is_too_far = false;
  in_parallel(row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    Placed placed;
    std::uint64_t steps = 0;
    for (std::uint64_t row = first; row < last; row++) {
      if (row % rows_between_checks == 0) check_cancelled();
      if (!keys.present[row]) {
        has_nulls.store(true, std::memory_order_relaxed);
        positions[row] = nowhere;
        continue;
      }
      const std::uint64_t of_row =
          put(static_cast<std::uint32_t>(row), keys.words().subspan(row * key_count_, key_count_),
              most, placed);
      positions[row] = placed.position;
      steps += of_row;
      if (of_row > most || (max_steps != JOIN_ANY_STEPS && steps > max_total_steps)) {
        is_too_far = true;
        return;
      }
    }
    total_steps += steps;
    if (placed.is_twice) is_twice = true;
  });
  table_[header_has_nulls] = has_nulls;
  if (is_too_far || (max_steps != JOIN_ANY_STEPS && total_steps > max_total_steps)) return false;
  if (is_twice && wants_all) chain(positions);
  return true;
}

// Chains the rows of each key in their order. A thread has a range of positions, whose rows it
// finds among all. A position's last row is kept in `positions_` meanwhile.
void JoinTable::chain(const LargeVector<std::uint64_t>& positions) {
  next_.resize(positions.size());
  in_parallel(positions_.size(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t at = first; at < last; at++) positions_[at] = 0;
    for (std::uint64_t row = positions.size(); row-- > 0;) {
      if (row % rows_between_checks == 0) check_cancelled();
      const std::uint64_t at = positions[row];
      if (at < first || at >= last) continue;
      next_[row] = positions_[at] - 1;  // no_row behind the last one
      positions_[at] = static_cast<std::uint32_t>(row + 1);
    }
  });
}

Result<JoinTable> JoinTable::build(std::span<const Column> keys, StringPool& strings,
                                   bool wants_all) {
  PENSTOCK_ASSIGN(const KeyWords words, key_words(keys, strings));
  if (words.present.size() >= no_row)
    return Status(Code::capacity, "the right side of a join has more than 2^32 rows");
  JoinTable table;
  table.key_count_ = keys.size();
  if (keys.size() == 1 && table.fill_in_order(words, wants_all)) return table;
  table.begin(hashed_header(words.present.size()), words);
  table.insert_all(words, wants_all, JOIN_ANY_STEPS);
  return table;
}

}  // namespace penstock::plan
