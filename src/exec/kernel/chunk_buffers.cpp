#include "exec/kernel/chunk_buffers.hpp"

namespace penstock::plan {
namespace {

template <class Wanted> void select_strategy(Strategy& strategy) {
  if (!std::holds_alternative<Wanted>(strategy)) strategy.emplace<Wanted>();
}

}  // namespace

void ChunkBuffers::select(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::store:
    case Algorithm::tile_private:
    case Algorithm::count_scan_write:
    case Algorithm::one_pass:
    case Algorithm::look_back: return select_strategy<Compaction>(strategy);
    case Algorithm::reduce: return select_strategy<Reduction>(strategy);
    case Algorithm::group: return select_strategy<PrivateGroupBy>(strategy);
    case Algorithm::group_kept: return select_strategy<KeptGroupBy>(strategy);
    case Algorithm::group_local: return select_strategy<LocalGroupBy>(strategy);
    case Algorithm::group_global: return select_strategy<GlobalGroupBy>(strategy);
    case Algorithm::group_dense: return select_strategy<DenseGroupBy>(strategy);
    case Algorithm::group_partitioned: return select_strategy<PartitionedGroupBy>(strategy);
  }
}

const GroupByResults& ChunkBuffers::group_by() const {
  if (const auto* tables = std::get_if<PrivateGroupBy>(&strategy)) return *tables;
  if (const auto* tables = std::get_if<KeptGroupBy>(&strategy)) return *tables;
  if (const auto* tables = std::get_if<LocalGroupBy>(&strategy)) return *tables;
  if (const auto* table = std::get_if<GlobalGroupBy>(&strategy)) return *table;
  if (const auto* table = std::get_if<DenseGroupBy>(&strategy)) return *table;
  return std::get<PartitionedGroupBy>(strategy);
}

}  // namespace penstock::plan
