#include "plan/order/gather_in_order.hpp"

#include <algorithm>
#include <string>

#include "plan/fusion/accumulators.hpp"

namespace penstock::plan {

GatheredElements gathered_elements(std::uint32_t width) {
  if (width % 8 == 0) return {"pairs", width / 8};
  return width % 4 == 0 ? GatheredElements{"words", width / 4} : GatheredElements{"bytes", width};
}

Status gather_elements(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                       const Buffer& from, const Buffer& to, std::uint32_t width) {
  const GatheredElements elements = gathered_elements(width);
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
