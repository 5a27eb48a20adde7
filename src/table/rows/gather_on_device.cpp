#include "table/rows/gather_on_device.hpp"

#include "device/allocate.hpp"

namespace penstock::plan {
namespace {

// Returns the bits of a byte a row.
Result<BufferPointer> pack_bits(RowKernels& kernels, Queue& queue, const BufferPointer& flags,
                                std::uint64_t row_count) {
  const std::uint64_t bytes = (row_count + 7) / 8;
  PENSTOCK_ASSIGN(BufferPointer bits, device::allocate(kernels.device(), bytes));
  if (bytes == 0) return bits;
  std::vector<Argument> arguments = arguments_of({flags.get(), bits.get()});
  arguments.push_back(Argument::value(row_count));
  arguments.push_back(Argument::value(bytes));
  PENSTOCK_TRY(kernels.launch(queue, "join_pack_bits", bytes, arguments));
  return bits;
}

}  // namespace

Status add_column(RowKernels& kernels, Queue& queue, const DeviceColumn& column,
                  std::uint64_t row_count, bool is_nullable, std::vector<BufferPointer>& buffers) {
  BufferPointer values = column.values;
  if (column.type.kind == Kind::boolean) {
    PENSTOCK_ASSIGN(values, pack_bits(kernels, queue, values, row_count));
  }
  if (!values) { PENSTOCK_ASSIGN(values, kernels.device().allocate(64)); }  // of no rows
  buffers.push_back(std::move(values));
  if (!is_nullable) return {};
  BufferPointer validity;
  if (column.validity || row_count == 0) {
    PENSTOCK_ASSIGN(validity, pack_bits(kernels, queue, column.validity, row_count));
  } else {
    const std::uint64_t bytes = (row_count / 8 + 67) / 4 * 4;
    PENSTOCK_ASSIGN(validity, kernels.device().allocate(bytes));
    PENSTOCK_TRY(queue.fill(*validity, 0xffffffffu, bytes));
  }
  buffers.push_back(std::move(validity));
  return {};
}

Result<BufferPointer> gather_on_device(RowKernels& kernels, Queue& queue, const GatherNumbers& by,
                                       const Buffer& from, std::uint64_t width) {
  PENSTOCK_ASSIGN(BufferPointer to, device::allocate(kernels.device(), by.count * width));
  const BufferPointer& present = by.present ? by.present : by.numbers;
  std::vector<Argument> arguments =
      arguments_of({by.numbers.get(), present.get(), &from, to.get()});
  arguments.push_back(Argument::value(by.count));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(by.present != nullptr)));
  if (width % 4 == 0) arguments.push_back(Argument::value(static_cast<std::uint32_t>(width / 4)));
  const char* const kernel = width % 4 == 0 ? "join_gather_words"
                             : width == 2   ? "join_gather_halves"
                                            : "join_gather_bytes";
  PENSTOCK_TRY(kernels.launch(queue, kernel, by.count, arguments));
  return to;
}

Result<DeviceRows> gather_rows(RowKernels& kernels, Queue& queue, const GatherNumbers& by,
                               const DeviceRows& rows) {
  return with_columns_moved(rows, by.count, [&](const BufferPointer& column, std::uint32_t width) {
    return gather_column(kernels, queue, by, *column, width);
  });
}

}  // namespace penstock::plan
