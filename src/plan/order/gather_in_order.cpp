#include "plan/order/gather_in_order.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "plan/codegen/kernels/order_limits.h"
#include "plan/fusion/accumulators.hpp"

namespace penstock::plan {

std::uint64_t RangeEnds::longest() const {
  std::uint64_t rows = 0, begin = 0;
  for (const std::uint64_t end : ends) rows = std::max(rows, end - std::exchange(begin, end));
  return rows;
}

GatheredElements gathered_elements(std::uint32_t width) {
  if (width % 8 == 0) return {"pairs", width / 8};
  return width % 4 == 0 ? GatheredElements{"words", width / 4} : GatheredElements{"bytes", width};
}

namespace {

// Returns how many runs each range has where runs of all ranges alternate: as many as the longest
// range fills, but for one row of each, as runs are rounded. None where that is not asked for, or
// where few ranges have most of the rows, so that most places of runs would be empty.
std::uint64_t runs_of_each(const OrderedRows& ordered) {
  const RangeEnds* const ranges = ordered.ranges;
  const bool has_all = ranges && ranges->buffer && ordered.count == ranges->ends.back();
  if (!has_all || ordered.first != 0) return 0;
  constexpr std::uint64_t max_rows = ORDER_RUN_STRIDE * ORDER_ROWS_OF_THREAD;
  const std::uint64_t runs = ranges->longest() / (max_rows - 1) + 1;
  return runs * max_rows * ranges->ends.size() / 2 <= ordered.count ? runs : 0;
}

Status gather_alternating(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                          const Buffer& from, const Buffer& to, const GatheredElements& elements,
                          std::uint64_t runs) {
  const auto range_count = static_cast<std::uint32_t>(ordered.ranges->ends.size());
  const std::uint64_t count = runs * ORDER_RUN_STRIDE * range_count;
  return kernels.launch(
      queue, std::string("range_gather_") + elements.kernel, count,
      {{Argument::of(ordered.order), Argument::of(from), Argument::of(to),
        Argument::of(*ordered.ranges->buffer), Argument::value(count), Argument::value(range_count),
        Argument::value(static_cast<std::uint32_t>(runs)), Argument::value(elements.words)}});
}

}  // namespace

Status gather_elements(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                       const Buffer& from, const Buffer& to, std::uint32_t width) {
  const GatheredElements elements = gathered_elements(width);
  const std::uint64_t runs = runs_of_each(ordered);
  if (runs > 0) return gather_alternating(kernels, queue, ordered, from, to, elements, runs);
  return kernels.launch(queue, std::string("order_gather_") + elements.kernel, ordered.count,
                        {{Argument::of(ordered.order), Argument::of(from), Argument::of(to),
                          Argument::value(ordered.first), Argument::value(ordered.count),
                          Argument::value(elements.words)}});
}

namespace {

Result<BufferPointer> gather(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                             const Buffer& from, std::uint32_t width) {
  PENSTOCK_ASSIGN(BufferPointer to,
                  kernels.device().allocate(std::max<std::uint64_t>(ordered.count * width, 64)));
  PENSTOCK_TRY(gather_elements(kernels, queue, ordered, from, *to, width));
  return to;
}

}  // namespace

Result<DeviceRows> gather_in_order(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                                   const DeviceRows& rows) {
  DeviceRows gathered;
  gathered.row_count = ordered.count;
  for (const DeviceColumn& column : rows.columns) {
    DeviceColumn& to = gathered.columns.emplace_back(DeviceColumn{column.type, nullptr, nullptr});
    const auto width = static_cast<std::uint32_t>(width_bytes(column.type));
    if (column.values) {
      PENSTOCK_ASSIGN(to.values, gather(kernels, queue, ordered, *column.values, width));
    }
    if (column.validity) {
      PENSTOCK_ASSIGN(to.validity, gather(kernels, queue, ordered, *column.validity, 1));
    }
  }
  return gathered;
}

}  // namespace penstock::plan
