// Frames of any ends: the positions in a window's order that a row's function reads.
#pragma once
#include <array>
#include <vector>

#include "exec/window/window_on_host.hpp"

namespace penstock::plan {

struct PositionRange {
  std::uint64_t first = 0, end = 0;  // none where end is not behind first
  std::uint64_t size() const { return end > first ? end - first : 0; }
};

class WindowFrames {
 public:
  WindowFrames(const Table& table, const HostWindow::Positions& positions,
               const std::vector<SortKey>& order, const FrameEnds& ends);
  // Returns the frame of the row at a position, in parts: the excluded rows lie between them.
  std::array<PositionRange, 3> at(std::uint64_t position) const;

 private:
  PositionRange partition(std::uint64_t i) const { return ranges_of_partitions_[partitions_[i]]; }
  PositionRange peers(std::uint64_t i) const { return ranges_of_peers_[groups_[i]]; }
  std::uint64_t end_of(const FrameEnd& end, std::uint64_t i, bool is_first) const;
  std::int64_t offset_of(const FrameEnd& end, std::uint64_t i) const;
  std::uint64_t row_end(const FrameEnd& end, std::uint64_t i, bool is_first) const;
  std::uint64_t group_end(const FrameEnd& end, std::uint64_t i, bool is_first) const;
  std::uint64_t value_end(const FrameEnd& end, std::uint64_t i, bool is_first) const;

  const Table& table_;
  const HostWindow::Positions& positions_;
  const std::vector<SortKey>& order_;
  const FrameEnds ends_;
  std::vector<std::uint32_t> partitions_, groups_;  // by position: their numbers
  std::vector<PositionRange> ranges_of_partitions_, ranges_of_peers_;
};

}  // namespace penstock::plan
