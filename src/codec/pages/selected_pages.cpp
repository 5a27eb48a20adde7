#include "codec/pages/selected_pages.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace penstock::pages {

std::vector<std::uint32_t> groups_with_rows(const PagedTable& table,
                                            std::span<const RowRange> ranges) {
  const std::span<const std::uint64_t> rows = table.first_rows();
  std::vector<std::uint32_t> groups;
  groups.reserve(rows.size());
  std::size_t range = 0;
  for (std::uint32_t group = 0; group + 1 < rows.size(); group++) {
    while (range < ranges.size() && ranges[range].end <= rows[group]) range++;
    if (range < ranges.size() && ranges[range].begin < rows[group + 1]) groups.push_back(group);
  }
  return groups;
}

std::vector<std::uint32_t> all_groups(const PagedTable& table) {
  std::vector<std::uint32_t> groups(table.first_rows().size() - 1);
  std::iota(groups.begin(), groups.end(), 0u);
  return groups;
}

RowGroupBatch part_of(const PagedTable& table, std::span<const std::uint32_t> columns,
                      const RowGroupBatch& batch, std::span<const std::uint32_t> groups) {
  constexpr BatchLimits no_limits{UINT64_MAX, UINT64_MAX, UINT64_MAX};
  if (groups.size() + 1 == table.first_rows().size()) return batch;  // they are all groups
  const auto first = std::ranges::lower_bound(groups, batch.row_groups.front());
  const auto last = std::upper_bound(first, groups.end(), batch.row_groups.back());
  std::vector<std::uint32_t> common;
  std::set_intersection(batch.row_groups.begin(), batch.row_groups.end(), first, last,
                        std::back_inserter(common));
  if (common.size() == batch.row_groups.size()) return batch;
  std::vector<RowGroupBatch> parts = plan_batches(table, columns, common, no_limits);
  return parts.empty() ? RowGroupBatch() : std::move(parts[0]);
}

}  // namespace penstock::pages
