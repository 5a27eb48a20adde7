#include "exec/window/window_frames.hpp"

#include <algorithm>

#include "expr/value.hpp"

namespace penstock::plan {
namespace {

// Numbers the runs of positions, and finds where each lies.
void number_runs(const std::vector<std::uint8_t>& begins, std::vector<std::uint32_t>& numbers,
                 std::vector<PositionRange>& ranges) {
  numbers.resize(begins.size());
  for (std::uint64_t i = 0; i < begins.size(); i++) {
    if (i == 0 || begins[i] != 0) ranges.push_back({i, i});
    ranges.back().end = i + 1;
    numbers[i] = static_cast<std::uint32_t>(ranges.size() - 1);
  }
}

// Adds an offset to a place, within bounds.
std::uint64_t moved_within(std::uint64_t place, std::int64_t offset, std::uint64_t first,
                           std::uint64_t last) {
  const Int128 moved = Int128(place) + offset;
  return static_cast<std::uint64_t>(std::clamp(moved, Int128(first), Int128(last)));
}

}  // namespace

WindowFrames::WindowFrames(const Table& table, const HostWindow::Positions& positions,
                           const std::vector<SortKey>& order, const FrameEnds& ends)
    : table_(table), positions_(positions), order_(order), ends_(ends) {
  number_runs(positions.partitions, partitions_, ranges_of_partitions_);
  number_runs(positions.peers, groups_, ranges_of_peers_);
}

std::array<PositionRange, 3> WindowFrames::at(std::uint64_t i) const {
  const PositionRange frame{end_of(ends_.first, i, true), end_of(ends_.last, i, false)};
  if (ends_.excluded == FrameExclusion::none) return {frame};
  const PositionRange out =
      ends_.excluded == FrameExclusion::current_row ? PositionRange{i, i + 1} : peers(i);
  std::array<PositionRange, 3> parts = {PositionRange{frame.first, std::min(frame.end, out.first)},
                                        {},
                                        {std::max(frame.first, out.end), frame.end}};
  const bool is_within = i >= frame.first && i < frame.end;
  if (ends_.excluded == FrameExclusion::ties && is_within) parts[1] = {i, i + 1};
  return parts;
}

std::uint64_t WindowFrames::end_of(const FrameEnd& end, std::uint64_t i, bool is_first) const {
  const auto end_in = [&](PositionRange range) { return is_first ? range.first : range.end; };
  switch (end.kind) {
    case FrameEnd::Kind::partition: return end_in(partition(i));
    case FrameEnd::Kind::current_row: return end_in({i, i + 1});
    case FrameEnd::Kind::peers: return end_in(peers(i));
    case FrameEnd::Kind::rows: return row_end(end, i, is_first);
    case FrameEnd::Kind::groups: return group_end(end, i, is_first);
    case FrameEnd::Kind::values: break;
  }
  return value_end(end, i, is_first);
}

std::int64_t WindowFrames::offset_of(const FrameEnd& end, std::uint64_t i) const {
  if (!end.column) return end.offset;
  const Column& column = table_.columns[*end.column];
  const std::uint64_t row = positions_.rows[i];
  if (!column.is_valid(row)) return 0;
  const std::int64_t offset = column.values.as<std::int64_t>()[row];
  return end.is_before ? -std::max(offset, -INT64_MAX) : offset;
}

std::uint64_t WindowFrames::row_end(const FrameEnd& end, std::uint64_t i, bool is_first) const {
  const PositionRange all = partition(i);
  return moved_within(i + (is_first ? 0 : 1), offset_of(end, i), all.first, all.end);
}

std::uint64_t WindowFrames::group_end(const FrameEnd& end, std::uint64_t i, bool is_first) const {
  const PositionRange all = partition(i);
  const std::int64_t first = groups_[all.first], last = groups_[all.end - 1];
  const Int128 group = Int128(groups_[i]) + offset_of(end, i);
  if (group < first) return all.first;
  if (group > last) return all.end;
  const PositionRange range = ranges_of_peers_[static_cast<std::size_t>(group)];
  return is_first ? range.first : range.end;
}

// The values of a partition are in order, with the NULLs at one end. A row without a value has its
// peers for a frame.
std::uint64_t WindowFrames::value_end(const FrameEnd& end, std::uint64_t i, bool is_first) const {
  const SortKey key = order_[0];
  const Column &values = table_.columns[key.column], &limits = table_.columns[*end.column];
  const std::uint64_t row = positions_.rows[i];
  if (!values.is_valid(row) || !limits.is_valid(row))
    return is_first ? peers(i).first : peers(i).end;
  const Scalar limit = scalar_at(limits, row);
  const auto is_below = [&](std::uint64_t position) {
    const std::uint64_t other = positions_.rows[position];
    if (!values.is_valid(other)) return key.nulls_first;
    const int order = expr::compare(scalar_at(values, other), limit) * (key.descending ? -1 : 1);
    return is_first ? order < 0 : order <= 0;
  };
  const PositionRange all = partition(i);
  std::uint64_t low = all.first, high = all.end;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (is_below(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace penstock::plan
