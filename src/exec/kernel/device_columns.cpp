#include "exec/kernel/device_columns.hpp"

#include <algorithm>
#include <cstring>

#include "fuse/program/derived_columns.hpp"
#include "table/rows/finish_at_end.hpp"

namespace penstock::plan {
namespace {

// Returns a byte a row: 1 if a value is present, and the flag of a boolean.
std::vector<std::byte> flags_of(const Column& column, bool (Column::*flag)(std::uint64_t) const) {
  std::vector<std::byte> bytes(column.row_count);
  for (std::uint64_t row = 0; row < column.row_count; row++)
    bytes[row] = static_cast<std::byte>((column.*flag)(row));
  return bytes;
}

template <class T> std::vector<std::byte> bytes_of(const T* values, std::uint64_t bytes) {
  std::vector<std::byte> copy(bytes);
  if (bytes > 0) std::memcpy(copy.data(), values, bytes);
  return copy;
}

Result<std::vector<std::byte>> elements_of(const Column& column, StringPool& strings) {
  if (column.type.kind == Kind::boolean) return flags_of(column, &Column::boolean);
  if (column.type.kind != Kind::string)
    return bytes_of(column.values.data, column.row_count * width_bytes(column.type));
  std::vector<std::uint32_t> codes;
  PENSTOCK_TRY(strings.encode(column, codes));
  return bytes_of(codes.data(), codes.size() * 4);
}

Result<BufferPointer> uploaded(RowKernels& kernels, Queue& queue,
                               const std::vector<std::byte>& bytes) {
  PENSTOCK_ASSIGN(BufferPointer buffer,
                  kernels.device().allocate(std::max<std::uint64_t>(bytes.size(), 64)));
  if (!bytes.empty()) PENSTOCK_TRY(queue.upload(*buffer, bytes.data(), bytes.size()));
  return buffer;
}

}  // namespace

Result<DeviceColumn> upload_column(RowKernels& kernels, Queue& queue, const Column& column,
                                   StringPool& strings) {
  DeviceColumn there{column.type, nullptr, nullptr};
  PENSTOCK_ASSIGN(const std::vector<std::byte> elements, elements_of(column, strings));
  std::vector<std::byte> flags;
  if (!column.validity.empty()) flags = flags_of(column, &Column::is_valid);
  const FinishAtEnd finish(queue);
  PENSTOCK_ASSIGN(there.values, uploaded(kernels, queue, elements));
  if (!flags.empty()) { PENSTOCK_ASSIGN(there.validity, uploaded(kernels, queue, flags)); }
  return there;
}

Status DeviceColumns::add(const TileProgram& program, std::uint32_t number,
                          std::vector<BufferPointer>& buffers) {
  PENSTOCK_ASSIGN(const DeviceColumn column, column_of(program, number));
  return add_column(kernels_, queue_, column, rows_.row_count,
                    program.source_schema[number].nullable, buffers);
}

Result<DeviceColumn> DeviceColumns::column_of(const TileProgram& program, std::uint32_t column) {
  if (column >= program.first_derived()) return derived_column(program, column);
  return rows_.columns[column - first_column_];
}

// Computes a function for all strings of the pool, and gathers its results by code. The pool holds
// little but strings of right sides when lookups are made.
Result<DeviceColumn> DeviceColumns::derived_column(const TileProgram& program,
                                                   std::uint32_t column) {
  const DeviceColumn& codes = rows_.columns[program.root_of(column) - first_column_];
  PENSTOCK_ASSIGN(const Column results, of_pool(program, column));
  DeviceColumn derived{results.type, nullptr, codes.validity};
  if (rows_.row_count == 0) return derived;
  PENSTOCK_ASSIGN(std::vector<std::byte> elements, elements_of(results, strings_));
  PENSTOCK_ASSIGN(const BufferPointer values, upload(std::move(elements)));
  const GatherNumbers by{rows_.row_count, codes.values, codes.validity};
  PENSTOCK_ASSIGN(derived.values,
                  gather_column(kernels_, queue_, by, *values, width_bytes(results.type)));
  if (results.validity.empty()) return derived;
  PENSTOCK_ASSIGN(const BufferPointer present, upload(flags_of(results, &Column::is_valid)));
  PENSTOCK_ASSIGN(derived.validity, gather_column(kernels_, queue_, by, *present, 1));
  return derived;
}

// Returns a derived column of the pool's strings, by code.
Result<Column> DeviceColumns::of_pool(const TileProgram& program, std::uint32_t column) {
  if (column < program.first_derived()) {
    std::vector<std::string> texts;
    for (std::size_t code = 0; code < std::max<std::size_t>(strings_.size(), 1); code++)
      texts.emplace_back(code < strings_.size() ? strings_.text(static_cast<std::uint32_t>(code))
                                                : std::string_view());
    return Column::from_strings(texts);
  }
  const DerivedColumn& derived = program.derived[column - program.first_derived()];
  PENSTOCK_ASSIGN(const Column source, of_pool(program, derived.source));
  return derive(derived, source);
}

Result<BufferPointer> DeviceColumns::upload(std::vector<std::byte> bytes) {
  const std::vector<std::byte>& kept = uploading_.emplace_back(std::move(bytes));
  PENSTOCK_ASSIGN(BufferPointer buffer, uploaded(kernels_, queue_, kept));
  bytes_uploaded_ += kept.size();
  return buffer;
}

}  // namespace penstock::plan
