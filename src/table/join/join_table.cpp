#include "table/join/join_table.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>

#include "base/parallel.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t mixer = 0xBF58476D1CE4E5B9u;

// Returns a key's word, as key_word() prints it.
template <class T> std::uint64_t word_of(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::isnan(value) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value + 0.0f);
  else if constexpr (std::is_same_v<T, double>)
    return std::isnan(value) ? std::uint64_t{0x7ff80000u} << 32
                             : std::bit_cast<std::uint64_t>(value + 0.0);
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class Word>
void put_words(KeyWords& to, std::size_t key, std::size_t key_count, std::uint64_t row_count,
               const Word& word) {
  in_parallel(row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      to.made[row * key_count + key] = to.present[row] ? word(row) : 0;
  });
}

template <class T>
void put_values(KeyWords& to, std::size_t key, std::size_t key_count, const Column& column) {
  const T* values = column.values.as<T>();
  put_words(to, key, key_count, column.row_count,
            [values](std::uint64_t row) { return word_of(values[row]); });
}

Status put_key(KeyWords& to, std::size_t key, std::size_t key_count, const Column& column,
               StringPool& strings) {
  switch (column.type.kind) {
    case Kind::int8: put_values<std::int8_t>(to, key, key_count, column); return {};
    case Kind::uint8: put_values<std::uint8_t>(to, key, key_count, column); return {};
    case Kind::int16: put_values<std::int16_t>(to, key, key_count, column); return {};
    case Kind::uint16: put_values<std::uint16_t>(to, key, key_count, column); return {};
    case Kind::int32:
    case Kind::date32: put_values<std::int32_t>(to, key, key_count, column); return {};
    case Kind::uint32: put_values<std::uint32_t>(to, key, key_count, column); return {};
    case Kind::float32: put_values<float>(to, key, key_count, column); return {};
    case Kind::float64: put_values<double>(to, key, key_count, column); return {};
    case Kind::int64:
    case Kind::uint64:
    case Kind::timestamp: put_values<std::int64_t>(to, key, key_count, column); return {};
    case Kind::boolean:
      put_words(to, key, key_count, column.row_count,
                [&](std::uint64_t row) { return std::uint64_t{column.boolean(row)}; });
      return {};
    case Kind::string: {
      std::vector<std::uint32_t> codes;
      PENSTOCK_TRY(strings.encode(column, codes));
      put_words(to, key, key_count, column.row_count,
                [&](std::uint64_t row) { return std::uint64_t{codes[row]}; });
      return {};
    }
    case Kind::decimal:
      if (width_bytes(column.type) != 8) break;
      put_values<std::int64_t>(to, key, key_count, column);
      return {};
    case Kind::int128: break;
  }
  return Status(Code::internal, "a key of " + name_of(column.type));
}

bool are_words(const Column& column) {
  const Kind kind = column.type.kind;
  const bool is_word = kind == Kind::int64 || kind == Kind::uint64 || kind == Kind::timestamp ||
                       (kind == Kind::decimal && width_bytes(column.type) == 8);
  return is_word && column.validity.empty();
}

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

Result<KeyWords> key_words(std::span<const Column> keys, StringPool& strings) {
  KeyWords words;
  const std::uint64_t row_count = keys[0].row_count;
  words.present.assign(row_count, 1);
  if (keys.size() == 1 && are_words(keys[0])) {
    words.of_column = {keys[0].values.as<std::uint64_t>(), row_count};
    return words;
  }
  words.made.resize(row_count * keys.size());
  for (const Column& key : keys)
    for (std::uint64_t row = 0; row < row_count && !key.validity.empty(); row++)
      words.present[row] &= key.is_valid(row);
  for (std::size_t i = 0; i < keys.size(); i++)
    PENSTOCK_TRY(put_key(words, i, keys.size(), keys[i], strings));
  return words;
}

std::uint64_t JoinTable::position_of(std::span<const std::uint64_t> key) const {
  std::uint64_t at = key[0] - table_[header_base];
  for (const std::uint64_t word : key.subspan(1)) at = (at ^ at >> 29) * mixer + word;
  return at * table_[header_factor] >> table_[header_shift];
}

void JoinTable::begin(const JoinHeaderWords& header, const KeyWords& keys) {
  positions_.resize(header[header_last_position] + 1);
  in_parallel(positions_.size(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    std::fill(positions_.begin() + static_cast<std::ptrdiff_t>(first),
              positions_.begin() + static_cast<std::ptrdiff_t>(last), 0u);
  });
  table_.assign(header.begin(), header.end());
  table_[header_has_rows] = !keys.present.empty();
  next_.clear();
  if (table_[header_is_exact] == 0)
    table_.insert(table_.end(), keys.words().begin(), keys.words().end());
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
  std::fill(positions_.begin(), positions_.end(), 0u);
  return insert_all(keys, wants_all, JOIN_ANY_STEPS);
}

bool JoinTable::holds(std::uint32_t row, std::span<const std::uint64_t> key) const {
  if (table_[header_is_exact] != 0) return true;
  const std::uint64_t* const stored = table_.data() + header_words + row * key.size();
  // A loop: std::equal calls memcmp, which costs more than one or two words do.
  for (std::size_t i = 0; i < key.size(); i++)
    if (stored[i] != key[i]) return false;
  return true;
}

std::uint32_t JoinTable::find(std::span<const std::uint64_t> key) const {
  std::uint64_t at = position_of(key);
  if (at >= positions_.size()) return no_row;
  for (; positions_[at] != 0; at = at + 1 == positions_.size() ? 0 : at + 1)
    if (holds(positions_[at] - 1, key)) return positions_[at] - 1;
  return no_row;
}

// Returns whether very many neighbouring positions are taken. Keys in even steps with one far above
// them make one run of them all: a key that is not there took 0.5 ms at 100,000.
bool JoinTable::has_long_run() const {
  constexpr std::uint64_t long_run = std::uint64_t{2} * JOIN_RUN_BLOCK;
  std::uint64_t run = 0;
  for (const std::uint32_t position : positions_) {
    run = position == 0 ? 0 : run + 1;
    if (run > long_run) return true;
  }
  return false;
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

// Fills a table from the last row to the first, so that a chain begins with its first row. Unless
// any steps are allowed, returns false if a key would lie more than so many from its position.
// It also does if keys lie too many from their own on average.
bool JoinTable::insert_all(const KeyWords& keys, bool wants_all, std::uint32_t max_steps) {
  const std::span<const std::uint64_t> words = keys.words();
  const std::uint64_t max_total_steps = JOIN_MEAN_STEPS * keys.present.size();
  std::uint64_t total_steps = 0;
  for (std::uint64_t i = keys.present.size(); i-- > 0;) {
    if (!keys.present[i]) {
      table_[header_has_nulls] = 1;
      continue;
    }
    const auto key = words.subspan(i * key_count_, key_count_);
    const auto row = static_cast<std::uint32_t>(i);
    std::uint64_t at = position_of(key), steps = 0;
    for (; positions_[at] != 0 && !holds(positions_[at] - 1, key); steps++)
      at = at + 1 == positions_.size() ? 0 : at + 1;
    total_steps += steps;
    if (max_steps != JOIN_ANY_STEPS && (steps > max_steps || total_steps > max_total_steps))
      return false;
    if (positions_[at] != 0 && wants_all) {
      if (next_.empty()) next_.assign(keys.present.size(), no_row);
      next_[row] = positions_[at] - 1;
    }
    positions_[at] = row + 1;
  }
  return true;
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
