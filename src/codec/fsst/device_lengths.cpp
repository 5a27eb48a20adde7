// Lengths of rows on a device.
#include <algorithm>

#include "codec/fsst/device_fault.hpp"
#include "codec/fsst/device_layout.hpp"
#include "codec/fsst/device_program.hpp"
#include "penstock/fsst_match.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint8_t no_symbol = 255;      // fsst_lengths.kc

bool counts(std::uint32_t byte, DeviceLengths::Unit unit) {
  return unit == DeviceLengths::Unit::bytes || (byte & 0xc0) != 0x80;      // a character begins
}

std::vector<std::uint8_t> counts_of(const EncodedStrings& strings, DeviceLengths::Unit unit) {
  std::vector<std::uint8_t> all;
  for (const RowGroup& group : strings.row_groups)
    for (std::uint32_t code = 0; code < 256; code++) {
      std::uint8_t count = code < group.table->symbol_count ? 0 : no_symbol;
      for (std::uint32_t i = 0; code < group.table->symbol_count && i < group.table->lengths[code]; i++)
        if (counts(group.table->symbols[code] >> 8 * i & 255, unit)) count++;
      all.push_back(count);
    }
  for (std::uint32_t byte = 0; byte < 256; byte++) all.push_back(counts(byte, unit) ? 1 : 0);
  return all;
}

class Lengths final : public DeviceLengths {
 public:
  explicit Lengths(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  Status open(const EncodedStrings& strings, Unit unit) {
    PENSTOCK_TRY(validate_layout(strings));
    row_count_ = strings.row_count;
    offset_bytes_ = strings.offset_bytes;
    group_count_ = static_cast<std::uint32_t>(strings.row_groups.size());
    const std::uint32_t items = row_items(device_->traits());
    PENSTOCK_ASSIGN(program_, build_program(*device_, {offset_bytes_, items, {}}, {"fsst_lengths"}));
    const std::vector<std::uint8_t> counts = counts_of(strings, unit);
    PENSTOCK_ASSIGN(counts_, device_->allocate(counts.size()));
    PENSTOCK_ASSIGN(verdict_, device_->allocate(16));
    PENSTOCK_ASSIGN(auto queue, device_->queue());
    PENSTOCK_TRY(queue->fill(*verdict_, 0, 16));
    const Status uploaded = queue->upload(*counts_, counts.data(), counts.size());
    PENSTOCK_TRY(queue->finish());      // the counts end here
    return uploaded;
  }
  Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& lengths) override {
    if (strings.offset_bytes != offset_bytes_ || strings.row_count != row_count_ || strings.group_count != group_count_)
      return Status(Code::invalid, "lengths that were built for another column");
    if (lengths.bytes() < row_count_ * 8) return Status(Code::invalid, "memory for fewer lengths than the column has rows");
    enqueued_ = strings;
    PENSTOCK_TRY(queue.fill(*verdict_, 0, 4));
    const std::uint64_t most = std::uint64_t{device_->traits().compute_units} * 64;
    const std::uint64_t groups = std::min<std::uint64_t>((row_count_ + program_->group_size() - 1) / program_->group_size(), most);
    return queue.launch(*program_, "fsst_lengths", static_cast<std::uint32_t>(groups),
                        {{Argument::of(*strings.codes), Argument::of(*strings.offsets), Argument::of(*strings.groups),
                          Argument::of(*counts_), Argument::of(lengths), Argument::of(*verdict_), Argument::value(strings.code_bytes),
                          Argument::value(row_count_), Argument::value(group_count_)}});
  }
  Status check(Queue& queue) override {
    std::uint32_t bad_row = 0;
    PENSTOCK_TRY(queue.download(&bad_row, *verdict_, 4));
    PENSTOCK_TRY(queue.finish());
    return check_bad_row(queue, enqueued_, bad_row);
  }

 private:
  std::shared_ptr<Device> device_;
  std::uint64_t row_count_ = 0;
  std::uint32_t offset_bytes_ = 4, group_count_ = 0;
  std::shared_ptr<Buffer> counts_, verdict_;
  DeviceStrings enqueued_;      // until check() found it sound
  std::shared_ptr<Program> program_;
};

}  // namespace

Result<std::unique_ptr<DeviceLengths>> DeviceLengths::build(std::shared_ptr<Device> device, const EncodedStrings& strings, Unit unit) {
  auto lengths = std::make_unique<Lengths>(std::move(device));
  PENSTOCK_TRY(lengths->open(strings, unit));
  return std::unique_ptr<DeviceLengths>(std::move(lengths));
}

}  // namespace penstock::fsst
