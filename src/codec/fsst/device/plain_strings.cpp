// Plain strings on a device: their upload, memory for their codes, and training of symbol tables.
#include <algorithm>
#include <array>

#include "base/exception_boundary.hpp"
#include "base/parallel.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/device/device_program.hpp"
#include "codec/fsst/device/device_upload.hpp"
#include "codec/fsst/kernels/fsst_limits.h"
#include "penstock/fsst/encoder.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint64_t max_rows = 0xfffffffe;
constexpr std::uint64_t sample_slots = FSST_SAMPLE_SLOTS, slot_rows = FSST_SLOT_ROWS,
                        slot_string_bytes = FSST_SLOT_STRING_BYTES,
                        slot_bytes = slot_rows + slot_string_bytes;

Result<PlainStrings> enqueue_strings(Device& device, Queue& queue, const Column& column,
                                     std::array<std::byte, 16>& last) {
  if (column.type.kind != Kind::string)
    return Status(Code::invalid, "FSST encodes strings, not " + name_of(column.type));
  if (column.dictionary)
    return Status(Code::unsupported, "FSST on a device encodes plain strings, not a dictionary");
  PlainStrings uploaded;
  uploaded.row_count = column.row_count;
  uploaded.string_bytes = column.values.size;
  uploaded.offset_bytes = column.offset_bytes;
  PENSTOCK_ASSIGN(uploaded.offsets,
                  device.allocate((uploaded.row_count + 1) * uploaded.offset_bytes));
  PENSTOCK_ASSIGN(uploaded.bytes, device.allocate(uploaded.string_bytes / 16 * 16 + 16));
  const std::uint64_t bitmap = (uploaded.row_count + 7) / 8;
  if (!column.validity.empty()) {
    PENSTOCK_ASSIGN(uploaded.validity, device.allocate(std::max<std::uint64_t>(bitmap, 1)));
  }
  PENSTOCK_TRY(queue.upload(*uploaded.offsets, column.offsets.data,
                            (uploaded.row_count + 1) * uploaded.offset_bytes));
  PENSTOCK_TRY(upload_padded(queue, *uploaded.bytes, column.values, last));
  if (uploaded.validity != nullptr && bitmap > 0)
    PENSTOCK_TRY(queue.upload(*uploaded.validity, column.validity.data, bitmap));
  return uploaded;
}

std::vector<std::uint64_t> first_rows(std::uint64_t row_count, std::uint64_t row_group_rows) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < row_count; row += row_group_rows) rows.push_back(row);
  rows.push_back(row_count);
  return rows;
}

Status enqueue_sample(const std::shared_ptr<Device>& device, Queue& queue,
                      const PlainStrings& strings, const std::vector<std::uint64_t>& rows,
                      std::vector<std::uint8_t>& samples) {
  const auto group_count = static_cast<std::uint32_t>(rows.size() - 1);
  samples.resize(group_count * sample_slots * slot_bytes);
  PENSTOCK_ASSIGN(const auto program,
                  build_program(*device, {strings.offset_bytes, row_threads(device->traits()), {}},
                                "fsst_sample"));
  PENSTOCK_ASSIGN(const auto groups, device->allocate(rows.size() * 8));
  PENSTOCK_ASSIGN(const auto uploaded, device->allocate(samples.size()));
  PENSTOCK_TRY(queue.upload(*groups, rows.data(), rows.size() * 8));
  const std::uint64_t threads = program->group_size(),
                      max_groups = std::uint64_t{device->traits().compute_units} * 64;
  const Buffer& validity =
      strings.validity != nullptr ? *strings.validity : *strings.offsets;  // a placeholder
  PENSTOCK_TRY(queue.launch(
      *program, "fsst_sample",
      static_cast<std::uint32_t>(std::min(group_count * sample_slots / threads + 1, max_groups)),
      {{Argument::of(*strings.bytes), Argument::of(*strings.offsets), Argument::of(validity),
        Argument::of(*groups), Argument::of(*uploaded), Argument::value(strings.string_bytes),
        Argument::value(group_count),
        Argument::value(std::uint32_t{strings.validity != nullptr})}}));
  return queue.download(samples.data(), *uploaded, samples.size());
}

SymbolTable table_of(const std::uint8_t* slots) {
  std::vector<std::string_view> strings;
  for (std::uint64_t slot = 0; slot < sample_slots; slot++) {
    const std::uint8_t* const lengths = slots + slot * slot_bytes;
    const auto* string = reinterpret_cast<const char*>(lengths + slot_rows);
    for (std::uint64_t row = 0; row < slot_rows && lengths[row] != 0; string += lengths[row++])
      strings.emplace_back(string, lengths[row]);
  }
  return train(strings);
}

Result<std::vector<RowGroup>> train_row_groups(const std::shared_ptr<Device>& device, Queue& queue,
                                               const PlainStrings& strings,
                                               std::uint64_t row_group_rows) {
  if (strings.row_count == 0) return std::vector<RowGroup>{};
  PENSTOCK_TRY(check_plain_strings(strings));
  if (row_group_rows == 0) return Status(Code::invalid, "row groups of no rows");
  const std::vector<std::uint64_t> rows = first_rows(strings.row_count, row_group_rows);
  std::vector<RowGroup> row_groups(rows.size() - 1);
  std::vector<std::uint8_t> samples;
  const Status enqueued = enqueue_sample(device, queue, strings, rows, samples);
  PENSTOCK_TRY(queue.finish());  // also after an error: enqueued copies use local vectors
  PENSTOCK_TRY(enqueued);
  in_parallel(row_groups.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t group = first; group < last; group++)
      row_groups[group] = {rows[group], 0,
                           std::make_shared<SymbolTable>(
                               table_of(samples.data() + group * sample_slots * slot_bytes))};
  });
  return row_groups;
}

}  // namespace

Status check_plain_strings(const PlainStrings& strings) {
  if (strings.row_count == 0) return {Code::unsupported, "a column without rows"};
  if (strings.row_count > max_rows) return {Code::capacity, "more rows than 2^32 - 2"};
  if (strings.offset_bytes != 4 && strings.offset_bytes != 8)
    return {Code::invalid, "offsets of neither 4 nor 8 bytes"};
  if (strings.offsets == nullptr ||
      strings.offsets->bytes() < (strings.row_count + 1) * strings.offset_bytes)
    return {Code::invalid, "the buffer of offsets is smaller than the column's"};
  if (strings.bytes == nullptr || strings.bytes->bytes() < (strings.string_bytes + 15) / 16 * 16)
    return {Code::invalid, "string bytes that are not padded to a multiple of 16"};
  if (strings.validity != nullptr && strings.validity->bytes() < (strings.row_count + 7) / 8)
    return {Code::invalid, "the bitmap is smaller than the column's rows"};
  return {};
}

Result<PlainStrings> PlainStrings::upload(Device& device, Queue& queue, const Column& column) {
  std::array<std::byte, 16> last{};
  auto uploaded = enqueue_strings(device, queue, column, last);
  PENSTOCK_TRY(queue.finish());  // also after an error: enqueued uploads read `column` and `last`
  return uploaded;
}

Result<DeviceCodes> DeviceCodes::allocate(Device& device, const PlainStrings& strings,
                                          std::uint64_t code_bytes) {
  DeviceCodes codes;
  codes.offset_bytes = code_bytes <= INT32_MAX ? 4 : 8;
  PENSTOCK_ASSIGN(codes.codes, device.allocate(code_bytes / 16 * 16 + 16));
  PENSTOCK_ASSIGN(codes.offsets, device.allocate((strings.row_count + 1) * codes.offset_bytes));
  return codes;
}

Result<std::vector<RowGroup>> train(const std::shared_ptr<Device>& device, Queue& queue,
                                    const PlainStrings& strings, std::uint64_t row_group_rows) {
  return catch_exceptions([&] { return train_row_groups(device, queue, strings, row_group_rows); });
}

}  // namespace penstock::fsst
