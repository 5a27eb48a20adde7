// Groups on the host in one table: rows of keys and accumulators. A group is found by the slot of
// its key (key_slots.hpp), or else by hash (linear probing).
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "exec/aggregate/group_layout.hpp"
#include "exec/aggregate/key_slots.hpp"
#include "penstock/device.hpp"

namespace penstock::plan {

// Memory for groups, in large pieces. All of it is free when the last set that has some is gone.
class GroupMemory {
 public:
  // `device` may be null. One that shares the host's cores keeps idle memory for the next run.
  explicit GroupMemory(std::shared_ptr<Device> device);
  std::uint64_t* take(std::size_t words);  // uninitialised

 private:
  static constexpr std::size_t words_at_once = (std::size_t{4} << 20) / 8;
  std::uint64_t* piece(std::size_t words);

  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const void>> pieces_;
  std::uint64_t* next_ = nullptr;
  std::size_t left_ = 0;
};

// Rows in blocks that never move: nothing is copied when there are more.
class GroupRows {
 public:
  GroupRows(std::size_t width, std::shared_ptr<GroupMemory> memory)
      : width_(width), memory_(std::move(memory)) {}
  std::uint64_t* row(std::size_t group) const {
    return blocks_[group / block_rows] + group % block_rows * width_;
  }
  std::uint64_t* add(std::size_t group) {  // the next one, with undefined content
    if (group / block_rows == blocks_.size()) blocks_.push_back(memory_->take(block_rows * width_));
    return row(group);
  }
  static constexpr std::size_t block_rows = 1 << 9;

 private:
  std::size_t width_;
  std::shared_ptr<GroupMemory> memory_;
  std::vector<std::uint64_t*> blocks_;
};

class GroupSet {
 public:
  GroupSet(const GroupLayout& layout, std::shared_ptr<GroupMemory> memory);

  std::size_t size() const { return count_; }
  std::uint64_t* row(std::size_t group) const { return rows_.row(group); }
  const KeySlots& slots() const { return slots_; }
  // Returns the row of a key, which is added.
  std::uint64_t* row_of(const std::uint64_t* key);
  std::uint64_t* row_of(const std::uint64_t* key, std::uint64_t hash);
  // Adds entries of a form, one after another, after make_room(). Returns false if a sum overflows
  // 128 bits.
  bool add(std::span<const std::uint64_t> entries, const EntryForm& form);
  // Adds groups with keys that are not in the set, and differ. They are looked up by hash.
  void append(std::span<const std::uint64_t> groups, const EntryForm& form);
  // Makes it likely that the entries to be added have slots.
  void make_room(std::span<const std::uint64_t> entries, const EntryForm& form);
  // Makes positions. Call it before these:
  void open() {
    if (positions_.empty()) refill();
  }
  // Prefetches the memory that the key of a hash will need: its position, then its row.
  void expect_position(std::uint64_t hash) const {
    __builtin_prefetch(&positions_[static_cast<std::uint32_t>(hash) & (positions_.size() - 1)]);
  }
  void expect_row(std::uint64_t hash) const;
  // Returns the groups in the order of their slots.
  std::vector<std::uint64_t> by_slots() const;

 private:
  // A group and half of its hash, so that few rows are looked at in vain, and none to grow.
  struct Position {
    std::uint32_t hash = 0, group = 0;  // plus 1; 0: free
  };

  std::uint64_t* insert(const std::uint64_t* key, Position& position, std::uint64_t hash);
  std::uint64_t* row_by_slot(const std::uint64_t* key);
  void refill();
  std::span<Position> free_positions(std::size_t count) const;
  void refill_by_slot(std::span<Position> positions) const;
  void refill_by_hash(std::span<Position> positions) const;
  void expect(std::span<const std::uint64_t> entries, const EntryForm& form, std::size_t at) const;
  bool has_key(const std::uint64_t* row, const std::uint64_t* key) const;

  const GroupLayout& layout_;
  KeySlots slots_;
  // By slot; or by hash, a power of two of them, at most half in use. Empty after append(), until a
  // key is looked up.
  std::span<Position> positions_;
  bool have_hashes_ = true;  // positions_ has those of all groups
  std::shared_ptr<GroupMemory> memory_;
  GroupRows rows_;
  std::size_t count_ = 0;
};

}  // namespace penstock::plan
