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

// Elements are gathered by the widest words that divide their width.
Status gather_elements(RowKernels& kernels, Queue& queue, const GatherNumbers& by,
                       const Buffer& from, const Buffer& to, std::uint32_t width) {
  const std::uint32_t bytes = width % 8 == 0 ? 8 : width % 4 == 0 ? 4 : width % 2 == 0 ? 2 : 1;
  const char* const kernel = bytes == 8   ? "gather_pairs"
                             : bytes == 4 ? "gather_words"
                             : bytes == 2 ? "gather_halves"
                                          : "gather_bytes";
  const Buffer& present = by.present ? *by.present : *by.numbers;
  return kernels.launch(
      queue, kernel, by.count,
      {{Argument::of(*by.numbers), Argument::of(present), Argument::of(from), Argument::of(to),
        Argument::value(by.first), Argument::value(by.count), Argument::value(width / bytes),
        Argument::value(static_cast<std::uint32_t>(by.present != nullptr))}});
}

Result<BufferPointer> gather_column(RowKernels& kernels, Queue& queue, const GatherNumbers& by,
                                    const Buffer& from, std::uint32_t width) {
  PENSTOCK_ASSIGN(BufferPointer to, device::allocate(kernels.device(), by.count * width));
  PENSTOCK_TRY(gather_elements(kernels, queue, by, from, *to, width));
  return to;
}

Result<DeviceRows> gather_rows(RowKernels& kernels, Queue& queue, const GatherNumbers& by,
                               const DeviceRows& rows) {
  return with_columns_moved(rows, by.count, [&](const BufferPointer& column, std::uint32_t width) {
    return gather_column(kernels, queue, by, *column, width);
  });
}

}  // namespace penstock::plan
