#include "exec/aggregate/group_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>

#include "base/parallel.hpp"
#include "table/rows/gather.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t min_ranks_per_thread = 1 << 12;
// Slots of keys, if they take no more memory than hashes.
constexpr std::uint64_t min_slots = 1 << 12, max_slots = 1 << 20, slots_per_group = 4;
constexpr std::size_t positions_in_cache = 1 << 14;

std::uint64_t hash_of(std::span<const std::uint64_t> key) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

bool same_words(std::span<const std::uint64_t> a,
                const std::uint64_t* b) {  // few: no call of memcmp
  std::uint64_t differences = 0;
  for (std::size_t i = 0; i < a.size(); i++) differences |= a[i] ^ b[i];
  return differences == 0;
}

// A number that does not descend as values ascend; different values may have the same number.
std::uint64_t rank_of(const Scalar& value) {
  constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;
  if (!is_float(value.type)) {
    const Int128 near = std::clamp<Int128>(value.integer, INT64_MIN, INT64_MAX);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(near)) ^ top_bit;
  }
  if (std::isnan(value.real)) return ~std::uint64_t{0};
  const auto bits = std::bit_cast<std::uint64_t>(value.real == 0 ? 0.0 : value.real);
  return (bits & top_bit) != 0 ? ~bits : bits | top_bit;
}

std::uint64_t rank_of(const Scalar& value, const SortKey& key) {
  if (value.is_null) return key.nulls_first ? 0 : ~std::uint64_t{0};
  return key.descending ? ~rank_of(value) : rank_of(value);
}

void keep_lowest(std::vector<std::uint64_t>& values, std::uint64_t count) {
  if (values.size() <= count) return;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(count));
  values.resize(count);
}

}  // namespace

GroupTable::GroupTable(const TileProgram& program, const ProgramStrings& strings)
    : program_(program),
      strings_(strings),
      slots_(program),
      positions_(64, 0),
      key_words_(program.key_words()),
      keys_(key_words_),
      partials_(program.accumulators.size()),
      cleared_(program.accumulators.size()) {
  clear(program, cleared_);
  if (!std::ranges::all_of(program.accumulators, is_exact_sum)) return;
  for (const Accumulator& a : program.accumulators) sums_.push_back({a.word, word_count(a) == 2});
}

std::size_t GroupTable::insert(std::span<const std::uint64_t> key, std::uint64_t& position) {
  std::uint64_t* const words = keys_.add(count_);
  for (std::size_t i = 0; i < key.size(); i++) words[i] = key[i];
  Partial* const partials = partials_.add(count_);
  for (std::size_t i = 0; i < cleared_.size(); i++) partials[i] = cleared_[i];
  position = ++count_;
  return count_ - 1;
}

std::size_t GroupTable::find_by_hash(std::span<const std::uint64_t> wanted) {
  for (std::uint64_t at = hash_of(wanted);; at++) {
    std::uint64_t& position = positions_[at & (positions_.size() - 1)];
    if (position == 0) return insert(wanted, position);
    if (same_words(wanted, keys_.row(position - 1))) return position - 1;
  }
}

std::size_t GroupTable::find_or_insert(std::span<const std::uint64_t> wanted) {
  if (slots_.are_used()) {
    std::uint64_t slot = slots_.slot_of(wanted.data());
    if (slot == KeySlots::outside) {
      make_room(wanted, wanted.size());
      slot = slots_.are_used() ? slots_.slot_of(wanted.data()) : slot;
    }
    if (slot != KeySlots::outside)
      return positions_[slot] != 0 ? positions_[slot] - 1 : insert(wanted, positions_[slot]);
  }
  if (2 * (count_ + 1) > positions_.size()) refill();
  return find_by_hash(wanted);
}

// Puts all groups in their present places for lookups.
void GroupTable::refill() {
  const std::size_t size = slots_.are_used() ? slots_.count() : std::bit_ceil(4 * (count_ + 1));
  LargeVector<std::uint64_t> positions(size, 0);
  for (std::size_t group = 0; group < count_; group++) {
    std::uint64_t at = slots_.are_used() ? slots_.slot_of(keys_.row(group)) : hash_of(key(group));
    while (positions[at & (size - 1)] != 0 && !slots_.are_used()) at++;
    positions[slots_.are_used() ? at : at & (size - 1)] = group + 1;
  }
  positions_ = std::move(positions);
}

// Makes it likely that the entries to be added have slots. Groups that were appended are looked up
// by hash.
void GroupTable::make_room(std::span<const std::uint64_t> entries, std::size_t entry_words) {
  if (count_ > 0 && !slots_.are_used()) return;
  const std::uint64_t groups = count_ + entries.size() / entry_words;
  const std::uint64_t most = std::clamp(slots_per_group * groups, min_slots, max_slots);
  if (slots_.cover(entries, entry_words, most)) refill();
}

std::span<Partial> GroupTable::partials_of(std::span<const std::uint64_t> wanted) {
  return {partials_.row(find_or_insert(wanted)), program_.accumulators.size()};
}

// Prefetches the memory that entries some way ahead will need. Many groups are larger than the
// caches, and a wait for one of them takes longer than all the rest of its work.
void GroupTable::expect(std::span<const std::uint64_t> entries, std::size_t entry_words,
                        std::size_t at) const {
  constexpr std::size_t positions_ahead = 32, keys_ahead = 16;
  const auto position_of = [&](std::size_t entry) {
    const std::uint64_t* const key = entries.data() + entry;
    return &positions_[slots_.are_used() ? slots_.slot_of(key)
                                         : hash_of({key, key_words_}) & (positions_.size() - 1)];
  };
  if (at + positions_ahead * entry_words < entries.size())
    __builtin_prefetch(position_of(at + positions_ahead * entry_words));
  if (at + keys_ahead * entry_words >= entries.size()) return;
  const std::uint64_t position = *position_of(at + keys_ahead * entry_words);
  if (position == 0) return;
  __builtin_prefetch(keys_.row(position - 1));
  __builtin_prefetch(partials_.row(position - 1));
}

bool GroupTable::add(std::span<const std::uint64_t> entries, std::size_t entry_words) {
  bool fits = true;
  make_room(entries, entry_words);
  if (positions_.empty()) refill();
  for (std::size_t at = 0; at < entries.size(); at += entry_words) {
    if (positions_.size() > positions_in_cache) expect(entries, entry_words, at);
    const std::span<const std::uint64_t> entry = entries.subspan(at, entry_words);
    const std::span<Partial> into = partials_of(entry.first(key_words_));
    const auto words = entry.subspan(key_words_);
    fits &= sums_.empty() ? merge(program_, into, words) : add_sums(into, words);
  }
  return fits;
}

// As merge() does, without a look at the kind of each group's accumulators.
bool GroupTable::add_sums(std::span<Partial> into, std::span<const std::uint64_t> words) const {
  bool overflows = false;
  for (std::size_t i = 0; i < sums_.size(); i++) {
    const auto low = words[sums_[i].word];
    const Partial value =
        sums_[i].is_wide ? static_cast<Partial>(
                               static_cast<unsigned __int128>(words[sums_[i].word + 1]) << 64 | low)
                         : static_cast<std::int64_t>(low);
    overflows |= __builtin_add_overflow(into[i], value, &into[i]);
  }
  return !overflows;
}

void GroupTable::append(std::span<const std::uint64_t> groups) {
  const std::size_t words = merged_words(), first = count_;
  positions_.clear();
  slots_.refuse();
  for (std::size_t at = 0; at < groups.size(); at += words) {
    keys_.add(count_);
    partials_.add(count_++);
  }
  in_parallel(count_ - first, min_rows_per_thread, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; i++) {
      const std::uint64_t* group = groups.data() + i * words;
      std::copy_n(group, key_words_, keys_.row(first + i));
      std::memcpy(partials_.row(first + i), group + key_words_, (words - key_words_) * 8);
    }
  });
}

bool GroupTable::merge_groups(std::span<const std::uint64_t> groups) {
  const std::size_t words = merged_words();
  std::vector<Partial> partials(program_.accumulators.size());
  bool fits = true;
  make_room(groups, words);
  for (std::size_t at = 0; at < groups.size(); at += words) {
    const std::span<const std::uint64_t> group = groups.subspan(at, words);
    std::memcpy(partials.data(), group.data() + key_words_, partials.size() * sizeof(Partial));
    const std::span<Partial> into = partials_of(group.first(key_words_));
    if (sums_.empty()) fits &= merge(program_, into, std::span<const Partial>(partials));
    for (std::size_t i = 0; i < sums_.size(); i++)
      fits &= !__builtin_add_overflow(into[i], partials[i], &into[i]);
  }
  return fits;
}

bool GroupTable::add_distinct(const GroupTable& values) {
  const std::size_t keys = program_.key_count, mask_words = program_.key_words() - keys;
  std::vector<std::uint64_t> wanted(program_.key_words());
  std::vector<Scalar> row(keys + 1);
  if (keys == 0) partials_of(wanted);  // one row, also of no values
  const bool of_strings = has_string_extremes(program_);
  bool fits = true;
  for (std::size_t group = 0; group < values.count_; group++) {
    const std::span<const std::uint64_t> words = values.key(group);
    std::copy_n(words.begin(), keys, wanted.begin());
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(keys) + 1, mask_words,
                wanted.begin() + static_cast<std::ptrdiff_t>(keys));
    if (keys < 64 * mask_words) wanted[keys + keys / 64] &= ~(std::uint64_t{1} << (keys % 64));
    const Type type = program_.results[0].argument_type;
    row[keys] = values.is_null(group, keys) ? Scalar::null_of(type)
                                            : expr::scalar_of_word(type, words[keys]);
    const std::span<Partial> into = partials_of(wanted);
    fits &= add_row(program_, into, row);
    if (of_strings && !row[keys].is_null)
      keep_string(program_, into, row[keys].integer,
                  [&](Partial a, Partial b) { return text_of(a) < text_of(b); });
  }
  return fits;
}

std::string_view GroupTable::text_of(Partial code) const {
  return strings_.text(program_, program_.key_count, static_cast<std::uint32_t>(code));
}

std::vector<std::uint64_t> GroupTable::all_groups() const {
  std::vector<std::uint64_t> groups(count_);
  std::iota(groups.begin(), groups.end(), std::uint64_t{0});
  return groups;
}

Scalar GroupTable::value_of(std::size_t group, std::uint32_t c) const {
  if (c >= program_.key_count)
    return result_of(program_, program_.results[c - program_.key_count], partials(group));
  const Type type = program_.schema[c].type;
  return is_null(group, c) ? Scalar::null_of(type) : expr::scalar_of_word(type, key(group)[c]);
}

// Returns groups that include the first ones by an order, and all that are equal to the last of
// these: no column is made of the other groups. They are chosen by numbers of the first key alone.
std::vector<std::uint64_t> GroupTable::groups_near(const TopK& first) const {
  const SortKey& by = first.keys[0];
  if (program_.schema[by.column].type.kind == Kind::string) return all_groups();
  std::vector<std::uint64_t> ranks(count_), lowest;
  std::mutex mutex;
  in_parallel(count_, min_ranks_per_thread, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t group = begin; group < end; group++)
      ranks[group] = rank_of(value_of(group, by.column), by);
    const auto at = [&](std::uint64_t group) {
      return ranks.begin() + static_cast<std::ptrdiff_t>(group);
    };
    std::vector<std::uint64_t> some(at(begin), at(end));
    keep_lowest(some, first.count);
    const std::lock_guard lock(mutex);
    lowest.insert(lowest.end(), some.begin(), some.end());
  });
  keep_lowest(lowest, first.count);
  const std::uint64_t limit = *std::ranges::max_element(lowest);
  std::vector<std::uint64_t> groups;
  for (std::uint64_t group = 0; group < count_; group++)
    if (ranks[group] <= limit) groups.push_back(group);
  return groups;
}

// Returns the first groups by an order, and the groups that are equal to the last of them: the keys
// tell which of these come first.
std::vector<std::uint64_t> GroupTable::groups_up_to(const TopK& first) const {
  if (first.keys.empty() || first.count == 0 || first.count >= count_ / 4) return all_groups();
  const std::vector<std::uint64_t> groups = groups_near(first);
  Table ordered;
  ordered.row_count = groups.size();
  ordered.columns.resize(program_.schema.size());
  for (const SortKey& key : first.keys)
    ordered.columns[key.column] = column_of_groups(key.column, groups);
  const std::vector<NormalizedKey> words = normalized_keys(ordered, first.keys);
  const std::uint64_t last = order_on_host(words, groups.size(), first.count).back();
  std::vector<std::uint64_t> found;
  for (std::uint64_t i = 0; i < groups.size(); i++) {
    const auto word = std::ranges::find_if(
        words, [&](const NormalizedKey& one) { return one.values[i] != one.values[last]; });
    if (word == words.end() || word->values[i] < word->values[last]) found.push_back(groups[i]);
  }
  return found;
}

// Slots are in the order of the keys.
void GroupTable::sort_by_slots(std::vector<std::uint64_t>& groups) const {
  if (groups.size() < count_) {
    const auto slot_of = [&](std::uint64_t group) { return slots_.slot_of(keys_.row(group)); };
    std::ranges::sort(groups, {}, slot_of);
    return;
  }
  groups.clear();
  for (const std::uint64_t position : positions_)
    if (position != 0) groups.push_back(position - 1);
}

Table GroupTable::finish(const TopK* first) const {
  std::vector<std::uint64_t> groups = first ? groups_up_to(*first) : all_groups();
  if (slots_.are_in_order()) sort_by_slots(groups);
  Table table;
  table.row_count = groups.size();
  std::vector<SortKey> order;
  for (std::uint32_t c = 0; c < program_.schema.size(); c++) {
    table.names.push_back(program_.schema[c].name);
    table.columns.push_back(column_of_groups(c, groups));
    if (c < program_.key_count) order.push_back({c, false, false});
  }
  if (slots_.are_in_order()) return table;
  return gather(table, order_on_host(normalized_keys(table, order), groups.size(), groups.size()));
}

}  // namespace penstock::plan
