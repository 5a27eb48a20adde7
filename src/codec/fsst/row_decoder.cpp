// Decoding that measures row by row: by any GPU in tiles of codes, by a CPU in rows.
#include <algorithm>

#include "codec/fsst/device_decoder.hpp"
#include "codec/fsst/device_layout.hpp"
#include "primitive/scan.hpp"

namespace penstock::fsst {
namespace {

class RowDecoder : public DeviceDecoder {
 public:
  using DeviceDecoder::DeviceDecoder;
  std::string_view variant() const override { return "fsst_decode_rows"; }

 protected:
  Status open_variant(const DeviceStrings& strings) override {
    PENSTOCK_ASSIGN(measure_, build_program({"fsst_measure"}, row_items(device_->traits())));
    PENSTOCK_ASSIGN(decode_, build_program({variant()}, decode_items()));
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(device_, {primitive::Number::u32, primitive::Number::u64, true}));
    PENSTOCK_ASSIGN(lengths_, device_->allocate((strings.row_count + 1) * 4));
    return {};
  }

  Status measure(Queue& queue, const DeviceStrings& strings, const DeviceText& text) override {
    constexpr std::uint64_t rows_an_item = 8;      // fsst_measure.kc
    if (lengths_->bytes() < (strings.row_count + 1) * 4) return Status(Code::invalid, "a decoder that was built for fewer rows");
    const std::uint64_t groups =
        std::min<std::uint64_t>(strings.row_count / (rows_an_item * measure_->group_size()) + 1, device_->traits().compute_units * 64u);
    PENSTOCK_TRY(queue.launch(*measure_, "fsst_measure", static_cast<std::uint32_t>(groups),
                              {{Argument::of(*strings.codes), Argument::of(*strings.offsets), Argument::of(*strings.groups),
                                Argument::of(*strings.tables), Argument::of(*lengths_), Argument::of(*verdict_),
                                Argument::value(strings.code_bytes), Argument::value(strings.row_count),
                                Argument::value(strings.group_count)}}));
    return scan_->enqueue(queue, *lengths_, *text.offsets, strings.row_count + 1);
  }

  Status decode(Queue& queue, const DeviceStrings& strings, const DeviceText& text) override {
    std::vector<Argument> arguments = decode_arguments(strings, text);
    arguments.push_back(Argument::value(strings.row_count));
    arguments.push_back(Argument::value(strings.group_count));
    const std::uint64_t most = std::uint64_t{device_->traits().compute_units} * 8;
    const std::uint64_t groups = std::clamp<std::uint64_t>(strings.row_count / 1024, 1, most);
    return queue.launch(*decode_, variant(), static_cast<std::uint32_t>(groups), arguments);
  }

  virtual std::uint32_t decode_items() const { return 1; }

  std::shared_ptr<Program> measure_, decode_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> lengths_;
};

class TileDecoder final : public RowDecoder {
 public:
  using RowDecoder::RowDecoder;
  std::string_view variant() const override { return "fsst_decode_tiles"; }

 private:
  Status decode(Queue& queue, const DeviceStrings& strings, const DeviceText& text) override {
    std::vector<Argument> arguments = decode_arguments(strings, text);
    arguments.push_back(Argument::value(strings.group_count));
    arguments.push_back(Argument::of(*strings.first_tiles));
    const std::uint64_t most = std::uint64_t{device_->traits().compute_units} * 64;
    const std::uint64_t groups = std::clamp<std::uint64_t>(strings.tile_count, 1, most);      // one without codes looks at the offsets, too
    return queue.launch(*decode_, variant(), static_cast<std::uint32_t>(groups), arguments);
  }
  std::uint32_t decode_items() const override { return tile_items(device_->traits()); }
};

}  // namespace

std::unique_ptr<DeviceDecoder> make_row_decoder(std::shared_ptr<Device> device) {
  return std::make_unique<RowDecoder>(std::move(device));
}
std::unique_ptr<DeviceDecoder> make_tile_decoder(std::shared_ptr<Device> device) {
  return std::make_unique<TileDecoder>(std::move(device));
}

}  // namespace penstock::fsst
