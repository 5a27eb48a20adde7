// Decoding of selected rows on a device.
#include <algorithm>
#include <array>

#include "codec/fsst/device/device_error.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/device/device_program.hpp"
#include "codec/fsst/device/row_selection.hpp"
#include "codec/fsst/kernels/fsst_limits.h"
#include "penstock/fsst/matcher.hpp"
#include "primitive/scan.hpp"

namespace penstock::fsst {
namespace {

// fsst_selected_tiles.kc
kernel::Fit fits_selected_tiles(const Traits& traits) { return fits_tiles(traits, 17); }

// A method of decoding selected rows. `min_rows`: the fewest rows that are worth a group, as they
// fill a good part of a tile; 0: as many as the group has threads.
struct SelectedVariant {
  std::string_view name, kernel;
  kernel::Fit (*fits)(const Traits& traits);
  Result<std::shared_ptr<Program>> (*build)(Device& device, std::uint32_t offset_bytes);
  std::uint32_t min_rows, groups_per_multiprocessor;
};
Result<std::shared_ptr<Program>> build_tiles(Device& device, std::uint32_t offset_bytes) {
  return build_program(device, {offset_bytes, tile_threads(device.traits()), {}},
                       "fsst_selected_tiles");
}
Result<std::shared_ptr<Program>> build_rows(Device& device, std::uint32_t offset_bytes) {
  return build_program(device, {offset_bytes, row_threads(device.traits()), {}},
                       "fsst_decode_rows");
}
constexpr std::array<SelectedVariant, 2> selected_variants = {
    {{"fsst_selected_tiles", "fsst_selected_tiles", fits_selected_tiles, build_tiles, 16, 32},
     {"fsst_selected_rows", "fsst_decode_rows", any_device, build_rows, 0, 64}}};

constexpr const char* selected_family = "fsst_decode_selected";

std::vector<kernel::VariantCase> view_of_selected_decoders(const Traits& traits) {
  kernel::VariantCase all{selected_family, "selected rows of a column", {}};
  for (const SelectedVariant& variant : selected_variants)
    all.rows.push_back({std::string(variant.name),
                        variant.fits(traits),
                        {{"groups_per_multiprocessor", variant.groups_per_multiprocessor}}});
  return {all};
}
const kernel::VariantTable table_of_selected_decoders(view_of_selected_decoders);

class DeviceSelectedRowDecoder final : public SelectedRowDecoder {
 public:
  DeviceSelectedRowDecoder(std::shared_ptr<Device> device, const SelectedVariant& variant)
      : device_(std::move(device)), variant_(variant) {}

  Status open(const DeviceStrings& strings, std::uint64_t max_rows) {
    row_count_ = strings.row_count;
    offset_bytes_ = strings.offset_bytes;
    max_rows_ = max_rows;
    const std::uint32_t threads = row_threads(device_->traits());
    PENSTOCK_ASSIGN(select_, build_program(*device_, {offset_bytes_, threads, {}}, "fsst_select"));
    PENSTOCK_ASSIGN(measure_,
                    build_program(*device_, {offset_bytes_, threads, {}}, "fsst_measure"));
    PENSTOCK_ASSIGN(decode_, variant_.build(*device_, offset_bytes_));
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(
                               device_, {primitive::Number::u32, primitive::Number::u64, true}));
    const std::uint64_t words = (row_count_ + 31) / 32;
    PENSTOCK_ASSIGN(counts_, device_->allocate((words + 1) * 4));
    PENSTOCK_ASSIGN(row_bases_, device_->allocate((words + 1) * 8));
    PENSTOCK_ASSIGN(rows_, device_->allocate(std::max<std::uint64_t>(max_rows, 1) * 8));
    PENSTOCK_ASSIGN(lengths_, device_->allocate((max_rows + 1) * 4));
    PENSTOCK_ASSIGN(status_, device_->allocate(16));
    PENSTOCK_ASSIGN(auto queue, device_->queue());
    PENSTOCK_TRY(queue->fill(*status_, 0, 16));
    return queue->finish();
  }

  Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& rows,
                 std::uint64_t count, const DeviceOutput& output) override {
    if (count > max_rows_)
      return Status(Code::capacity, "more selected rows than the decoder was built for");
    if (rows.bytes() < count * 8)
      return Status(Code::invalid, "the buffer of row numbers is smaller than its count");
    given_count_ = count;
    is_count_on_device_ = false;
    return decode(queue, strings, {&rows, row_bases_.get(), count, 0, RowSelection::is_selected},
                  output);
  }

  Status enqueue_bitmap(Queue& queue, const DeviceStrings& strings, const Buffer& bits,
                        const DeviceOutput& output) override {
    if (strings.row_count != row_count_)
      return Status(Code::invalid, "the decoder was built for another column");
    if (bits.bytes() < bitmap_bytes(row_count_))
      return Status(Code::invalid, "the bitmap is smaller than the column's rows");
    const std::uint64_t words = (row_count_ + 31) / 32;
    PENSTOCK_TRY(
        queue.launch(*select_, "fsst_count_rows", select_groups(words + 1),
                     {{Argument::of(bits), Argument::of(*counts_), Argument::value(row_count_)}}));
    PENSTOCK_TRY(scan_->enqueue(queue, *counts_, *row_bases_, words + 1));
    PENSTOCK_TRY(queue.launch(*select_, "fsst_write_rows", select_groups(words),
                              {{Argument::of(bits), Argument::of(*row_bases_), Argument::of(*rows_),
                                Argument::value(row_count_), Argument::value(max_rows_)}}));
    is_count_on_device_ = true;
    return decode(queue, strings,
                  {rows_.get(), row_bases_.get(), max_rows_, words,
                   RowSelection::is_selected | RowSelection::is_count_on_device},
                  output);
  }

  Result<std::uint64_t> check(Queue& queue) override {
    std::array<std::uint32_t, 2> status{};
    std::uint64_t count = given_count_;
    PENSTOCK_TRY(queue.download(status.data(), *status_, 8));
    if (is_count_on_device_)
      PENSTOCK_TRY(queue.download(&count, *row_bases_, 8, (row_count_ + 31) / 32 * 8));
    PENSTOCK_TRY(queue.finish());
    PENSTOCK_TRY(check_bad_row(queue, enqueued_, status[0]));
    if ((status[1] & FSST_ERROR_ROW) != 0)
      return Status(Code::invalid, "a selected row that the column does not have");
    if ((status[1] & FSST_ERROR_CAPACITY) != 0)
      return Status(Code::capacity, "more selected rows or output than there is memory for");
    if (status[1] != 0) return Status(Code::corrupt, "codes or offsets changed during decoding");
    return count;
  }
  std::string_view variant() const override { return variant_.name; }

 private:
  Status decode(Queue& queue, const DeviceStrings& strings, const RowSelection& selection,
                const DeviceOutput& output) {
    if (strings.tables == nullptr)
      return Status(Code::invalid, "strings that were upload_vector for matching alone");
    if (strings.row_count != row_count_ || strings.offset_bytes != offset_bytes_)
      return Status(Code::invalid, "the decoder was built for another column");
    if (output.offsets->bytes() < (selection.count + 1) * 8)
      return Status(Code::invalid, "the buffer of offsets is smaller than the selection");
    enqueued_ = strings;
    PENSTOCK_TRY(queue.fill(*status_, 0, 8));
    PENSTOCK_TRY(enqueue_measure(queue, *measure_, device_->traits(), strings, selection, *lengths_,
                                 *status_));
    PENSTOCK_TRY(scan_->enqueue(queue, *lengths_, *output.offsets, selection.count + 1));
    const std::uint64_t rows_per_group =
        variant_.min_rows != 0 ? variant_.min_rows : decode_->group_size();
    return queue.launch(
        *decode_, variant_.kernel,
        groups(selection.count, rows_per_group, variant_.groups_per_multiprocessor),
        decode_arguments(strings, output, output.bytes->bytes(), *status_, selection));
  }
  std::uint32_t groups(std::uint64_t total, std::uint64_t per_group,
                       std::uint32_t groups_per_multiprocessor) const {
    const std::uint64_t max_groups =
        std::uint64_t{device_->traits().compute_units} * groups_per_multiprocessor;
    return static_cast<std::uint32_t>(std::min((total + per_group - 1) / per_group, max_groups));
  }
  std::uint32_t select_groups(std::uint64_t words) const {
    return groups(words, select_->group_size(), 64);
  }

  std::shared_ptr<Device> device_;
  const SelectedVariant& variant_;
  std::uint64_t row_count_ = 0, max_rows_ = 0, given_count_ = 0;
  std::uint32_t offset_bytes_ = 4;
  bool is_count_on_device_ = false;
  std::shared_ptr<Program> select_, measure_, decode_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> counts_, row_bases_, rows_, lengths_, status_;
  DeviceStrings enqueued_;  // until check() found it valid
};

}  // namespace

std::vector<std::string> SelectedRowDecoder::variants(const Traits& traits) {
  std::vector<std::string> names;
  for (const SelectedVariant& variant : selected_variants)
    if (variant.fits(traits)) names.emplace_back(variant.name);
  return names;
}

Result<std::unique_ptr<SelectedRowDecoder>> SelectedRowDecoder::build(
    std::shared_ptr<Device> device, const DeviceStrings& strings, std::uint64_t max_rows,
    std::string_view variant) {
  const std::vector<std::string> names = variants(device->traits());
  PENSTOCK_ASSIGN(const kernel::ChosenRow chosen,
                  kernel::choose_row(selected_family, names, variant, device->traits()));
  const SelectedVariant& row =
      *std::ranges::find(selected_variants, names[chosen.index], &SelectedVariant::name);
  auto decoder = std::make_unique<DeviceSelectedRowDecoder>(std::move(device), row);
  PENSTOCK_TRY(decoder->open(strings, max_rows));
  return std::unique_ptr<SelectedRowDecoder>(std::move(decoder));
}

}  // namespace penstock::fsst
