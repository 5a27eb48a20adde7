// Puts columns of rows in device memory in the order of the rows' ranges. Rows of one range keep
// the order they had.
//
// A range's number is a byte, so that one pass of a radix sort moves a column, and carries the
// numbers along. A gather by the rows' order reads a sector of memory for each element.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "primitive/radix_sort.hpp"
#include "table/rows/device_rows.hpp"
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

class ColumnsByRange {
 public:
  static Result<ColumnsByRange> begin(RowKernels& kernels, Queue& queue, std::uint64_t row_count);
  const Buffer& numbers() const { return *numbers_; }  // u8: write each row's range here first
  // The numbers of the rows in their new order, once the first column was moved.
  const Buffer& sorted_numbers() const { return *sorted_numbers_; }

  // These enqueue. `column`: elements of 1, 2, 4 or 8 bytes.
  Result<BufferPointer> move(const BufferPointer& column, std::uint32_t width);
  Result<BufferPointer> move_row_numbers();  // u32: the order of the rows
  // Elements of other widths are gathered. `kernels`: with kernels/order_rows.kc.
  Result<DeviceRows> move(const DeviceRows& rows);

  // Calls `enqueue`, which launches a kernel of `kernels` that moves so many bytes, and times it.
  Status launch(const std::function<Status()>& enqueue, std::uint64_t bytes) {
    return timed(others_, enqueue, bytes);
  }
  // Adds the launches, without the time to compile. Call once the queue has finished.
  Status add_to(RunReport& report) const;

 private:
  struct Timed {
    KernelFigures figures;
    std::vector<std::pair<std::shared_ptr<Event>, std::shared_ptr<Event>>> times;
  };
  struct Sort {
    std::unique_ptr<primitive::RadixSort> sort;
    Timed passes;
  };

  ColumnsByRange(RowKernels& kernels, Queue& queue, std::uint64_t row_count)
      : kernels_(kernels), queue_(queue), row_count_(row_count) {}
  Status timed(Timed& timed, const std::function<Status()>& enqueue, std::uint64_t bytes);
  static Result<KernelFigures> figures_of(const Timed& timed);
  Result<BufferPointer> gather(const Buffer& column, std::uint32_t width);

  RowKernels& kernels_;
  Queue& queue_;
  std::uint64_t row_count_;
  BufferPointer numbers_, sorted_numbers_, order_;
  std::map<std::uint32_t, Sort> sorts_;  // by an element's bytes
  Timed others_;
};

}  // namespace penstock::plan
