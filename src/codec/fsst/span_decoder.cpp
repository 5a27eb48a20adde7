// Decoding by warps that walk spans of codes (fsst_warps.kc): measured so, too.
#include <algorithm>

#include "codec/fsst/device_decoder.hpp"
#include "codec/fsst/device_layout.hpp"
#include "primitive/scan.hpp"

namespace penstock::fsst {
namespace {

class SpanDecoder final : public DeviceDecoder {
 public:
  using DeviceDecoder::DeviceDecoder;
  std::string_view variant() const override { return "fsst_decode_spans"; }

 private:
  static constexpr std::uint32_t small_group = 256;

  Status open_variant(const DeviceStrings& strings) override {
    PENSTOCK_ASSIGN(measure_, build_program({"fsst_warps", "fsst_measure_spans"}, 32 * span_warps));
    PENSTOCK_ASSIGN(add_, build_program({"fsst_add_bases"}, small_group));
    PENSTOCK_ASSIGN(starts_of_offsets_, build_program({"fsst_warps", "fsst_span_starts"}, small_group));
    PENSTOCK_ASSIGN(decode_, build_program({"fsst_warps", variant()}, 32 * span_warps));
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(device_, {primitive::Number::u64, primitive::Number::u64, true}));
    const std::uint64_t spans = strings.span_count;
    PENSTOCK_ASSIGN(totals_, device_->allocate((spans + 1) * 8));
    PENSTOCK_ASSIGN(bases_, device_->allocate((spans + 1) * 8));
    PENSTOCK_ASSIGN(starts_, device_->allocate((spans + 1) * 8));
    PENSTOCK_ASSIGN(span_rows_, device_->allocate((spans + 1) * 16));
    PENSTOCK_ASSIGN(states_, device_->allocate((spans + 1) * 4));
    return {};
  }

  Status has_room(const DeviceStrings& strings) const {
    if (totals_->bytes() >= (std::uint64_t{strings.span_count} + 1) * 8) return {};
    return Status(Code::invalid, "a decoder that was built for fewer codes");
  }

  Status measure(Queue& queue, const DeviceStrings& strings, const DeviceText& text) override {
    PENSTOCK_TRY(has_room(strings));
    const std::uint64_t count = std::uint64_t{strings.span_count} + 1;
    PENSTOCK_TRY(queue.fill(*totals_, 0, count * 8));
    PENSTOCK_TRY(queue.launch(*measure_, "fsst_measure_spans", strings.block_count,
                              {{Argument::of(*strings.codes), Argument::of(*strings.offsets), Argument::of(*strings.groups),
                                Argument::of(*strings.tables), Argument::of(*text.offsets), Argument::of(*totals_),
                                Argument::of(*span_rows_),
                                Argument::of(*states_), Argument::of(*verdict_), Argument::value(strings.code_bytes),
                                Argument::of(*strings.spans), Argument::of(*strings.blocks)}}));
    PENSTOCK_TRY(scan_->enqueue(queue, *totals_, *bases_, count));
    return queue.launch(*add_, "fsst_add_bases", std::min(strings.span_count, device_->traits().compute_units * 8),
                        {{Argument::of(*bases_), Argument::of(*span_rows_), Argument::of(*states_), Argument::of(*text.offsets),
                          Argument::of(*starts_), Argument::of(*verdict_), Argument::value(strings.row_count),
                          Argument::value(strings.text_bytes), Argument::value(strings.span_count)}});
  }

  Status take_offsets(Queue& queue, const DeviceStrings& strings, const DeviceText& text) override {
    PENSTOCK_TRY(has_room(strings));
    constexpr std::uint32_t warps = small_group / 32;
    return queue.launch(*starts_of_offsets_, "fsst_span_starts", (strings.span_count + warps - 1) / warps,
                        {{Argument::of(*strings.codes), Argument::of(*strings.offsets), Argument::of(*strings.groups),
                          Argument::of(*strings.tables), Argument::of(*text.offsets), Argument::of(*strings.spans),
                          Argument::of(*strings.span_groups), Argument::of(*starts_), Argument::of(*verdict_),
                          Argument::value(strings.row_count), Argument::value(strings.text_bytes), Argument::value(strings.span_count)}});
  }

  Status decode(Queue& queue, const DeviceStrings& strings, const DeviceText& text) override {
    std::vector<Argument> arguments = decode_arguments(strings, text);
    for (const Buffer* buffer : {strings.spans.get(), strings.blocks.get(), starts_.get()}) arguments.push_back(Argument::of(*buffer));
    return queue.launch(*decode_, variant(), strings.block_count, arguments);
  }

  std::shared_ptr<Program> measure_, add_, starts_of_offsets_, decode_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> totals_, bases_, starts_, span_rows_, states_;
};

}  // namespace

std::unique_ptr<DeviceDecoder> make_span_decoder(std::shared_ptr<Device> device) {
  return std::make_unique<SpanDecoder>(std::move(device));
}

}  // namespace penstock::fsst
