#include "exec/kernel/lookup_memory.hpp"

#include "exec/kernel/device_columns.hpp"
#include "fuse/program/derived_columns.hpp"

namespace penstock::plan {

const Column& build_column(const TileProgram& program, const BuildSides& sides,
                           std::uint32_t column) {
  const Lookup& lookup = program.lookups[static_cast<std::size_t>(program.lookup_of(column))];
  return sides.at(lookup.step)->rows.columns[column - lookup.first_column];
}

Status LookupMemory::upload(Device& device, const TileProgram& program, const BuildSides& sides,
                            StringPool& strings) {
  first_buffers_ = {0};
  for (const Lookup& lookup : program.lookups) {
    PENSTOCK_TRY(upload_lookup(device, program, lookup, sides, strings));
    first_buffers_.push_back(buffers_.size());
  }
  return uploads_ ? uploads_->finish() : Status();
}

Status LookupMemory::upload_lookup(Device& device, const TileProgram& program, const Lookup& lookup,
                                   const BuildSides& sides, StringPool& strings) {
  if (const std::optional<DeviceSide>& side = sides.at(lookup.step)->on_device)
    return take_from_device(device, program, lookup, *side, strings, buffers_);
  const JoinTable& table = sides.at(lookup.step)->table;
  PENSTOCK_TRY(upload_bytes(device, table.positions().data(), table.positions().size() * 4));
  PENSTOCK_TRY(upload_bytes(device, table.table().data(), table.table().size() * 8));
  for (const std::uint32_t column : lookup.device_columns)
    PENSTOCK_TRY(upload_column(device, program, sides, column, strings)
                     .with("while uploading column '" + program.source_schema[column].name +
                           "' to the device"));
  return {};
}

void LookupMemory::release(std::size_t lookup) {
  for (std::size_t i = first_buffers_[lookup]; i < first_buffers_[lookup + 1]; i++)
    buffers_[i].reset();
}

Status LookupMemory::renew(Device& device, const TileProgram& program, std::size_t lookup,
                           const BuildSides& sides, StringPool& strings) {
  const Lookup& renewed = program.lookups[lookup];
  std::vector<BufferPointer> buffers;
  PENSTOCK_TRY(take_from_device(device, program, renewed, *sides.at(renewed.step)->on_device,
                                strings, buffers));
  std::move(buffers.begin(), buffers.end(),
            buffers_.begin() + static_cast<std::ptrdiff_t>(first_buffers_[lookup]));
  return {};
}

Result<Column> LookupMemory::column_of(const TileProgram& program, const BuildSides& sides,
                                       std::uint32_t column) {
  if (column < program.first_derived()) return build_column(program, sides, column);
  const DerivedColumn& derived = program.derived[column - program.first_derived()];
  PENSTOCK_ASSIGN(const Column source, column_of(program, sides, derived.source));
  return derive(derived, source);
}

Status LookupMemory::upload_column(Device& device, const TileProgram& program,
                                   const BuildSides& sides, std::uint32_t number,
                                   StringPool& strings) {
  PENSTOCK_ASSIGN(Column found, column_of(program, sides, number));
  Column& column = held_.emplace_back(
      std::move(found));  // before the first upload of it, which may be followed by a failure
  const std::uint64_t bit_bytes = (column.row_count + 7) / 8;
  if (column.type.kind == Kind::string) {
    codes_.emplace_back();
    PENSTOCK_TRY(strings.encode(column, codes_.back()));
    PENSTOCK_TRY(upload_bytes(device, codes_.back().data(), column.row_count * 4));
  } else {
    const bool is_bits = column.type.kind == Kind::boolean;
    PENSTOCK_TRY(upload_bytes(device, column.values.data,
                              is_bits ? bit_bytes : column.row_count * width_bytes(column.type)));
  }
  if (program.source_schema[number].nullable) {
    if (column.validity.empty())
      column.validity = Bytes::own(std::vector<std::uint8_t>(bit_bytes, 0xFF));
    PENSTOCK_TRY(upload_bytes(device, column.validity.data, bit_bytes));
  }
  return {};
}

Status LookupMemory::take_from_device(Device& device, const TileProgram& program,
                                      const Lookup& lookup, const DeviceSide& side,
                                      StringPool& strings, std::vector<BufferPointer>& to) {
  if (!uploads_) { PENSTOCK_ASSIGN(uploads_, device.queue()); }
  to.insert(to.end(), {side.table.positions, side.table.table});
  DeviceColumns columns(*side.kernels, *uploads_, side.rows, lookup.first_column, strings);
  Status added;
  for (const std::uint32_t column : lookup.device_columns) {
    added = columns.add(program, column, to)
                .with("while computing column '" + program.source_schema[column].name +
                      "' of a join's right side");
    if (!added.ok()) break;
  }
  bytes_uploaded_ += columns.bytes_uploaded();
  PENSTOCK_TRY(uploads_->finish());  // also after an error: uploads read what `columns` holds
  return added;
}

Status LookupMemory::upload_bytes(Device& device, const void* data, std::uint64_t bytes) {
  const bool wraps = device.traits().unified_memory && bytes > 0;
  PENSTOCK_ASSIGN(
      std::shared_ptr<Buffer> buffer,
      wraps ? device.wrap_host(data, bytes) : device.allocate(std::max<std::uint64_t>(bytes, 64)));
  buffers_.push_back(buffer);
  if (wraps || bytes == 0) return {};
  if (!uploads_) { PENSTOCK_ASSIGN(uploads_, device.queue()); }
  bytes_uploaded_ += bytes;
  return uploads_->upload(*buffer, data, bytes);
}

}  // namespace penstock::plan
