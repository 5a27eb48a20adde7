// Lengths of rows on a device, computed from their codes.
#include "codec/fsst/device/code_kernel_base.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/kernels/fsst_limits.h"
#include "penstock/fsst/matcher.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint8_t no_symbol = FSST_LENGTH_NO_SYMBOL;

bool counts(std::uint32_t byte, DeviceLengths::Unit unit) {
  return unit == DeviceLengths::Unit::bytes || (byte & 0xc0) != 0x80;  // no continuation byte
}

std::vector<std::uint8_t> counts_of(const EncodedStrings& strings, DeviceLengths::Unit unit) {
  std::vector<std::uint8_t> all;
  for (const RowGroup& group : strings.row_groups)
    for (std::uint32_t code = 0; code < 256; code++) {
      std::uint8_t count = code < group.table->symbol_count ? 0 : no_symbol;
      for (std::uint32_t i = 0; code < group.table->symbol_count && i < group.table->lengths[code];
           i++)
        if (counts(group.table->symbols[code] >> 8 * i & 255, unit)) count++;
      all.push_back(count);
    }
  for (std::uint32_t byte = 0; byte < 256; byte++) all.push_back(counts(byte, unit) ? 1 : 0);
  return all;
}

class Lengths final : public CodeKernelBase<DeviceLengths> {
 public:
  using CodeKernelBase::CodeKernelBase;
  std::string_view variant() const override { return "fsst_lengths"; }
  Status open(const EncodedStrings& strings, Unit unit) {
    PENSTOCK_ASSIGN(const auto queue, open_column(strings));
    PENSTOCK_TRY(
        build_program({offset_bytes_, row_threads(device_->traits()), {}}, "fsst_lengths"));
    PENSTOCK_ASSIGN(counts_, upload(*queue, counts_of(strings, unit)));
    return {};
  }
  Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& lengths) override {
    if (lengths.bytes() < row_count_ * 8)
      return Status(Code::invalid, "the buffer of lengths is smaller than the column's rows");
    PENSTOCK_TRY(begin(queue, strings));
    constexpr std::uint32_t groups_per_multiprocessor = 64;
    return queue.launch(
        *program_, variant(), groups(program_->group_size(), groups_per_multiprocessor),
        {{Argument::of(*strings.codes), Argument::of(*strings.offsets),
          Argument::of(*strings.group_rows), Argument::of(*counts_), Argument::of(lengths),
          Argument::of(*status_), Argument::value(code_bytes_), Argument::value(row_count_),
          Argument::value(group_count_)}});
  }

 private:
  std::shared_ptr<Buffer> counts_;
};

}  // namespace

Result<std::unique_ptr<DeviceLengths>> DeviceLengths::build(std::shared_ptr<Device> device,
                                                            const EncodedStrings& strings,
                                                            Unit unit) {
  auto lengths = std::make_unique<Lengths>(std::move(device));
  PENSTOCK_TRY(lengths->open(strings, unit));
  return std::unique_ptr<DeviceLengths>(std::move(lengths));
}

}  // namespace penstock::fsst
