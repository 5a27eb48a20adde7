#include "table/exchange/row_exchange.hpp"

#include <algorithm>
#include <utility>

#include "table/exchange/collect_rows.hpp"
#include "table/exchange/rows_layout.hpp"
#include "table/rows/device_memory.hpp"
#include "table/sort/range_bounds.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t samples_per_share = 64;

using Samples = std::vector<KeyRanges::Word>;

// Returns where each range but the first begins. Samples stand for as many rows as their share has.
std::vector<KeyRanges::Word> bounds_of_shares(const std::vector<RowsLayout>& layouts,
                                              const std::vector<Samples>& by_share) {
  std::vector<std::pair<KeyRanges::Word, double>> samples;
  for (std::size_t share = 0; share < layouts.size(); share++)
    for (const KeyRanges::Word& key : by_share[share])
      samples.emplace_back(key, static_cast<double>(layouts[share].row_count) /
                                    static_cast<double>(by_share[share].size()));
  std::ranges::sort(samples);
  std::vector<double> weights;
  for (const auto& [key, rows] : samples) weights.push_back(rows);
  std::vector<KeyRanges::Word> bounds;
  for (const std::size_t sample : range_bounds(weights, layouts.size()))
    bounds.push_back(samples[sample].first);
  return bounds;
}

// Returns the rows of each range.
Result<std::vector<RowsOfShare>> cut(const std::shared_ptr<Device>& device, const DeviceRows& rows,
                                     const SortKey& key, const std::vector<KeyRanges::Word>& bounds,
                                     DeviceRowSort& sorter) {
  PENSTOCK_ASSIGN(std::vector<std::uint64_t> ends, sorter.cut(rows, key, bounds));
  ends.push_back(rows.row_count);
  std::vector<RowsOfShare> ranges;
  for (std::uint64_t begin = 0; const std::uint64_t end : ends)
    ranges.push_back({device, rows, {std::exchange(begin, end), end}});
  return ranges;
}

// A device holds its own sorted rows, the rows of its range, and the merged range. A merge takes 40
// bytes a row at most (four words of 8, two orders of 4), more than a sort's 24.
bool all_ranges_fit(const std::vector<std::vector<RowsOfShare>>& by_share,
                    std::uint64_t memory_limit_bytes) {
  for (std::size_t to = 0; to < by_share.size(); to++) {
    const RowsOfShare& own = by_share[to][to];
    std::uint64_t rows = 0;
    for (const std::vector<RowsOfShare>& from : by_share) rows += from[to].count();
    const std::uint64_t own_bytes = bytes_on_device(own.rows);
    const std::uint64_t bytes = own_bytes + rows * (2 * own_bytes / own.rows.row_count + 40);
    if (!fits_memory(own.device->traits(), memory_limit_bytes, bytes)) return false;
  }
  return true;
}

Result<RowExchange::Range> collect(const std::vector<std::vector<RowsOfShare>>& by_share,
                                   std::size_t share, RunReport& report) {
  RowExchange::Range range;
  std::vector<RowsOfShare> pieces;
  std::uint64_t rows = 0;
  for (const std::vector<RowsOfShare>& from : by_share) {
    pieces.push_back(from[share]);
    range.run_ends.push_back(rows += from[share].count());
  }
  PENSTOCK_ASSIGN(range.rows, collect_rows(pieces, share, report));
  return range;
}

}  // namespace

void RowExchange::leave(std::size_t share) {
  collective_.leave(share);
  joint_rows_.leave(share);
  if (ranges_) ranges_->leave(share);
}

Result<std::optional<RowExchange::Range>> RowExchange::exchange(
    std::size_t share, std::shared_ptr<Device> device, std::optional<DeviceRows> sorted,
    const SortKey& first_key, DeviceRowSort& sorter, std::uint64_t memory_limit_bytes,
    RunReport& report) {
  const auto part = [&](const Collective::Member& all) -> Exchanged<Range> {
    if (!sorted || sorted->row_count == 0) return Agreement::refused();
    PENSTOCK_ASSIGN(const auto layouts, all.gather<RowsLayout>(layout_of(*sorted)));
    if (!have_one_layout(*layouts)) return Agreement::refused();
    PENSTOCK_ASSIGN(const auto samples,
                    all.gather(sorter.sample(*sorted, first_key, samples_per_share)));
    const auto bounds = bounds_of_shares(*layouts, *samples);
    PENSTOCK_ASSIGN(auto by_share, all.gather(cut(device, *sorted, first_key, bounds, sorter)));
    if (!all_ranges_fit(*by_share, memory_limit_bytes)) return Agreement::refused();
    auto range = collect(*by_share, share, report);
    by_share.reset();
    PENSTOCK_TRY(all.agree(range.status()));
    return std::move(range).value();
  };
  return collective_.take_part(share, part).result();
}

}  // namespace penstock::plan
