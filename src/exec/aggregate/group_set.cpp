#include "exec/aggregate/group_set.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"

namespace penstock::plan {
namespace {

// Slots of keys, if they take no more memory than hashes.
constexpr std::uint64_t min_slots = 1 << 12, max_slots = 1 << 20, slots_per_group = 4;
constexpr std::size_t positions_in_cache = 1 << 14;

}  // namespace

GroupMemory::GroupMemory(std::shared_ptr<Device> device)
    : device_(device && device->traits().shares_host_cores() ? std::move(device) : nullptr) {}

std::uint64_t* GroupMemory::piece(std::size_t words) {
  if (device_) {
    if (auto memory = device_->allocate_host(words * 8); memory.ok()) {
      pieces_.push_back(*memory);
      return reinterpret_cast<std::uint64_t*>((*memory)->data());
    }
  }
  const std::shared_ptr<std::uint64_t[]> memory = large_array<std::uint64_t>(words);
  pieces_.push_back(memory);
  return memory.get();
}

// The first piece is as small as the first block: most statements have few groups.
std::uint64_t* GroupMemory::take(std::size_t words) {
  words = (words + 7) / 8 * 8;  // a cache line
  const std::lock_guard lock(mutex_);
  if (words > left_) {
    left_ = std::max(words, pieces_.size() < 4 ? words : words_at_once);
    next_ = piece(left_);
  }
  left_ -= words;
  return std::exchange(next_, next_ + words);
}

GroupSet::GroupSet(const GroupLayout& layout, std::shared_ptr<GroupMemory> memory)
    : layout_(layout),
      slots_(layout.program),
      memory_(std::move(memory)),
      rows_(layout.row_words, memory_) {}

std::span<GroupSet::Position> GroupSet::free_positions(std::size_t count) const {
  static_assert(sizeof(Position) == 8);
  auto* const positions = reinterpret_cast<Position*>(memory_->take(count));
  std::fill_n(positions, count, Position());
  return {positions, count};
}

bool GroupSet::has_key(const std::uint64_t* row, const std::uint64_t* key) const {
  const std::uint64_t* const words = layout_.key(row);
  std::uint64_t differences = 0;  // few words: no call of memcmp
  for (std::size_t i = 0; i < layout_.compared_words; i++) differences |= words[i] ^ key[i];
  return differences == 0;
}

std::uint64_t* GroupSet::insert(const std::uint64_t* key, Position& position, std::uint64_t hash) {
  std::uint64_t* const row = rows_.add(count_);
  std::memcpy(row, layout_.cleared.data(), layout_.partial_count * sizeof(Partial));
  for (std::size_t i = 0; i < layout_.key_words; i++) row[2 * layout_.partial_count + i] = key[i];
  position = {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(++count_)};
  return row;
}

std::uint64_t* GroupSet::row_of(const std::uint64_t* key, std::uint64_t hash) {
  if (2 * (count_ + 1) > positions_.size()) refill();
  for (std::uint64_t at = static_cast<std::uint32_t>(hash);; at++) {
    Position& position = positions_[at & (positions_.size() - 1)];
    if (position.group == 0) return insert(key, position, hash);
    if (position.hash != static_cast<std::uint32_t>(hash)) continue;
    std::uint64_t* const row = rows_.row(position.group - 1);
    if (has_key(row, key)) return row;
  }
}

// Returns null if the key has no slot.
std::uint64_t* GroupSet::row_by_slot(const std::uint64_t* key) {
  std::uint64_t slot = slots_.slot_of(key);
  if (slot == KeySlots::outside) {
    make_room({key, layout_.key_words}, {layout_.key_words});
    slot = slots_.are_used() ? slots_.slot_of(key) : slot;
  }
  if (slot == KeySlots::outside) return nullptr;
  Position& position = positions_[slot];
  return position.group != 0 ? rows_.row(position.group - 1) : insert(key, position, 0);
}

std::uint64_t* GroupSet::row_of(const std::uint64_t* key) {
  if (slots_.are_used())
    if (std::uint64_t* const row = row_by_slot(key)) return row;
  return row_of(key, layout_.hash_of(key));
}

void GroupSet::refill_by_slot(std::span<Position> positions) const {
  for (std::size_t group = 0; group < count_; group++)
    positions[slots_.slot_of(layout_.key(rows_.row(group)))].group =
        static_cast<std::uint32_t>(group + 1);
}

void GroupSet::refill_by_hash(std::span<Position> positions) const {
  const auto place = [&](std::uint32_t hash, std::uint32_t group) {
    std::uint64_t at = hash;
    while (positions[at & (positions.size() - 1)].group != 0) at++;
    positions[at & (positions.size() - 1)] = {hash, group};
  };
  if (have_hashes_) {
    for (const Position& position : positions_)
      if (position.group != 0) place(position.hash, position.group);
    return;
  }
  for (std::size_t group = 0; group < count_; group++)
    place(static_cast<std::uint32_t>(layout_.hash_of(layout_.key(rows_.row(group)))),
          static_cast<std::uint32_t>(group + 1));
}

// Puts all groups in their present places for lookups.
void GroupSet::refill() {
  const std::span<Position> positions = free_positions(
      slots_.are_used() ? slots_.count()
                        : std::bit_ceil(std::max<std::size_t>(64, 4 * (count_ + 1))));
  if (slots_.are_used())
    refill_by_slot(positions);
  else
    refill_by_hash(positions);
  have_hashes_ = !slots_.are_used();
  positions_ = positions;
}

// Groups that were appended are looked up by hash.
void GroupSet::make_room(std::span<const std::uint64_t> entries, const EntryForm& form) {
  if (count_ > 0 && !slots_.are_used()) return;
  const std::uint64_t groups = count_ + entries.size() / form.words;
  const std::uint64_t most = std::clamp(slots_per_group * groups, min_slots, max_slots);
  if (slots_.cover(entries.subspan(form.key), form.words, most)) refill();
}

void GroupSet::expect_row(std::uint64_t hash) const {
  const Position& position = positions_[static_cast<std::uint32_t>(hash) & (positions_.size() - 1)];
  if (position.group != 0) __builtin_prefetch(rows_.row(position.group - 1));
}

// Prefetches the memory that later entries will need. Many groups are larger than the caches, and a
// wait for one of them takes longer than all the rest of its work.
void GroupSet::expect(std::span<const std::uint64_t> entries, const EntryForm& form,
                      std::size_t at) const {
  constexpr std::size_t positions_ahead = 32, rows_ahead = 16;
  const auto position_of = [&](std::size_t entry) {
    const std::uint64_t* const key = entries.data() + entry + form.key;
    return &positions_[slots_.are_used() ? slots_.slot_of(key)
                                         : static_cast<std::uint32_t>(layout_.hash_of(key)) &
                                               (positions_.size() - 1)];
  };
  if (at + positions_ahead * form.words < entries.size())
    __builtin_prefetch(position_of(at + positions_ahead * form.words));
  if (at + rows_ahead * form.words >= entries.size()) return;
  const std::uint32_t group = position_of(at + rows_ahead * form.words)->group;
  if (group != 0) __builtin_prefetch(rows_.row(group - 1));
}

bool GroupSet::add(std::span<const std::uint64_t> entries, const EntryForm& form) {
  bool fits = true;
  open();
  std::uint64_t added = 0;
  for (std::size_t at = 0; at < entries.size(); at += form.words) {
    if (++added % rows_between_checks == 0) check_cancelled();
    if (positions_.size() > positions_in_cache) expect(entries, form, at);
    const std::uint64_t* const entry = entries.data() + at;
    fits &= add_entry(layout_, form, entry, row_of(entry + form.key));
  }
  return fits;
}

void GroupSet::append(std::span<const std::uint64_t> groups, const EntryForm& form) {
  const std::size_t first = count_;
  positions_ = {};
  have_hashes_ = false;
  slots_.refuse();
  for (std::size_t at = 0; at < groups.size(); at += form.words) rows_.add(count_++);
  in_parallel(count_ - first, min_rows_per_thread, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; i++) {
      const std::uint64_t* const group = groups.data() + i * form.words;
      std::uint64_t* const row = rows_.row(first + i);
      std::memcpy(row, group + form.values, layout_.partial_count * sizeof(Partial));
      std::memcpy(row + 2 * layout_.partial_count, group + form.key, layout_.key_words * 8);
    }
  });
}

std::vector<std::uint64_t> GroupSet::by_slots() const {
  std::vector<std::uint64_t> groups;
  groups.reserve(count_);
  for (const Position& position : positions_)
    if (position.group != 0) groups.push_back(position.group - 1);
  return groups;
}

}  // namespace penstock::plan
