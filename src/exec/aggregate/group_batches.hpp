// Entries of groups that wait to be merged: with many groups, all are merged at once, in parts of
// their keys' hashes. A part's groups stay in a core's cache, and each has its own thread.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "exec/aggregate/group_set.hpp"

namespace penstock::plan {

class GroupBatches {
 public:
  static constexpr std::size_t part_count = 256;

  // Keeps entries as long as it needs them: by their owner, or else copied.
  void add(std::span<const std::uint64_t> entries, const EntryForm& form,
           std::shared_ptr<const void> owner);
  std::uint64_t size() const { return count_; }
  std::uint64_t bytes() const { return bytes_; }
  // Adds all entries to their parts in the order in which they came, and forgets them. Returns
  // false if a sum overflows 128 bits. `device`: see GroupMemory.
  bool merge_into(const GroupLayout& layout, std::span<GroupSet> parts,
                  const std::shared_ptr<Device>& device);

 private:
  struct Batch {
    std::span<const std::uint64_t> entries;
    EntryForm form;
    std::shared_ptr<const void> owner;

    std::uint64_t size() const { return entries.size() / form.words; }
  };
  // An entry that is to be merged.
  struct Place {
    const std::uint64_t* entry = nullptr;
    std::uint64_t hash = 0;
  };
  struct Divided {
    std::span<Place> places;  // part after part
    std::array<std::uint64_t, part_count + 1> first = {};
  };
  class Divider;
  static bool merge_part(const GroupLayout& layout, std::span<const Place> places,
                         const EntryForm& form, GroupSet& part);
  static bool merge_some(const GroupLayout& layout, std::span<const Batch> batches,
                         std::span<GroupSet> parts, const std::shared_ptr<Device>& device);

  std::vector<Batch> batches_;
  std::uint64_t count_ = 0, bytes_ = 0;
};

}  // namespace penstock::plan
