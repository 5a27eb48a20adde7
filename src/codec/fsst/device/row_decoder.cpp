// Decoding that first measures each row: in tiles of codes on GPUs, row by row on CPUs.
#include <algorithm>

#include "codec/fsst/device/device_decoder.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/device/row_selection.hpp"
#include "primitive/scan.hpp"

namespace penstock::fsst {
namespace {

class RowDecoder : public DeviceDecoder {
 public:
  using DeviceDecoder::DeviceDecoder;
  std::string_view variant() const override { return "fsst_decode_rows"; }

 protected:
  Status open_variant(const DeviceStrings& strings) override {
    numbers_ = policy_in_force(device_->traits(), variant(), standard_numbers());
    PENSTOCK_ASSIGN(measure_, build_program("fsst_measure", row_threads(device_->traits())));
    PENSTOCK_ASSIGN(compare_,
                    build_program("fsst_compare_offsets", row_threads(device_->traits())));
    PENSTOCK_ASSIGN(decode_, build_decode());
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(
                               device_, {primitive::Number::u32, primitive::Number::u64, true}));
    PENSTOCK_ASSIGN(lengths_, device_->allocate((strings.row_count + 1) * 4));
    return {};
  }

  Status measure(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output) override {
    if (lengths_->bytes() < (strings.row_count + 1) * 4)
      return Status(Code::invalid, "the decoder was built for fewer rows");
    PENSTOCK_TRY(enqueue_measure(queue, *measure_, device_->traits(), strings,
                                 RowSelection::all(strings), *lengths_, *status_));
    return scan_->enqueue(queue, *lengths_, *output.offsets, strings.row_count + 1);
  }

  // Measures the rows and compares the given offsets with the result, where they are validated.
  Status use_given_offsets(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output,
                           GivenOffsets how) override {
    if (how == GivenOffsets::trusted) return {};
    const std::uint64_t bytes = (strings.row_count + 1) * 8;
    if (found_.offsets == nullptr || found_.offsets->bytes() < bytes) {
      PENSTOCK_ASSIGN(found_.offsets, device_->allocate(bytes));
    }
    PENSTOCK_TRY(measure(queue, strings, found_));
    const std::uint64_t max_groups = std::uint64_t{device_->traits().compute_units} * 16;
    const std::uint64_t groups = std::clamp<std::uint64_t>(strings.row_count / 1024, 1, max_groups);
    return queue.launch(*compare_, "fsst_compare_offsets", static_cast<std::uint32_t>(groups),
                        {{Argument::of(*found_.offsets), Argument::of(*output.offsets),
                          Argument::of(*status_), Argument::value(strings.row_count + 1)}});
  }

  Status decode(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output) override {
    const std::uint64_t rows_of_group = kernel::number_of(numbers_, "rows_per_group", 1),
                        groups = std::clamp<std::uint64_t>(strings.row_count / rows_of_group, 1,
                                                           max_groups());
    return queue.launch(*decode_, variant(), static_cast<std::uint32_t>(groups),
                        decode_arguments(strings, output, strings.string_bytes, *status_,
                                         RowSelection::all(strings)));
  }

  virtual Result<std::shared_ptr<Program>> build_decode() { return build_program(variant(), 1); }
  virtual kernel::PolicyNumbers standard_numbers() const { return row_numbers(device_->traits()); }
  std::uint64_t max_groups() const {
    return std::uint64_t{device_->traits().compute_units} *
           kernel::number_of(numbers_, "groups_per_compute_unit", 1);
  }

  std::shared_ptr<Program> measure_, compare_, decode_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> lengths_;
  kernel::PolicyNumbers numbers_;
  DeviceOutput found_;  // measured offsets, to compare given ones with
};

class TileDecoder final : public RowDecoder {
 public:
  using RowDecoder::RowDecoder;
  std::string_view variant() const override { return "fsst_decode_tiles"; }

 private:
  Status decode(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output) override {
    std::vector<Argument> arguments =
        decode_arguments(strings, output, strings.string_bytes, *status_);
    arguments.push_back(Argument::value(strings.group_count));
    arguments.push_back(Argument::of(*strings.first_tiles));
    const std::uint64_t groups = std::clamp<std::uint64_t>(
        strings.tile_count, 1, max_groups());  // without codes one group still checks the offsets
    return queue.launch(*decode_, variant(), static_cast<std::uint32_t>(groups), arguments);
  }
  Result<std::shared_ptr<Program>> build_decode() override {
    return build_program(variant(), tile_threads(device_->traits()));
  }
  kernel::PolicyNumbers standard_numbers() const override {
    return tile_numbers(device_->traits());
  }
};

}  // namespace

// Tiles of codes are laid out when a column is uploaded: the group size is no choice.
kernel::PolicyNumbers tile_numbers(const Traits& traits) {
  return {{"group_size", tile_threads(traits)},
          {"groups_per_compute_unit", 64, {8, 16, 32, 64, 128}}};
}
kernel::PolicyNumbers row_numbers(const Traits&) {
  return {{"rows_per_group", 1024, {64, 256, 1024, 4096, 16384}},
          {"groups_per_compute_unit", 8, {1, 2, 4, 8, 16, 32}}};
}

std::unique_ptr<DeviceDecoder> make_row_decoder(std::shared_ptr<Device> device) {
  return std::make_unique<RowDecoder>(std::move(device));
}
std::unique_ptr<DeviceDecoder> make_tile_decoder(std::shared_ptr<Device> device) {
  return std::make_unique<TileDecoder>(std::move(device));
}

}  // namespace penstock::fsst
