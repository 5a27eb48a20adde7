#include <algorithm>

#include "base/exception_boundary.hpp"
#include "column/bits.hpp"
#include "penstock/column.hpp"

namespace penstock {
namespace {

Result<std::shared_ptr<Buffer>> copy_to(Device& device, Queue& queue, const Bytes& bytes,
                                        std::uint64_t size) {
  // Whole words, so that kernels may read bit buffers by the word.
  PENSTOCK_ASSIGN(auto buffer, device.allocate(std::max<std::uint64_t>((size + 63) / 64 * 64, 64)));
  if (size > 0) PENSTOCK_TRY(queue.upload(*buffer, bytes.data, size));
  return buffer;
}

Result<Column> copy_column(const Column& column, Device& device, Queue& queue) {
  if (column.type.kind == Kind::string)
    return Status(Code::unsupported, "a string column on a device");
  if (column.device_values) return column;
  if (column.encoded) {
    PENSTOCK_ASSIGN(const Column plain, decoded(column));
    return copy_column(plain, device, queue);
  }
  const std::uint64_t bit_bytes = column::bytes_of_bits(column.row_count);
  Column copy = column;  // the host's bytes stay, for whatever reads rows there
  PENSTOCK_ASSIGN(copy.device_values, copy_to(device, queue, column.values,
                                              column.type.kind == Kind::boolean
                                                  ? bit_bytes
                                                  : column.row_count * width_bytes(column.type)));
  if (!column.validity.empty()) {
    PENSTOCK_ASSIGN(copy.device_validity, copy_to(device, queue, column.validity, bit_bytes));
  }
  return copy;
}

}  // namespace

static Result<Table> copied_to_device(const Table& table, Device& device) {
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  Table copy;
  copy.names = table.names;
  copy.row_count = table.row_count;
  Status status;
  for (std::size_t i = 0; i < table.columns.size() && status.ok(); i++) {
    auto column = copy_column(table.columns[i], device, *queue);
    if (column.ok())
      copy.columns.push_back(std::move(column).value());
    else
      status =
          column.with("while copying column '" + table.names[i] + "' to " + device.traits().id);
  }
  // The table's memory is the caller's: uploads are done before it may go, after an error too.
  const Status finished = queue->finish();
  PENSTOCK_TRY(status);
  PENSTOCK_TRY(finished);
  return copy;
}

Result<Table> to_device(const Table& table, Device& device) {
  return catch_exceptions([&] { return copied_to_device(table, device); });
}

}  // namespace penstock
