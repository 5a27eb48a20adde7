// Divides groups in device memory into ranges of their keys (kernels/group_parts.kc).
#pragma once
#include <span>
#include <vector>

#include "exec/groups/group_merge.hpp"

namespace penstock::plan {

// Returns how many of a program's keys bound a range: the step's keys, without the argument of
// DISTINCT. None if devices do not order them alike: codes of strings differ.
std::uint32_t keys_of_ranges(const TileProgram& program);

class GroupParts {
 public:
  using KeyWords = std::vector<std::uint64_t>;  // of a group
  struct Divided {
    BufferPointer groups;             // part after part
    std::vector<std::uint64_t> cuts;  // the first group of each part, and the end
  };

  // Begins to compile. The program has keys_of_ranges().
  GroupParts(const MergePlace& place, const TileProgram& program);
  // Keys of some groups of a device in their order, one after another: the words of each, and words
  // that have the order of kernels/group_parts.kc.
  struct Samples {
    std::vector<std::uint64_t> words, ranks;
    std::size_t count = 0;
    std::uint64_t groups = 0;  // represented by the samples
  };
  // Returns samples of groups at even distances.
  Result<Samples> sample(const GroupsOnDevice& groups);
  // Returns the first key of each part but the first, by the samples of several devices.
  std::vector<KeyWords> bounds(std::span<const Samples* const> of_devices,
                               std::size_t part_count) const;
  // Returns the groups by parts. Code::no_memory if they do not fit.
  Result<Divided> divide(const GroupsOnDevice& groups, const std::vector<KeyWords>& bounds);
  void add_to(RunReport& report) const;

 private:
  std::vector<std::uint64_t> ranks_of(const Samples& samples) const;
  void sort(Samples& samples) const;
  std::vector<std::uint32_t> layout() const;
  Result<BufferPointer> upload(const void* from, std::uint64_t bytes) const;
  Status launch(std::string_view kernel, const GroupsOnDevice& groups,
                std::initializer_list<const Buffer*> buffers, std::size_t bound_count);

  const MergePlace place_;
  const TileProgram& program_;
  RowKernels kernels_;
  std::uint64_t bytes_moved_ = 0;
  double device_seconds_ = 0;
};

}  // namespace penstock::plan
