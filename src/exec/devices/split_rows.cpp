#include "exec/devices/split_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "codec/pages/paged_table.hpp"
#include "kernel/bandwidth.hpp"

namespace penstock::plan {
namespace {

// Returns the place nearest to `row` where a share may end.
std::uint64_t nearest_end(std::span<const std::uint64_t> group_ends, RowRange rows, double row) {
  if (group_ends.empty()) {
    const auto blocks = static_cast<std::uint64_t>(std::llround(row / 64));
    return std::clamp(64 * blocks, rows.begin, rows.end);
  }
  const auto after =
      std::ranges::lower_bound(group_ends, static_cast<std::uint64_t>(std::llround(row)));
  if (after == group_ends.end()) return rows.end;
  const bool is_before_nearer =
      after != group_ends.begin() &&
      row - static_cast<double>(after[-1]) < static_cast<double>(*after) - row;
  return std::clamp(is_before_nearer ? after[-1] : *after, rows.begin, rows.end);
}

}  // namespace

bool are_of_one_kind(std::span<const std::shared_ptr<Device>> devices) {
  const Traits& first = devices[0]->traits();
  return std::ranges::all_of(devices, [&](const std::shared_ptr<Device>& device) {
    const Traits& traits = device->traits();
    return traits.target == first.target && traits.name == first.name &&
           traits.compute_units == first.compute_units;
  });
}

std::vector<RowRange> split_rows(const TableSource& source, RowRange rows,
                                 std::span<const double> weights) {
  const auto table = source.pages();
  const std::span<const std::uint64_t> group_ends =
      table ? table->first_rows() : std::span<const std::uint64_t>();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<RowRange> shares;
  double before = 0;
  std::uint64_t begin = rows.begin;
  for (std::size_t i = 0; i < weights.size(); i++) {
    before += weights[i];
    const double row = static_cast<double>(rows.begin) +
                       static_cast<double>(rows.end - rows.begin) * before / total;
    const std::uint64_t end =
        before >= total ? rows.end : std::max(begin, nearest_end(group_ends, rows, row));
    shares.push_back({begin, end});
    begin = end;
  }
  return shares;
}

std::vector<Result<double>> weights_of(std::span<const std::shared_ptr<Device>> devices) {
  std::vector<Result<double>> weights(devices.size(), 1.0);
  if (are_of_one_kind(devices)) return weights;
  for (std::size_t i = 0; i < devices.size(); i++) {
    weights[i] = kernel::copy_bandwidth(*devices[i]);
    if (weights[i].ok())
      *weights[i] /= static_cast<double>(std::ranges::count(devices, devices[i]));
  }
  return weights;
}

}  // namespace penstock::plan
