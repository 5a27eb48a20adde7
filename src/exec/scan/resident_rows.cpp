#include "exec/scan/resident_rows.hpp"

#include "exec/kernel/device_columns.hpp"
#include "exec/scan/chunk_stream.hpp"

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
