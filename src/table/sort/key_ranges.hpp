// Divides rows in device memory into ranges of a key (kernels/order_ranges.kc): some are sorted and
// leave the device while other ones wait (range_pieces.hpp). Equal keys are in one range, so that
// ranges one after another are the whole order.
#pragma once
#include <vector>

#include "penstock/report.hpp"
#include "penstock/steps.hpp"
#include "table/kernels/order_limits.h"
#include "table/sort/columns_by_range.hpp"

namespace penstock::plan {

constexpr std::size_t max_key_ranges = ORDER_MAX_RANGES;

class KeyRanges {
 public:
  // The key of the ranges. `ranks`: of strings by their codes, otherwise not read.
  struct Key {
    const DeviceColumn& column;
    const SortKey& order;
    const Buffer& ranks;
  };
  struct Word {  // the order of a key
    std::uint64_t nulls = 0, value = 0;
    auto operator<=>(const Word&) const = default;
  };
  // The rows of each range one after another, in the order they had.
  struct Order {
    BufferPointer rows;  // u32
    std::vector<std::uint64_t> ends;
  };
  struct Rows {
    DeviceRows rows;
    std::vector<std::uint64_t> ends;
  };

  // `kernels`: of a program that includes kernels/order_ranges.kc.
  KeyRanges(RowKernels& kernels, Queue& queue, std::uint64_t row_count, Key key)
      : kernels_(kernels), queue_(queue), row_count_(row_count), key_(key) {}

  // Returns the keys of some rows: one of each of so many parts.
  Result<std::vector<Word>> sample(std::uint64_t count);
  // Divide by the first keys of all ranges but the first, in their order. Code::invalid if there
  // are more than max_key_ranges.
  Result<Order> divide(const std::vector<Word>& bounds, RunReport& report);
  Result<Rows> divide(const DeviceRows& rows, const std::vector<Word>& bounds, RunReport& report);
  // Returns the first row of each range but the first, among rows that are in order.
  Result<std::vector<std::uint64_t>> cut(const std::vector<Word>& bounds);
  // Enqueues a copy of the rows of an order from `first` on.
  static Status take(RowKernels& kernels, Queue& queue, const Buffer& order, std::uint64_t first,
                     std::uint64_t count, const Buffer& to);

 private:
  Result<BufferPointer> upload(const std::vector<Word>& bounds);
  // `move` enqueues the work on columns, once the ranges of rows are known.
  template <class Move>
  Result<std::vector<std::uint64_t>> move_by_range(const std::vector<Word>& bounds,
                                                   const Move& move, RunReport& report);
  Status launch(std::string_view kernel, std::uint64_t count,
                std::initializer_list<const Buffer*> buffers,
                std::initializer_list<Argument> numbers);

  RowKernels& kernels_;
  Queue& queue_;
  const std::uint64_t row_count_;
  const Key key_;
};

}  // namespace penstock::plan
