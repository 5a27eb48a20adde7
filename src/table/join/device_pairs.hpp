// Pairs of left and right rows with equal keys, both in device memory, for keys that repeat on the
// right (kernels/join_pairs.kc). The number of all pairs is known before one is made. Any range of
// them can be made, so they are made in batches that keep to memory.
#pragma once
#include "penstock/steps.hpp"
#include "table/join/build_side.hpp"
#include "table/rows/gather_on_device.hpp"

namespace penstock::plan {

class DevicePairs {
 public:
  // Counts the pairs of an inner or left join. The right side must have an order of its rows.
  // Returns nothing if that takes more than `limit_bytes`, or than the device has. Waits.
  static Result<std::optional<DevicePairs>> count(DeviceRows left, const Columns& left_keys,
                                                  std::shared_ptr<const BuildSide> right,
                                                  JoinKind kind, std::uint64_t limit_bytes);
  // Returns the bytes that count() takes for each left row.
  static constexpr std::uint64_t bytes_per_left_row(std::size_t key_count) {
    return 8 * key_count + 17;
  }
  std::uint64_t pair_count() const { return pair_count_; }
  const DeviceRows& left() const { return left_; }
  const DeviceSide& right() const { return *right_->on_device; }
  RowKernels& kernels() const { return *right().kernels; }
  std::uint64_t bytes() const;                               // of the left side, and of the counts
  const KernelFigures& figures() const { return figures_; }  // of counting

  // A range of pairs: the rows by which columns of each side are gathered.
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
  BufferPointer found_, sums_;  // of left rows: the key's holder, and earlier pairs
  std::uint64_t pair_count_ = 0;
  KernelFigures figures_;
};

}  // namespace penstock::plan
