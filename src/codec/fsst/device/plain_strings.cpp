// Plain strings on a device: upload_vector there, memory for their codes, symbol tables for them.
#include <algorithm>
#include <array>

#include "base/exception_boundary.hpp"
#include "base/parallel.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/device/device_program.hpp"
#include "codec/fsst/device/device_upload.hpp"
#include "penstock/fsst/encoder.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint64_t max_rows = 0xfffffffe;
constexpr std::uint64_t sample_slots = 512, slot_rows = 16, slot_string_bytes = 112,
                        slot_bytes = slot_rows + slot_string_bytes;  // fsst_sample.kc

Result<PlainStrings> enqueue_texts(Device& device, Queue& queue, const Column& column,
                                   std::array<std::byte, 16>& last) {
  if (column.type.kind != Kind::string)
    return Status(Code::invalid, "FSST encodes strings, not " + name_of(column.type));
  if (column.dictionary)
    return Status(Code::unsupported, "the codes of a dictionary, where texts are wanted");
  PlainStrings there;
  there.row_count = column.row_count;
  there.string_bytes = column.values.size;
  there.offset_bytes = column.offset_bytes;
  PENSTOCK_ASSIGN(there.offsets, device.allocate((there.row_count + 1) * there.offset_bytes));
  PENSTOCK_ASSIGN(there.bytes, device.allocate(there.string_bytes / 16 * 16 + 16));
  const std::uint64_t bitmap = (there.row_count + 7) / 8;
  if (!column.validity.empty()) {
    PENSTOCK_ASSIGN(there.validity, device.allocate(std::max<std::uint64_t>(bitmap, 1)));
  }
  PENSTOCK_TRY(queue.upload(*there.offsets, column.offsets.data,
                            (there.row_count + 1) * there.offset_bytes));
  PENSTOCK_TRY(upload_padded(queue, *there.bytes, column.values, last));
  if (there.validity != nullptr && bitmap > 0)
    PENSTOCK_TRY(queue.upload(*there.validity, column.validity.data, bitmap));
  return there;
}

std::vector<std::uint64_t> first_rows(std::uint64_t row_count, std::uint64_t row_group_rows) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < row_count; row += row_group_rows) rows.push_back(row);
  rows.push_back(row_count);
  return rows;
}

Status enqueue_sample(const std::shared_ptr<Device>& device, Queue& queue,
                      const PlainStrings& texts, const std::vector<std::uint64_t>& rows,
                      std::vector<std::uint8_t>& samples) {
  const auto group_count = static_cast<std::uint32_t>(rows.size() - 1);
  samples.resize(group_count * sample_slots * slot_bytes);
  PENSTOCK_ASSIGN(const auto program,
                  build_program(*device, {texts.offset_bytes, row_threads(device->traits()), {}},
                                {"fsst_sample"}));
  PENSTOCK_ASSIGN(const auto groups, device->allocate(rows.size() * 8));
  PENSTOCK_ASSIGN(const auto there, device->allocate(samples.size()));
  PENSTOCK_TRY(queue.upload(*groups, rows.data(), rows.size() * 8));
  const std::uint64_t threads = program->group_size(),
                      most = std::uint64_t{device->traits().compute_units} * 64;
  const Buffer& validity =
      texts.validity != nullptr ? *texts.validity : *texts.offsets;  // not read then
  PENSTOCK_TRY(queue.launch(
      *program, "fsst_sample",
      static_cast<std::uint32_t>(std::min(group_count * sample_slots / threads + 1, most)),
      {{Argument::of(*texts.bytes), Argument::of(*texts.offsets), Argument::of(validity),
        Argument::of(*groups), Argument::of(*there), Argument::value(texts.string_bytes),
        Argument::value(group_count), Argument::value(std::uint32_t{texts.validity != nullptr})}}));
  return queue.download(samples.data(), *there, samples.size());
}

SymbolTable table_of(const std::uint8_t* slots) {
  std::vector<std::string_view> texts;
  for (std::uint64_t slot = 0; slot < sample_slots; slot++) {
    const std::uint8_t* const lengths = slots + slot * slot_bytes;
    const auto* text = reinterpret_cast<const char*>(lengths + slot_rows);
    for (std::uint64_t row = 0; row < slot_rows && lengths[row] != 0; text += lengths[row++])
      texts.emplace_back(text, lengths[row]);
  }
  return train(texts);
}

Result<std::vector<RowGroup>> trained(const std::shared_ptr<Device>& device, Queue& queue,
                                      const PlainStrings& texts, std::uint64_t row_group_rows) {
  if (texts.row_count == 0) return std::vector<RowGroup>{};
  PENSTOCK_TRY(check_plain_strings(texts));
  if (row_group_rows == 0) return Status(Code::invalid, "row groups of no rows");
  const std::vector<std::uint64_t> rows = first_rows(texts.row_count, row_group_rows);
  std::vector<RowGroup> row_groups(rows.size() - 1);
  std::vector<std::uint8_t> samples;
  const Status enqueued = enqueue_sample(device, queue, texts, rows, samples);
  PENSTOCK_TRY(
      queue.finish());  // also after an error: what was enqueued reads and writes what ends here
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

Status check_plain_strings(const PlainStrings& texts) {
  if (texts.row_count == 0) return {Code::unsupported, "a column without rows"};
  if (texts.row_count > max_rows) return {Code::capacity, "more rows than 2^32 - 2"};
  if (texts.offset_bytes != 4 && texts.offset_bytes != 8)
    return {Code::invalid, "offsets of neither 4 nor 8 bytes"};
  if (texts.offsets == nullptr ||
      texts.offsets->bytes() < (texts.row_count + 1) * texts.offset_bytes)
    return {Code::invalid, "memory for fewer offsets than the column has"};
  if (texts.bytes == nullptr || texts.bytes->bytes() < (texts.string_bytes + 15) / 16 * 16)
    return {Code::invalid, "text that is not padded to a multiple of 16 bytes"};
  if (texts.validity != nullptr && texts.validity->bytes() < (texts.row_count + 7) / 8)
    return {Code::invalid, "a bitmap for fewer rows than the column has"};
  return {};
}

Result<PlainStrings> PlainStrings::upload(Device& device, Queue& queue, const Column& column) {
  std::array<std::byte, 16> last{};
  auto there = enqueue_texts(device, queue, column, last);
  PENSTOCK_TRY(queue.finish());  // also after an error: the column may end, and `last` does
  return there;
}

Result<DeviceCodes> DeviceCodes::allocate(Device& device, const PlainStrings& texts,
                                          std::uint64_t code_bytes) {
  DeviceCodes codes;
  codes.offset_bytes = code_bytes <= INT32_MAX ? 4 : 8;
  PENSTOCK_ASSIGN(codes.codes, device.allocate(code_bytes / 16 * 16 + 16));
  PENSTOCK_ASSIGN(codes.offsets, device.allocate((texts.row_count + 1) * codes.offset_bytes));
  return codes;
}

Result<std::vector<RowGroup>> train(const std::shared_ptr<Device>& device, Queue& queue,
                                    const PlainStrings& texts, std::uint64_t row_group_rows) {
  return guard([&] { return trained(device, queue, texts, row_group_rows); });
}

}  // namespace penstock::fsst
