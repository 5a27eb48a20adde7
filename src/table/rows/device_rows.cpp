#include "table/rows/device_rows.hpp"

#include <algorithm>

#include "device/allocate.hpp"
#include "table/kernels/join_table_limits.h"
#include "table/strings/written_column.hpp"

namespace penstock::plan {

std::uint64_t device_bytes_per_row(const Schema& columns) {
  std::uint64_t bytes = 0;
  for (const Field& field : columns) bytes += width_bytes(field.type) + field.nullable;
  return bytes;
}

DeviceRowsWriter::DeviceRowsWriter(std::shared_ptr<RowKernels> kernels, const Schema& columns,
                                   std::uint64_t limit_bytes)
    : kernels_(std::move(kernels)), schema_(columns), limit_bytes_(limit_bytes) {
  for (const Field& field : columns) rows_.columns.push_back({field.type, nullptr, nullptr});
}

// Makes room for so many rows, and for the expected rows if they fit too.
Result<bool> DeviceRowsWriter::reserve(Queue& queue, std::uint64_t row_count,
                                       std::uint64_t expected_rows) {
  if (row_count <= capacity_) return true;
  // Rows are numbered by 32 bits.
  const std::uint64_t most = std::min<std::uint64_t>(
                          limit_bytes_ / std::max<std::uint64_t>(device_bytes_per_row(schema_), 1),
                          JOIN_NO_ROW - 1),
                      wanted = std::max({row_count, expected_rows, capacity_ + capacity_ / 2});
  if (row_count > most) return false;
  return grow(queue, std::min(wanted, most));
}

Result<bool> DeviceRowsWriter::grow(Queue& queue, std::uint64_t capacity) {
  DeviceRows larger;
  larger.row_count = rows_.row_count;
  Device& device = kernels_->device();
  const auto copy = [&](const BufferPointer& from, BufferPointer& to,
                        std::uint64_t width) -> Result<bool> {
    PENSTOCK_ASSIGN(to, device::try_allocate(device, capacity * width));
    if (to && from && rows_.row_count > 0)
      PENSTOCK_TRY(queue.copy(*to, *from, rows_.row_count * width));
    return to != nullptr;
  };
  for (std::size_t i = 0; i < schema_.size(); i++) {
    const DeviceColumn& column = rows_.columns[i];
    DeviceColumn& to = larger.columns.emplace_back(DeviceColumn{column.type, nullptr, nullptr});
    PENSTOCK_ASSIGN(bool fits, copy(column.values, to.values, width_bytes(column.type)));
    if (fits && schema_[i].nullable) {
      PENSTOCK_ASSIGN(fits, copy(column.validity, to.validity, 1));
    }
    if (!fits) return false;
  }
  rows_ = std::move(larger);
  capacity_ = capacity;
  return true;
}

Status DeviceRowsWriter::append_elements(Queue& queue, const Buffer& from, const Buffer& to,
                                         std::uint64_t count, std::uint64_t width) {
  const std::uint64_t unit = width % 4 == 0 ? 4 : 1, units = count * width / unit;
  std::vector<Argument> arguments = arguments_of({&from, &to});
  arguments.push_back(Argument::value(rows_.row_count * width / unit));
  arguments.push_back(Argument::value(units));
  return kernels_->launch(queue, unit == 4 ? "join_append_words" : "join_append_bytes", units,
                          arguments);
}

Result<bool> DeviceRowsWriter::append(Queue& queue, std::span<const BufferPointer> written,
                                      std::uint64_t count, std::uint64_t expected_rows) {
  PENSTOCK_ASSIGN(const bool fits, reserve(queue, rows_.row_count + count, expected_rows));
  if (!fits) return false;
  std::size_t from = 0;
  for (std::size_t i = 0; i < schema_.size(); i++) {
    const DeviceColumn& to = rows_.columns[i];
    PENSTOCK_TRY(append_elements(queue, *written[from++], *to.values, count, width_bytes(to.type)));
    if (schema_[i].nullable)
      PENSTOCK_TRY(append_elements(queue, *written[from++], *to.validity, count, 1));
  }
  rows_.row_count += count;
  return true;
}

Result<std::vector<BufferPointer>> DeviceRowsWriter::place_for(Queue& queue, std::uint64_t first,
                                                               std::uint64_t count,
                                                               std::uint64_t expected_rows) {
  if (first == 0) PENSTOCK_TRY(reserve(queue, count, expected_rows));
  std::vector<BufferPointer> places;
  if (first + count > capacity_) return places;
  for (const DeviceColumn& column : rows_.columns) {
    places.push_back(column.values);
    if (column.validity) places.push_back(column.validity);
  }
  return places;
}

Status DeviceRowsWriter::add_placed(std::uint64_t first, std::uint64_t count) {
  if (first != rows_.row_count || count > capacity_ - first)
    return Status(Code::internal, "rows were placed where others are, or nothing is");
  rows_.row_count += count;
  return {};
}

Result<std::vector<Column>> download_columns(Device& device, const DeviceRows& rows,
                                             const Columns& columns, const StringPool& strings) {
  std::vector<std::shared_ptr<HostBuffer>> memory;
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  const auto download = [&](const BufferPointer& from, std::uint64_t bytes) -> Status {
    memory.emplace_back();
    if (!from && bytes > 0) return {};  // absent validity
    PENSTOCK_ASSIGN(memory.back(), device.allocate_host(std::max<std::uint64_t>(bytes, 64)));
    return bytes > 0 ? queue->download(memory.back()->data(), *from, bytes) : Status();
  };
  for (const std::uint32_t number : columns) {
    const DeviceColumn& column = rows.columns[number];
    PENSTOCK_TRY(download(column.values, rows.row_count * width_bytes(column.type)));
    PENSTOCK_TRY(download(column.validity, rows.row_count));
  }
  PENSTOCK_TRY(queue->finish());
  std::vector<Column> downloaded;
  for (std::size_t i = 0; i < columns.size(); i++)
    downloaded.push_back(column_of_written(rows.columns[columns[i]].type, rows.row_count,
                                           memory[2 * i], memory[2 * i + 1], strings.texts()));
  return downloaded;
}

std::uint64_t bytes_on_device(const DeviceRows& rows) {
  std::uint64_t bytes = 0;
  for (const DeviceColumn& column : rows.columns)
    for (const BufferPointer& buffer : {column.values, column.validity})
      if (buffer) bytes += buffer->bytes();
  return bytes;
}

DeviceRows spread_rows(const Schema& schema, const Columns& columns, DeviceRows rows) {
  DeviceRows spread;
  spread.row_count = rows.row_count;
  for (const Field& field : schema) spread.columns.push_back({field.type, nullptr, nullptr});
  for (std::size_t i = 0; i < columns.size(); i++)
    spread.columns[columns[i]] = std::move(rows.columns[i]);
  return spread;
}

}  // namespace penstock::plan
