#include "plan/order/gather_in_order.hpp"

#include <algorithm>

#include "plan/fusion/accumulators.hpp"

namespace penstock::plan {
namespace {

Result<BufferPointer> gather(RowKernels& kernels, Queue& queue, const Buffer& order,
                             const Buffer& from, std::uint64_t count, std::uint32_t width) {
  const bool has_words = width % 4 == 0;
  PENSTOCK_ASSIGN(BufferPointer to,
                  kernels.device().allocate(std::max<std::uint64_t>(count * width, 64)));
  PENSTOCK_TRY(
      kernels.launch(queue, has_words ? "order_gather_words" : "order_gather_bytes", count,
                     {{Argument::of(order), Argument::of(from), Argument::of(*to),
                       Argument::value(count), Argument::value(has_words ? width / 4 : width)}}));
  return to;
}

}  // namespace

Result<DeviceRows> gather_in_order(RowKernels& kernels, Queue& queue, const Buffer& order,
                                   const DeviceRows& rows, std::uint64_t count) {
  DeviceRows gathered;
  gathered.row_count = count;
  for (const DeviceColumn& column : rows.columns) {
    DeviceColumn& to = gathered.columns.emplace_back(DeviceColumn{column.type, nullptr, nullptr});
    const auto width = static_cast<std::uint32_t>(width_bytes(column.type));
    if (column.values) {
      PENSTOCK_ASSIGN(to.values, gather(kernels, queue, order, *column.values, count, width));
    }
    if (column.validity) {
      PENSTOCK_ASSIGN(to.validity, gather(kernels, queue, order, *column.validity, count, 1));
    }
  }
  return gathered;
}

}  // namespace penstock::plan
