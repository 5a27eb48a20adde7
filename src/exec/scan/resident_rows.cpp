#include "exec/scan/resident_rows.hpp"

#include "exec/kernel/device_columns.hpp"
#include "exec/scan/chunk_stream.hpp"
#include "table/rows/finish_at_end.hpp"

namespace penstock::plan {

std::uint64_t ResidentRows::bytes() const {
  std::uint64_t bytes = 0;
  for (const DeviceRows& part : parts_) bytes += bytes_on_device(part);
  return bytes;
}

std::optional<std::uint64_t> ResidentRows::row_count() const {
  std::uint64_t rows = 0;
  for (const DeviceRows& part : parts_) rows += part.row_count;
  return rows;
}

// Returns a part's columns as DeviceRowsWriter takes them. Presence that is not stored is made.
static Result<std::vector<BufferPointer>> written_columns(Device& device, Queue& queue,
                                                          const Schema& schema,
                                                          const Columns& columns,
                                                          const DeviceRows& part) {
  std::vector<BufferPointer> written;
  for (const std::uint32_t number : columns) {
    const DeviceColumn& column = part.columns[number];
    written.push_back(column.values);
    if (!schema[number].nullable) continue;
    written.push_back(column.validity);
    if (column.validity) continue;
    const std::uint64_t bytes = (part.row_count + 63) / 64 * 64;
    PENSTOCK_ASSIGN(written.back(), device.allocate(std::max<std::uint64_t>(bytes, 64)));
    PENSTOCK_TRY(queue.fill(*written.back(), 0x01010101u, bytes));
  }
  return written;
}

Result<std::optional<DeviceRows>> ResidentRows::joined(std::uint64_t limit_bytes) const {
  std::optional<DeviceRows> none;
  if (parts_.size() == 1) return std::optional(parts_[0]);
  Schema written;
  Columns columns;
  for (std::uint32_t i = 0; i < schema_.size(); i++) {
    const auto has_values = [i](const DeviceRows& part) {
      return part.columns[i].values != nullptr;
    };
    if (std::ranges::all_of(parts_, has_values))
      written.push_back(schema_[i]), columns.push_back(i);
  }
  DeviceRowsWriter writer(kernels_, written, limit_bytes);
  PENSTOCK_ASSIGN(const auto queue, kernels_->device().queue());
  std::vector<std::vector<BufferPointer>> held;
  const FinishAtEnd finish(*queue);
  for (const DeviceRows& part : parts_) {
    if (part.row_count == 0) continue;
    PENSTOCK_ASSIGN(held.emplace_back(),
                    written_columns(kernels_->device(), *queue, schema_, columns, part));
    PENSTOCK_ASSIGN(const bool fits,
                    writer.append(*queue, held.back(), part.row_count, *row_count()));
    if (!fits) return none;
  }
  return std::optional(spread_rows(schema_, columns, writer.rows()));
}

Result<std::unique_ptr<ChunkSource>> ResidentScan::open(const ResidentRows& rows,
                                                        const TileProgram& program,
                                                        StringPool& strings) {
  std::unique_ptr<ResidentScan> scan(new ResidentScan(rows, program));
  PENSTOCK_TRY(scan->find_columns(strings));
  return std::unique_ptr<ChunkSource>(std::move(scan));
}

Status ResidentScan::find_columns(StringPool& strings) {
  PENSTOCK_ASSIGN(const auto queue, rows_.kernels().device().queue());
  for (const DeviceRows& part : rows_.parts()) {
    DeviceColumns of_part(rows_.kernels(), *queue, part, 0, strings);
    std::vector<DeviceColumn>& columns = columns_.emplace_back();
    Status found;
    for (const std::uint32_t column : program_.device_columns) {
      auto one = of_part.column_of(program_, column);
      found = one.status();
      if (!found.ok()) break;
      columns.push_back(std::move(one).value());
    }
    bytes_uploaded_ += of_part.bytes_uploaded();
    PENSTOCK_TRY(queue->finish());  // also after an error: uploads read what of_part holds
    PENSTOCK_TRY(found);
  }
  return {};
}

// A part is a chunk: its values stay where they are, and presence becomes bits.
Result<bool> ResidentScan::next(ChunkMemory& memory, Queue& compute) {
  memory.input = {};
  while (part_ < rows_.parts().size() && rows_.parts()[part_].row_count == 0) part_++;
  if (part_ == rows_.parts().size()) return false;
  const std::uint64_t count = rows_.parts()[part_].row_count;
  if (count > max_launch_rows)
    return Status(Code::unsupported, "a step left more rows in device memory than a kernel takes");
  for (std::size_t i = 0; i < program_.device_columns.size(); i++)
    PENSTOCK_TRY(add_column(rows_.kernels(), compute, columns_[part_][i], count,
                            program_.source_schema[program_.device_columns[i]].nullable,
                            memory.input.buffers));
  memory.input.row_count = count;
  memory.first_row = taken_;
  taken_ += count;
  part_++;
  return true;
}

Status ResidentScan::check(ChunkMemory& memory) {
  memory.input.buffers.clear();
  return {};
}

}  // namespace penstock::plan
