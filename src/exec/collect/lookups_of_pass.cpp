#include "exec/collect/lookups_of_pass.hpp"

#include <algorithm>

namespace penstock::plan {

Status LookupsOfPass::begin(std::size_t pass) {
  if (program_.lookups.empty()) return {};
  if (pass == 0) return upload_all();
  return has_partitions() ? renew(pass) : Status();
}

Status LookupsOfPass::upload_all() {
  if (!has_partitions()) return memory_.upload(*run_.device, program_, *run_.sides, *run_.strings);
  const auto is_partitioned = [](const Lookup& lookup) { return lookup.is_partitioned; };
  partitioned_ = static_cast<std::size_t>(std::ranges::find_if(program_.lookups, is_partitioned) -
                                          program_.lookups.begin());
  sides_ = *run_.sides;
  PENSTOCK_ASSIGN(sides_[input_.partitions->join()], input_.partitions->side_of(0));
  return memory_.upload(*run_.device, program_, sides_, *run_.strings);
}

// The memory of the partition before is free when that of this one is taken.
Status LookupsOfPass::renew(std::size_t pass) {
  std::shared_ptr<const BuildSide>& side = sides_[input_.partitions->join()];
  memory_.release(partitioned_);
  side.reset();
  PENSTOCK_ASSIGN(side, input_.partitions->side_of(pass));
  return memory_.renew(*run_.device, program_, partitioned_, sides_, *run_.strings);
}

}  // namespace penstock::plan
