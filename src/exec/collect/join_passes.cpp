#include "exec/collect/join_passes.hpp"

#include <algorithm>

namespace penstock::plan {

Status JoinPasses::begin_rows(std::size_t pass) {
  return of_.partitions && !are_of_lookup() ? of_.pairs->begin_partition(pass) : Status();
}

Status JoinPasses::begin_lookups(std::size_t pass) {
  if (of_.program.lookups.empty()) return {};
  if (pass == 0) return upload_all();
  return are_of_lookup() ? renew(pass) : Status();
}

Status JoinPasses::upload_all() {
  if (!are_of_lookup()) return memory_.upload(*of_.device, of_.program, *of_.sides, of_.strings);
  const std::vector<Lookup>& lookups = of_.program.lookups;
  partitioned_ = static_cast<std::size_t>(
      std::find_if(lookups.begin(), lookups.end(),
                   [](const Lookup& lookup) { return lookup.is_partitioned; }) -
      lookups.begin());
  sides_ = *of_.sides;
  PENSTOCK_ASSIGN(sides_[of_.partitions->join()], of_.partitions->side_of(0));
  return memory_.upload(*of_.device, of_.program, sides_, of_.strings);
}

// The memory of the partition before is free when that of this one is taken.
Status JoinPasses::renew(std::size_t pass) {
  std::shared_ptr<const BuildSide>& side = sides_[of_.partitions->join()];
  memory_.release(partitioned_);
  side.reset();
  PENSTOCK_ASSIGN(side, of_.partitions->side_of(pass));
  return memory_.renew(*of_.device, of_.program, partitioned_, sides_, of_.strings);
}

}  // namespace penstock::plan
