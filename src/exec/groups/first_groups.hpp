// Selects the first of many groups in device memory for an order with a limit: only these are
// downloaded, and columns are made of them.
#pragma once
#include <memory>

#include "exec/groups/group_merge.hpp"
#include "table/sort/first_rows.hpp"

namespace penstock::plan {

// From this many groups on they are selected on the device. The host gets fewer groups in less time
// than the selection's histograms take.
constexpr std::uint64_t min_selected_groups = 1 << 16;

struct GroupColumn;  // first_groups.cpp

class FirstGroups {
 public:
  // Begins to compile. Null if the host selects: without a limit, if the first key of the order is
  // a string, or for an average on a device without f64. An order without keys takes any groups.
  static std::unique_ptr<FirstGroups> begin(const MergePlace& place, const TileProgram& program,
                                            const TopK* first);
  // Returns the groups that can be among the first ones; all of them if there are few, if memory is
  // too small, or if too many are tied.
  Result<GroupsOnDevice> select(const GroupsOnDevice& groups);
  void add_to(RunReport& report) const;

 private:
  FirstGroups(const MergePlace& place, const TileProgram& program, const TopK& first)
      : place_(place), program_(program), first_(first) {}
  Result<bool> divide(const GroupsOnDevice& groups, const SortKey& key);
  Status divide(const GroupsOnDevice& groups, const SortKey& key, const GroupColumn& column);
  Status divide_tied(const GroupsOnDevice& groups);

  MergePlace place_;
  const TileProgram& program_;
  const TopK& first_;
  std::unique_ptr<FirstRows> rows_;
};

}  // namespace penstock::plan
