#include "plan/order/gather_in_order.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "plan/fusion/accumulators.hpp"

namespace penstock::plan {
namespace {

// Elements are read by the widest words that they are of.
struct Elements {
  std::string name;
  std::uint32_t words;
};
Elements elements_of(std::uint32_t width) {
  if (width % 8 == 0) return {"pairs", width / 8};
  return width % 4 == 0 ? Elements{"words", width / 4} : Elements{"bytes", width};
}

// As in kernels/order_ranges.kc: RUN_STRIDE, and ROWS_OF_THREAD of them.
constexpr std::uint64_t threads_of_run = 256, max_run_rows = 4 * threads_of_run;

// Returns how many runs each range has where runs of all ranges alternate: as many as the longest
// range fills, but for one row of each, by which parts of rows are rounded. None where few ranges
// have most of the rows, so that most places of runs would be empty.
std::uint64_t runs_of_each(const RangeEnds& ranges) {
  std::uint64_t longest = 0, begin = 0;
  for (const std::uint64_t end : ranges.ends)
    longest = std::max(longest, end - std::exchange(begin, end));
  const std::uint64_t runs = longest / (max_run_rows - 1) + 1;
  return runs * max_run_rows * ranges.ends.size() / 2 <= begin ? runs : 0;
}

Status gather_alternating(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                          const Buffer& from, const Buffer& to, const Elements& elements,
                          std::uint64_t runs) {
  const RangeEnds& ranges = *ordered.ranges;
  const std::uint64_t count = runs * threads_of_run * ranges.ends.size();
  return kernels.launch(
      queue, "range_gather_" + elements.name, count,
      {{Argument::of(ordered.order), Argument::of(from), Argument::of(to),
        Argument::of(*ranges.buffer), Argument::value(count),
        Argument::value(static_cast<std::uint32_t>(ranges.ends.size())),
        Argument::value(static_cast<std::uint32_t>(runs)), Argument::value(elements.words)}});
}

}  // namespace

Status gather_elements(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                       const Buffer& from, const Buffer& to, std::uint32_t width) {
  const Elements elements = elements_of(width);
  const bool has_ranges = ordered.ranges && ordered.ranges->buffer;
  const std::uint64_t runs = has_ranges ? runs_of_each(*ordered.ranges) : 0;
  if (runs > 0) return gather_alternating(kernels, queue, ordered, from, to, elements, runs);
  return kernels.launch(queue, "order_gather_" + elements.name, ordered.count,
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
