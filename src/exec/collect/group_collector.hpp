// Collects the groups of a group-by: merged on the device, or on the host.
#pragma once
#include "exec/collect/collector.hpp"

namespace penstock::plan {

// `first` may be null, as for make_collector().
std::unique_ptr<Collector> make_group_collector(const TileProgram& program,
                                                const ProgramStrings& strings,
                                                const MergePlace& merges, const TopK* first);

}  // namespace penstock::plan
