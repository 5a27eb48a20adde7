#include "table/exchange/row_exchange.hpp"

#include <algorithm>

#include "table/exchange/collect_rows.hpp"
#include "table/rows/device_memory.hpp"
#include "table/sort/range_bounds.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t samples_per_share = 64;

}  // namespace

void RowExchange::leave(std::size_t share) {
  meeting_.leave(share);
  joint_rows_.leave(share);
  if (ranges_) ranges_->leave(share);
}

bool RowExchange::all_have_rows() const {
  return std::ranges::all_of(parties_, [&](const Party& party) {
    return party.rows && party.rows->row_count > 0 &&
           have_one_layout(*party.rows, *parties_[0].rows);
  });
}

// Returns the first key of each range but the first. A sample stands for as many rows as its share
// has per sample.
std::vector<KeyRanges::Word> RowExchange::bounds() const {
  std::vector<std::pair<KeyRanges::Word, double>> samples;
  for (const Party& party : parties_)
    for (const KeyRanges::Word& key : party.samples)
      samples.emplace_back(key, static_cast<double>(party.rows->row_count) /
                                    static_cast<double>(party.samples.size()));
  std::ranges::sort(samples);
  std::vector<double> weights;
  for (const auto& [key, rows] : samples) weights.push_back(rows);
  std::vector<KeyRanges::Word> bounds;
  for (const std::size_t sample : range_bounds(weights, parties_.size()))
    bounds.push_back(samples[sample].first);
  return bounds;
}

Status RowExchange::cut(Party& party, const SortKey& key, DeviceRowSort& sorter) const {
  party.cuts = {0};
  PENSTOCK_ASSIGN(const auto cuts, sorter.cut(*party.rows, key, bounds()));
  party.cuts.insert(party.cuts.end(), cuts.begin(), cuts.end());
  party.cuts.push_back(party.rows->row_count);
  return {};
}

std::uint64_t RowExchange::rows_of_range(std::size_t share) const {
  std::uint64_t rows = 0;
  for (const Party& party : parties_) rows += party.cuts[share + 1] - party.cuts[share];
  return rows;
}

// A device holds its own sorted rows, the rows of its range, and these merged. A merge takes 40
// bytes a row at most (four words of 8, two orders of 4), more than a sort's 24.
bool RowExchange::all_ranges_fit(std::uint64_t memory_limit_bytes) const {
  for (std::size_t i = 0; i < parties_.size(); i++) {
    const DeviceRows& own = *parties_[i].rows;
    const std::uint64_t rows = rows_of_range(i), own_bytes = bytes_on_device(own);
    const std::uint64_t bytes = own_bytes + rows * (2 * own_bytes / own.row_count + 40);
    if (!fits_memory(parties_[i].device->traits(), memory_limit_bytes, bytes)) return false;
  }
  return true;
}

Result<RowExchange::Range> RowExchange::collect(std::size_t share, RunReport& report) const {
  Range range;
  std::vector<RowsOfShare> pieces;
  std::uint64_t rows = 0;
  for (const Party& party : parties_) {
    pieces.push_back({party.device, &*party.rows, {party.cuts[share], party.cuts[share + 1]}});
    rows += party.cuts[share + 1] - party.cuts[share];
    range.run_ends.push_back(rows);
  }
  PENSTOCK_ASSIGN(range.rows, collect_rows(pieces, share, report));
  return range;
}

Result<std::optional<RowExchange::Range>> RowExchange::exchange(
    std::size_t share, std::shared_ptr<Device> device, std::optional<DeviceRows> sorted,
    const SortKey& first_key, DeviceRowSort& sorter, std::uint64_t memory_limit_bytes,
    RunReport& report) {
  const std::optional<Range> none;
  if (!meeting_.enter(share)) return none;
  Party& party = parties_[share];
  party.device = std::move(device);
  party.rows = std::move(sorted);
  if (!meeting_.meet(share, 0) || !all_have_rows()) return none;
  PENSTOCK_ASSIGN(party.samples, sorter.sample(*party.rows, first_key, samples_per_share));
  if (!meeting_.meet(share, 1)) return another_share_has_ended();
  PENSTOCK_TRY(cut(party, first_key, sorter));
  if (!meeting_.meet(share, 2)) return another_share_has_ended();
  if (!all_ranges_fit(memory_limit_bytes)) return none;
  PENSTOCK_ASSIGN(Range range, collect(share, report));
  if (!meeting_.meet(share, 3)) return another_share_has_ended();
  party.rows.reset();  // the others have read them
  return std::optional(std::move(range));
}

}  // namespace penstock::plan
