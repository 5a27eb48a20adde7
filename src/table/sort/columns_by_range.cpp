#include "table/sort/columns_by_range.hpp"

#include "device/allocate.hpp"
#include "table/rows/gather_on_device.hpp"

namespace penstock::plan {

Result<ColumnsByRange> ColumnsByRange::begin(RowKernels& kernels, Queue& queue,
                                             std::uint64_t row_count) {
  ColumnsByRange columns(kernels, queue, row_count);
  for (BufferPointer* each : {&columns.numbers_, &columns.sorted_numbers_}) {
    PENSTOCK_ASSIGN(*each, device::allocate(kernels.device(), row_count));
  }
  return columns;
}

Status ColumnsByRange::timed(Timed& timed, const std::function<Status()>& enqueue,
                             std::uint64_t bytes) {
  PENSTOCK_ASSIGN(const auto begun, queue_.record());
  PENSTOCK_TRY(enqueue());
  PENSTOCK_ASSIGN(const auto done, queue_.record());
  timed.times.emplace_back(begun, done);
  timed.figures.launches++;
  timed.figures.bytes_moved += bytes;
  return {};
}

// The sort swaps what it is given, and the numbers stay as they are for the next column. It reads
// them once more than it moves them, to count them.
Result<BufferPointer> ColumnsByRange::move(const BufferPointer& column, std::uint32_t width) {
  auto& [sort, passes] = sorts_[width];
  if (!sort) {
    PENSTOCK_ASSIGN(sort, primitive::RadixSort::build(kernels_.shared_device(), {1, width}));
  }
  primitive::SortData data{numbers_, column}, moved{sorted_numbers_, nullptr};
  PENSTOCK_ASSIGN(moved.values, device::allocate(kernels_.device(), row_count_ * width));
  const BufferPointer to = moved.values;
  PENSTOCK_TRY(timed(
      passes, [&] { return sort->enqueue(queue_, data, moved, row_count_); },
      row_count_ * (1 + 2 * (1 + std::uint64_t{width}))));
  return to;
}

Result<BufferPointer> ColumnsByRange::move_row_numbers() {
  PENSTOCK_ASSIGN(const BufferPointer rows, device::allocate(kernels_.device(), row_count_ * 4));
  const std::vector<Argument> all = {Argument::of(*rows), Argument::value(row_count_)};
  PENSTOCK_TRY(launch([&] { return kernels_.launch(queue_, "order_begin", row_count_, all); },
                      row_count_ * 4));
  return move(rows, 4);
}

Result<BufferPointer> ColumnsByRange::gather(const Buffer& column, std::uint32_t width) {
  if (!order_) { PENSTOCK_ASSIGN(order_, move_row_numbers()); }
  const GatherNumbers ordered{row_count_, order_};
  BufferPointer to;
  const auto gather_it = [&]() -> Status {
    PENSTOCK_ASSIGN(to, gather_column(kernels_, queue_, ordered, column, width));
    return {};
  };
  PENSTOCK_TRY(launch(gather_it, row_count_ * (4 + 2 * std::uint64_t{width})));
  return to;
}

Result<DeviceRows> ColumnsByRange::move(const DeviceRows& rows) {
  return with_columns_moved(rows, rows.row_count,
                            [&](const BufferPointer& column, std::uint32_t width) {
                              return width <= 8 ? move(column, width) : gather(*column, width);
                            });
}

Result<KernelFigures> ColumnsByRange::figures_of(const Timed& timed) {
  KernelFigures figures = timed.figures;
  for (const auto& [begun, done] : timed.times) {
    PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
    figures.device_seconds += seconds;
  }
  return figures;
}

Status ColumnsByRange::add_to(RunReport& report) const {
  PENSTOCK_ASSIGN(const KernelFigures others, figures_of(others_));
  kernels_.add_to(report, "order_ranges", others);
  for (const auto& [width, used] : sorts_) {
    PENSTOCK_ASSIGN(const KernelFigures passes, figures_of(used.passes));
    add_kernel(report, "radix_sort", used.sort->source(), used.sort->program(), passes);
  }
  return {};
}

}  // namespace penstock::plan
