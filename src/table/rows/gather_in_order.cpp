#include "table/rows/gather_in_order.hpp"

#include <algorithm>
#include <string>

#include "expr/words.hpp"

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

Result<BufferPointer> gather_column(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                                    const Buffer& from, std::uint32_t width) {
  PENSTOCK_ASSIGN(BufferPointer to,
                  kernels.device().allocate(std::max<std::uint64_t>(ordered.count * width, 64)));
  PENSTOCK_TRY(gather_elements(kernels, queue, ordered, from, *to, width));
  return to;
}

Result<DeviceRows> gather_in_order(RowKernels& kernels, Queue& queue, const OrderedRows& ordered,
                                   const DeviceRows& rows) {
  return with_columns_moved(rows, ordered.count,
                            [&](const BufferPointer& column, std::uint32_t width) {
                              return gather_column(kernels, queue, ordered, *column, width);
                            });
}

}  // namespace penstock::plan
