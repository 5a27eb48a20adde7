// Decoding of chosen rows on a device.
#include <algorithm>
#include <array>

#include "codec/fsst/device_fault.hpp"
#include "codec/fsst/device_layout.hpp"
#include "codec/fsst/device_program.hpp"
#include "penstock/fsst_match.hpp"
#include "primitive/scan.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint32_t fault_row = 4, fault_capacity = 8;      // fsst_chosen.kc

class Chosen final : public ChosenDecoder {
 public:
  explicit Chosen(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  Status open(const DeviceStrings& strings, std::uint64_t most_rows) {
    row_count_ = strings.row_count;
    offset_bytes_ = strings.offset_bytes;
    most_rows_ = most_rows;
    const std::uint32_t items = row_items(device_->traits());
    PENSTOCK_ASSIGN(select_, build_program(*device_, {offset_bytes_, items, {}}, {"fsst_select"}));
    PENSTOCK_ASSIGN(decode_, build_program(*device_, {offset_bytes_, items, {}}, {"fsst_chosen"}));
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(device_, {primitive::Number::u32, primitive::Number::u64, true}));
    const std::uint64_t words = (row_count_ + 31) / 32;
    PENSTOCK_ASSIGN(counts_, device_->allocate((words + 1) * 4));
    PENSTOCK_ASSIGN(places_, device_->allocate((words + 1) * 8));
    PENSTOCK_ASSIGN(rows_, device_->allocate(std::max<std::uint64_t>(most_rows, 1) * 8));
    PENSTOCK_ASSIGN(lengths_, device_->allocate((most_rows + 1) * 4));
    PENSTOCK_ASSIGN(verdict_, device_->allocate(16));
    PENSTOCK_ASSIGN(auto queue, device_->queue());
    PENSTOCK_TRY(queue->fill(*verdict_, 0, 16));
    return queue->finish();
  }

  Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& rows, std::uint64_t count, const DeviceText& text) override {
    if (count > most_rows_) return Status(Code::capacity, "more chosen rows than a decoder was built for");
    if (rows.bytes() < count * 8) return Status(Code::invalid, "memory for fewer row numbers than there are");
    given_count_ = count;
    is_counted_ = 0;
    return decode(queue, strings, rows, count, text);
  }

  Status enqueue_bits(Queue& queue, const DeviceStrings& strings, const Buffer& bits, const DeviceText& text) override {
    if (strings.row_count != row_count_) return Status(Code::invalid, "a decoder that was built for another column");
    if (bits.bytes() < bitmap_bytes(row_count_)) return Status(Code::invalid, "a bitmap for fewer rows than the column has");
    const std::uint64_t words = (row_count_ + 31) / 32;
    PENSTOCK_TRY(queue.launch(*select_, "fsst_count_rows", groups(words + 1),
                              {{Argument::of(bits), Argument::of(*counts_), Argument::value(row_count_)}}));
    PENSTOCK_TRY(scan_->enqueue(queue, *counts_, *places_, words + 1));
    PENSTOCK_TRY(queue.launch(*select_, "fsst_write_rows", groups(words),
                              {{Argument::of(bits), Argument::of(*places_), Argument::of(*rows_), Argument::value(row_count_),
                                Argument::value(most_rows_)}}));
    is_counted_ = 1;
    return decode(queue, strings, *rows_, most_rows_, text);
  }

  Result<std::uint64_t> check(Queue& queue) override {
    std::array<std::uint32_t, 2> verdict{};
    std::uint64_t count = given_count_;
    PENSTOCK_TRY(queue.download(verdict.data(), *verdict_, 8));
    if (is_counted_ != 0) PENSTOCK_TRY(queue.download(&count, *places_, 8, (row_count_ + 31) / 32 * 8));
    PENSTOCK_TRY(queue.finish());
    PENSTOCK_TRY(check_bad_row(queue, enqueued_, verdict[0]));
    if ((verdict[1] & fault_row) != 0) return Status(Code::invalid, "a chosen row that the column does not have");
    if ((verdict[1] & fault_capacity) != 0) return Status(Code::capacity, "more chosen rows or text than there is memory for");
    return count;
  }

 private:
  Status decode(Queue& queue, const DeviceStrings& strings, const Buffer& rows, std::uint64_t count, const DeviceText& text) {
    if (strings.row_count != row_count_ || strings.offset_bytes != offset_bytes_)
      return Status(Code::invalid, "a decoder that was built for another column");
    if (text.offsets->bytes() < (count + 1) * 8) return Status(Code::invalid, "memory for fewer offsets than chosen rows have");
    enqueued_ = strings;
    PENSTOCK_TRY(queue.fill(*verdict_, 0, 8));
    const std::uint64_t count_at = (row_count_ + 31) / 32;
    PENSTOCK_TRY(queue.launch(*decode_, "fsst_measure_chosen", groups(count + 1),
                              {{Argument::of(*strings.codes), Argument::of(*strings.offsets), Argument::of(*strings.groups),
                                Argument::of(*strings.tables), Argument::of(rows), Argument::of(*places_), Argument::of(*lengths_),
                                Argument::of(*verdict_), Argument::value(strings.code_bytes), Argument::value(row_count_),
                                Argument::value(strings.group_count), Argument::value(count), Argument::value(count_at),
                                Argument::value(is_counted_)}}));
    PENSTOCK_TRY(scan_->enqueue(queue, *lengths_, *text.offsets, count + 1));
    return queue.launch(*decode_, "fsst_decode_chosen", groups(count),
                        {{Argument::of(*strings.codes), Argument::of(*strings.offsets), Argument::of(*strings.groups),
                          Argument::of(*strings.tables), Argument::of(rows), Argument::of(*places_), Argument::of(*text.offsets),
                          Argument::of(*text.bytes), Argument::of(*verdict_), Argument::value(text.bytes->bytes()),
                          Argument::value(strings.group_count), Argument::value(count), Argument::value(count_at),
                          Argument::value(is_counted_)}});
  }
  std::uint32_t groups(std::uint64_t items) const {
    const std::uint64_t size = decode_->group_size(), most = std::uint64_t{device_->traits().compute_units} * 64;
    return static_cast<std::uint32_t>(std::min((items + size - 1) / size, most));
  }

  std::shared_ptr<Device> device_;
  std::uint64_t row_count_ = 0, most_rows_ = 0, given_count_ = 0;
  std::uint32_t offset_bytes_ = 4, is_counted_ = 0;
  std::shared_ptr<Program> select_, decode_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> counts_, places_, rows_, lengths_, verdict_;
  DeviceStrings enqueued_;      // until check() found it sound
};

}  // namespace

Result<std::unique_ptr<ChosenDecoder>> ChosenDecoder::build(std::shared_ptr<Device> device, const DeviceStrings& strings,
                                                            std::uint64_t most_rows) {
  auto decoder = std::make_unique<Chosen>(std::move(device));
  PENSTOCK_TRY(decoder->open(strings, most_rows));
  return std::unique_ptr<ChosenDecoder>(std::move(decoder));
}

}  // namespace penstock::fsst
