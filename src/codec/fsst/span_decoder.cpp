// Decoding by warps that walk spans of codes (fsst_warps.kc): measured so, too.
#include "codec/fsst/device_choice.hpp"
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
    if (strings.row_count >= UINT32_MAX) return Status(Code::unsupported, "decoding by spans of more than 2^32 rows");
    constexpr std::uint32_t items = 32 * span_warps;
    PENSTOCK_ASSIGN(measure_, build_program({"fsst_warps", "fsst_measure_spans"}, items));
    PENSTOCK_ASSIGN(place_, build_program({"fsst_place_spans"}, small_group));
    PENSTOCK_ASSIGN(starts_of_offsets_, build_program({"fsst_warps", "fsst_span_starts"}, small_group));
    PENSTOCK_ASSIGN(decode_, build_program({"fsst_warps", variant()}, items));
    PENSTOCK_ASSIGN(decode_with_rows_, build_program({"fsst_warps", variant()}, items, "#define FSST_WRITES_ROWS\n"));
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(device_, {primitive::Number::u64, primitive::Number::u64, true}));
    const std::uint64_t count = std::uint64_t{strings.span_count} + 1;
    for (auto* buffer : {&totals_, &bases_, &starts_, &first_rows_}) {
      PENSTOCK_ASSIGN(*buffer, device_->allocate(count * 8));
    }
    PENSTOCK_ASSIGN(states_, device_->allocate(count * 4));
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
                                Argument::of(*strings.tables), Argument::of(*totals_), Argument::of(*first_rows_),
                                Argument::of(*states_), Argument::of(*verdict_), Argument::value(strings.code_bytes),
                                Argument::of(*strings.spans), Argument::of(*strings.blocks)}}));
    PENSTOCK_TRY(scan_->enqueue(queue, *totals_, *bases_, count));
    has_rows_ = false;
    return queue.launch(*place_, "fsst_place_spans", strings.span_count / small_group + 1,
                        {{Argument::of(*bases_), Argument::of(*states_), Argument::of(*text.offsets), Argument::of(*starts_),
                          Argument::of(*verdict_), Argument::value(strings.row_count), Argument::value(strings.text_bytes),
                          Argument::value(strings.span_count)}});
  }

  Status take_offsets(Queue& queue, const DeviceStrings& strings, const DeviceText& text) override {
    PENSTOCK_TRY(has_room(strings));
    constexpr std::uint32_t warps = small_group / 32;
    has_rows_ = true;
    return queue.launch(*starts_of_offsets_, "fsst_span_starts", (strings.span_count + warps - 1) / warps,
                        {{Argument::of(*strings.codes), Argument::of(*strings.offsets), Argument::of(*strings.groups),
                          Argument::of(*strings.tables), Argument::of(*text.offsets), Argument::of(*strings.spans),
                          Argument::of(*strings.span_groups), Argument::of(*starts_), Argument::of(*verdict_),
                          Argument::value(strings.row_count), Argument::value(strings.text_bytes), Argument::value(strings.span_count)}});
  }

  Status decode(Queue& queue, const DeviceStrings& strings, const DeviceText& text) override {
    std::vector<Argument> arguments = decode_arguments(strings, text, strings.text_bytes, *verdict_);
    for (const Buffer* buffer : {strings.spans.get(), strings.blocks.get(), starts_.get(), first_rows_.get()})
      arguments.push_back(Argument::of(*buffer));
    arguments.push_back(Argument::value(strings.span_count));
    return queue.launch(has_rows_ ? *decode_ : *decode_with_rows_, variant(), strings.block_count, arguments);
  }

  bool has_rows_ = false;      // whether rows' text offsets are there already
  std::shared_ptr<Program> measure_, place_, starts_of_offsets_, decode_, decode_with_rows_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> totals_, bases_, starts_, first_rows_, states_;
};

}  // namespace

std::unique_ptr<DeviceDecoder> make_span_decoder(std::shared_ptr<Device> device) {
  return std::make_unique<SpanDecoder>(std::move(device));
}

}  // namespace penstock::fsst
