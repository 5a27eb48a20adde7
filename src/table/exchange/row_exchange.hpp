// Rows that several devices have sorted, exchanged so that each has a range of the whole order.
//
// Every share comes with its sorted rows. The first key's samples give the bounds of ranges. Each
// device then copies its range out of the rows of all, in the order of the shares: a sorted run of
// each. It merges these (device_row_merge.hpp), and equal rows keep their order.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "penstock/report.hpp"
#include "penstock/steps.hpp"
#include "table/exchange/joint_rows.hpp"
#include "table/exchange/range_exchange.hpp"

namespace penstock::plan {

class RowExchange {
 public:
  struct Range {
    DeviceRows rows;
    std::vector<std::uint64_t> run_ends;  // of each share's rows, which are in order
  };

  // `may_divide`: whether shares have so many rows that they may be divided before they are sorted.
  RowExchange(Shares shares, bool may_divide) : collective_(shares), joint_rows_(shares) {
    if (may_divide) ranges_.emplace(shares);
  }
  RangeExchange* ranges() { return ranges_ ? &*ranges_ : nullptr; }

  // Waits for the other shares. `sorted`: nothing if the share's rows are not in device memory.
  // Returns the rows of the share's range, to be merged. Returns nothing to all shares if one has
  // left or has no rows there, if rows hold strings (codes differ), or if a range does not fit its
  // device, as when most keys are equal. `memory_limit_bytes`: as in RunOptions.
  Result<std::optional<Range>> exchange(std::size_t share, std::shared_ptr<Device> device,
                                        std::optional<DeviceRows> sorted, const SortKey& first_key,
                                        DeviceRowSort& sorter, std::uint64_t memory_limit_bytes,
                                        RunReport& report);
  // Downloads the ranges, once they are merged.
  JointRows& joint_rows() { return joint_rows_; }
  // Call when a share has ended: the others then wait for it no more.
  void leave(std::size_t share);

 private:
  Collective collective_;
  JointRows joint_rows_;
  std::optional<RangeExchange> ranges_;
};

}  // namespace penstock::plan
