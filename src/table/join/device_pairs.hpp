// Pairs of left and right rows with equal keys, both in device memory, where keys repeat on the
// right (kernels/join_pairs.kc). The number of all pairs is known before one is made, and any range
// of them can be made: so they are, in batches that keep to memory.
#pragma once
#include "penstock/steps.hpp"
#include "table/join/build_side.hpp"
#include "table/rows/gather_on_device.hpp"

namespace penstock::plan {

class DevicePairs {
 public:
  // Counts the pairs of an inner or left join, whose right side has an order of its rows. Returns
  // nothing where that takes more than `limit_bytes`, or what the device has. Waits.
  static Result<std::optional<DevicePairs>> count(DeviceRows left, const Columns& left_keys,
                                                  std::shared_ptr<const BuildSide> right,
                                                  JoinKind kind, std::uint64_t limit_bytes);
  // Returns what count() takes for each left row.
  static constexpr std::uint64_t bytes_per_left_row(std::size_t key_count) {
    return 8 * key_count + 17;
  }
  std::uint64_t pair_count() const { return pair_count_; }
  const DeviceRows& left() const { return left_; }
  const DeviceSide& right() const { return *right_->on_device; }
  RowKernels& kernels() const { return *right().kernels; }
  std::uint64_t bytes() const;  // of the left side, and of what was counted
  const KernelFigures& figures() const { return figures_; }  // of what was counted

  // A range of pairs: by which rows columns of each side are gathered.
  struct Range {
    GatherNumbers left, right;
  };
  Result<Range> make(Queue& queue, std::uint64_t begin, std::uint64_t count) const;
  // Returns a column of a range's pairs, from a column of one side.
  Result<DeviceColumn> gather(Queue& queue, const DeviceColumn& from,
                              const GatherNumbers& by) const;

 private:
  Status find_rows(Queue& queue, const Columns& left_keys, const DeviceKeys& keys,
                   const BufferPointer& pairs);
  std::uint64_t bytes_of_counts() const;

  DeviceRows left_;
  std::shared_ptr<const BuildSide> right_;
  bool keeps_alone_ = false;    // left rows without a partner
  BufferPointer found_, sums_;  // of left rows: what has their key, and the pairs before theirs
  std::uint64_t pair_count_ = 0;
  KernelFigures figures_;
};

}  // namespace penstock::plan
