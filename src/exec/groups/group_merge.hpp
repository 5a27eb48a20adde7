// Merges the groups of chunks in device memory (kernels/group_merge.kc), so that they are
// downloaded once a run.
//
// add() enqueues and does not wait: the number of groups is read some chunks later. The table grows
// before more than half of its slots could be in use.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "exec/kernel/group_by_tables.hpp"
#include "exec/kernel/read_back.hpp"
#include "fuse/program/tile_program.hpp"
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

// The place that merges the groups of chunks. `automatic`: devices with cores of their own do, from
// the first chunk on that has min_merged_groups in one table; fewer cost the host less than a
// launch. Two launches take all tables if groups may be added in any order, which sums of floats
// may not: merging then begins with min_linked_groups in all of them.
enum class MergeLocation : unsigned char { automatic, device, host };
constexpr std::uint32_t min_merged_groups = 2048, min_linked_groups = 4096;

struct GroupShare;  // group_exchange.hpp

// A run's device, the queue of its kernels, and RunOptions::memory_limit_bytes. The queue outlives
// the groups that are merged on it.
struct MergePlace {
  MergeLocation location = MergeLocation::host;
  std::shared_ptr<Device> device;
  Queue* queue = nullptr;
  std::uint64_t memory_limit_bytes = 0;
  bool fast_math = false;
  // Reduce and group: the collector's table has keys and accumulators (partial_columns.hpp).
  bool leaves_partials = false;
  GroupShare* share = nullptr;              // of an exchange of groups with devices; may be null
  std::shared_ptr<KeptPrograms> kept = {};  // as of TileKernel::Options
  // Keys of the only groups that are needed, in the first columns; null: all groups are.
  const Table* wanted_groups = nullptr;
  // The device memory that rows of groups may take, which a later kernel reads; 0: they come to the
  // host.
  std::uint64_t rows_stay_bytes = 0;
};

// Groups in device memory: for each the words of its key, then two words for each accumulator.
struct GroupsOnDevice {
  BufferPointer words;
  std::uint64_t count = 0;
  std::uint32_t stride = 0;  // the words of a group
  bool is_in_order = false;  // as GroupByResults; otherwise in no order
};

// The entries of a merge: those that a program's kernels leave, or groups that were merged before.
enum class MergedEntries : unsigned char { of_kernels, of_merges };

class GroupMerge {
 public:
  // Begins to compile. Null if the place or the program leaves all groups to the host.
  static std::unique_ptr<GroupMerge> begin(const MergePlace& place, const TileProgram& program,
                                           MergedEntries entries = MergedEntries::of_kernels);

  // Returns whether a chunk of so many groups in each of its tables is merged here. From the first
  // such chunk on all are, so that chunks are added in their order.
  bool wants(std::span<const std::uint32_t> counts) const;
  bool is_empty() const { return merges_ == 0 && !only_.words; }
  // Enqueues the merge of a chunk's tables, none of which has a key twice. Returns false if memory
  // is too small: the host goes on then.
  Result<bool> add(const GroupByResults& tables, std::span<const std::uint32_t> counts);
  // Takes the table of a run that has no other; call it before collect() alone.
  Result<bool> add_only(const GroupByResults& tables, std::uint32_t count);
  // Does the same as add() with `count` groups of another merge, from group `first` on; no key is
  // there twice.
  Result<bool> add_groups(const Buffer& groups, std::uint64_t first, std::uint64_t count);
  // Makes a table for so many groups, before the first of them. Returns false if memory is too
  // small.
  Result<bool> make_room(std::uint64_t groups);
  std::uint64_t max_groups_held() const;  // of the largest table that may be made
  // Waits, and returns all groups. Call it once, after the last add().
  Result<GroupsOnDevice> collect();
  // Downloads groups piece by piece.
  Status download(const GroupsOnDevice& groups,
                  const std::function<void(std::span<const std::uint64_t>)>& take) const;
  Status take_all(const std::function<void(std::span<const std::uint64_t>)>& take);  // both
  // Adds the kernel, and a note if memory was too small.
  void add_to(RunReport& report) const;

 private:
  // Merges with totals that are not known yet. There are more than chunks in flight, so that
  // reading the oldest does not wait.
  static constexpr std::size_t max_unread = 4;
  struct Unread {
    ReadBack read_back;
    std::span<const std::uint32_t> totals;
    std::uint64_t entries = 0;
    std::shared_ptr<Event> begun, done;
  };
  struct Slots {
    BufferPointer states, words;
    std::uint64_t count = 0;
  };

  GroupMerge(MergePlace place, const TileProgram& program, MergedEntries entries);
  Status open();
  // Makes memory for so many entries, and enqueues their merge.
  Result<bool> add(std::uint64_t entries, const std::function<Status()>& enqueue);
  Result<bool> reserve(std::uint64_t entries);
  bool fits(std::uint64_t slots) const;
  Result<bool> grow(std::uint64_t slots);
  Status read_totals(std::uint64_t entries, std::shared_ptr<Event> begun);
  Status take_totals(Unread& unread);
  Status take_all_totals();
  void add_note(RunReport& report) const;
  Status launch(std::string_view kernel, std::uint64_t count, std::span<const Argument> arguments);
  std::uint64_t slot_bytes() const { return 4 + 8 * std::uint64_t{slot_words_}; }
  std::uint64_t max_groups() const;  // the most possible, as far as totals are known

  // group_merge_tables.cpp
  Status merge(const GroupByResults& tables, std::span<const std::uint32_t> counts);
  Status merge_table(const Buffer& entries, std::uint64_t first, std::uint64_t stride,
                     std::uint32_t count);
  Status widen(const GroupByResults& tables, const GroupsOnDevice& to);
  Status merge_linked(const GroupByResults& tables, std::uint32_t count);
  bool links(const GroupByResults& tables, std::uint64_t count);

  MergePlace place_;
  const TileProgram& program_;
  std::uint32_t slot_words_ = 0;
  std::vector<std::uint32_t> layout_words_;
  RowKernels kernels_;
  const bool adds_in_any_order_;
  BufferPointer layout_, totals_, links_;
  Slots slots_;
  GroupsOnDevice only_;                    // of add_only()
  std::array<Unread, max_unread> unread_;  // a ring: merges_ counts those that were enqueued
  std::uint64_t merges_ = 0, known_groups_ = 0, entries_merged_ = 0;
  std::uint64_t groups_taken_ = 0, refused_slots_ = 0;  // 0: memory was never too small
  std::uint32_t launch_number_ = 0;
  double device_seconds_ = 0;
};

}  // namespace penstock::plan
