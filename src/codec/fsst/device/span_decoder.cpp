// Decoding by warps that walk spans of codes (fsst_warps.kc): measured so, too.
#include <array>

#include "codec/fsst/device/device_decoder.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/device/row_selection.hpp"
#include "primitive/primitive_source.hpp"
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
    PENSTOCK_TRY(check_rows(strings));
    PENSTOCK_ASSIGN(
        measure_, build_program({"fsst_warps", "fsst_measured", "fsst_measure_spans"},
                                32 * span_warps, primitive::groups_per_unit(span_groups_per_unit)));
    PENSTOCK_ASSIGN(place_, build_program({"fsst_place_spans"}, small_group));
    PENSTOCK_TRY(choose(rows_written));
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(
                               device_, {primitive::Number::u64, primitive::Number::u64, true}));
    // How many spans a column is shared out in is no matter of its size alone (device_strings.cpp):
    // there is room for any of as many row groups.
    const std::uint64_t groups =
        std::uint64_t{device_->traits().compute_units} * span_groups_per_unit * max_span_rounds;
    const std::uint64_t count = groups * span_warps + strings.group_count + 1;
    for (auto* buffer : {&totals_, &bases_, &starts_, &first_rows_}) {
      PENSTOCK_ASSIGN(*buffer, device_->allocate(count * 8));
    }
    PENSTOCK_ASSIGN(states_, device_->allocate(count * 4));
    PENSTOCK_ASSIGN(edges_, device_->allocate(count * 16));
    return {};
  }

  // Kernels count rows in 32 bits, some rows ahead.
  static Status check_rows(const DeviceStrings& strings) {
    if (strings.row_count <= UINT32_MAX - 64) return {};
    return Status(Code::unsupported, "decoding by spans of 2^32 rows or nearly so many");
  }
  Status fits_memory(const DeviceStrings& strings) const {
    PENSTOCK_TRY(check_rows(strings));
    if (totals_->bytes() >= (std::uint64_t{strings.span_count} + 1) * 8) return {};
    return Status(Code::invalid, "a decoder that was built for fewer row groups");
  }

  Status measure(Queue& queue, const DeviceStrings& strings, const DeviceOutput& text) override {
    PENSTOCK_TRY(fits_memory(strings));
    const std::uint64_t count = std::uint64_t{strings.span_count} + 1;
    PENSTOCK_TRY(queue.fill(*totals_, 0, count * 8));
    PENSTOCK_TRY(
        queue.launch(*measure_, "fsst_measure_spans", strings.block_count,
                     {{Argument::of(*strings.codes), Argument::of(*strings.offsets),
                       Argument::of(*strings.groups), Argument::of(*strings.tables),
                       Argument::of(*totals_), Argument::of(*first_rows_), Argument::of(*states_),
                       Argument::of(*status_), Argument::value(strings.code_bytes),
                       Argument::of(*strings.spans), Argument::of(*strings.blocks)}}));
    PENSTOCK_TRY(scan_->enqueue(queue, *totals_, *bases_, count));
    PENSTOCK_TRY(choose(rows_written));
    return queue.launch(
        *place_, "fsst_place_spans", strings.span_count / small_group + 1,
        {{Argument::of(*bases_), Argument::of(*states_), Argument::of(*text.offsets),
          Argument::of(*starts_), Argument::of(*status_), Argument::value(strings.row_count),
          Argument::value(strings.string_bytes), Argument::value(strings.span_count)}});
  }

  Status take_offsets(Queue& queue, const DeviceStrings& strings, const DeviceOutput&,
                      GivenOffsets how) override {
    PENSTOCK_TRY(fits_memory(strings));
    if (!are_edges_empty_) PENSTOCK_TRY(queue.fill(*edges_, 0xffffffff, edges_->bytes()));
    are_edges_empty_ = true;  // so kernels leave them
    return choose(how == GivenOffsets::validated ? rows_checked : rows_believed);
  }

  Status decode(Queue& queue, const DeviceStrings& strings, const DeviceOutput& text) override {
    std::vector<Argument> arguments =
        decode_arguments(strings, text, strings.string_bytes, *status_);
    for (const auto& buffer :
         {strings.spans, strings.blocks, strings.span_groups, starts_, first_rows_, edges_})
      arguments.push_back(Argument::of(*buffer));
    arguments.push_back(Argument::value(strings.span_count));
    return queue.launch(*decode_[rows_], variant(), strings.block_count, arguments);
  }

  // What decoding does with rows; a program each, compiled when it is first wanted.
  enum Rows { rows_written, rows_believed, rows_checked };
  Status choose(Rows rows) {
    constexpr std::array<const char*, 3> definitions = {"#define FSST_WRITES_ROWS\n", "",
                                                        "#define FSST_CHECKS_ROWS\n"};
    rows_ = rows;
    if (decode_[rows] != nullptr) return {};
    PENSTOCK_ASSIGN(
        decode_[rows],
        build_program(
            {"fsst_warps", "fsst_measured", "fsst_span_text", "fsst_span_rows", variant()},
            32 * span_warps, primitive::groups_per_unit(span_groups_per_unit) + definitions[rows]));
    return {};
  }

  Rows rows_ = rows_written;  // of the last column
  std::array<std::shared_ptr<Program>, 3> decode_;
  std::shared_ptr<Program> measure_, place_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> totals_, bases_, starts_, first_rows_, states_, edges_;
  bool are_edges_empty_ = false;
};

}  // namespace

std::unique_ptr<DeviceDecoder> make_span_decoder(std::shared_ptr<Device> device) {
  return std::make_unique<SpanDecoder>(std::move(device));
}

}  // namespace penstock::fsst
