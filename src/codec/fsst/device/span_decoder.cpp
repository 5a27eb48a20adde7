// Warp-cooperative decoding: each warp measures and decodes a span of codes (fsst_warps.kc).
#include <array>
#include <utility>

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
    PENSTOCK_ASSIGN(measure_, build_span_program("fsst_measure_spans", ""));
    PENSTOCK_ASSIGN(locate_spans_, build_program("fsst_locate_spans", small_group));
    PENSTOCK_TRY(select_program(write_rows));
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(
                               device_, {primitive::Number::u64, primitive::Number::u64, true}));
    // The number of spans does not depend on the column's size alone (device_strings.cpp): there is
    // capacity for any column with as many row groups.
    const SpanPolicy policy = span_policy(device_->traits());
    const std::uint64_t groups = std::uint64_t{device_->traits().compute_units} *
                                 policy.groups_per_multiprocessor * max_span_rounds;
    const std::uint64_t count = groups * policy.warps + strings.group_count + 1;
    for (auto* buffer : {&totals_, &bases_, &starts_, &first_rows_}) {
      PENSTOCK_ASSIGN(*buffer, device_->allocate(count * 8));
    }
    PENSTOCK_ASSIGN(states_, device_->allocate(count * 4));
    PENSTOCK_ASSIGN(edges_, device_->allocate(count * 16));
    return {};
  }

  // Kernels count rows in 32 bits, and look a few rows past the last one.
  static Status check_rows(const DeviceStrings& strings) {
    if (strings.row_count <= UINT32_MAX - 64) return {};
    return Status(Code::unsupported, "decoding by spans of 2^32 rows or nearly so many");
  }
  Status check_capacity(const DeviceStrings& strings) const {
    PENSTOCK_TRY(check_rows(strings));
    if (totals_->bytes() >= (std::uint64_t{strings.span_count} + 1) * 8) return {};
    return Status(Code::invalid, "the decoder was built for fewer row groups");
  }

  Status measure(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output) override {
    PENSTOCK_TRY(check_capacity(strings));
    const std::uint64_t count = std::uint64_t{strings.span_count} + 1;
    // The kernel writes the total of each span; the scan reads one more, which it does not add.
    if (!std::exchange(are_totals_filled_, true))
      PENSTOCK_TRY(queue.fill(*totals_, 0, totals_->bytes()));
    PENSTOCK_TRY(
        queue.launch(*measure_, "fsst_measure_spans", strings.thread_block_count,
                     {{Argument::of(*strings.codes), Argument::of(*strings.offsets),
                       Argument::of(*strings.group_rows), Argument::of(*strings.tables),
                       Argument::of(*totals_), Argument::of(*first_rows_), Argument::of(*states_),
                       Argument::of(*status_), Argument::value(strings.code_bytes),
                       Argument::of(*strings.spans), Argument::of(*strings.thread_blocks)}}));
    PENSTOCK_TRY(scan_->enqueue(queue, *totals_, *bases_, count));
    PENSTOCK_TRY(select_program(write_rows));
    return queue.launch(
        *locate_spans_, "fsst_locate_spans", strings.span_count / small_group + 1,
        {{Argument::of(*bases_), Argument::of(*states_), Argument::of(*output.offsets),
          Argument::of(*starts_), Argument::of(*status_), Argument::value(strings.row_count),
          Argument::value(strings.string_bytes), Argument::value(strings.span_count)}});
  }

  Status use_given_offsets(Queue& queue, const DeviceStrings& strings, const DeviceOutput&,
                           GivenOffsets how) override {
    PENSTOCK_TRY(check_capacity(strings));
    if (!are_edges_empty_) PENSTOCK_TRY(queue.fill(*edges_, 0xffffffff, edges_->bytes()));
    are_edges_empty_ = true;  // kernels leave them empty
    return select_program(how == GivenOffsets::validated ? check_offsets : trust_offsets);
  }

  Status decode(Queue& queue, const DeviceStrings& strings, const DeviceOutput& output) override {
    std::vector<Argument> arguments =
        decode_arguments(strings, output, strings.string_bytes, *status_);
    for (const auto& buffer : {strings.spans, strings.thread_blocks, strings.span_row_groups,
                               starts_, first_rows_, edges_})
      arguments.push_back(Argument::of(*buffer));
    arguments.push_back(Argument::value(strings.span_count));
    return queue.launch(*decode_[row_output_], variant(), strings.thread_block_count, arguments);
  }

  // The treatment of string offsets during decoding. Each has its own program, compiled on first
  // use.
  enum RowOutput { write_rows, trust_offsets, check_offsets };
  Status select_program(RowOutput row_output) {
    constexpr std::array<const char*, 3> definitions = {"#define FSST_WRITES_ROWS\n", "",
                                                        "#define FSST_CHECKS_ROWS\n"};
    row_output_ = row_output;
    if (decode_[row_output] != nullptr) return {};
    PENSTOCK_ASSIGN(decode_[row_output], build_span_program(variant(), definitions[row_output]));
    return {};
  }
  Result<std::shared_ptr<Program>> build_span_program(std::string_view file,
                                                      const std::string& definitions) {
    const SpanPolicy policy = span_policy(device_->traits());
    return build_program(file, 32 * policy.warps,
                         primitive::groups_per_multiprocessor(policy.groups_per_multiprocessor) +
                             primitive::define("FSST_LENGTH_COPIES", policy.length_copies) +
                             primitive::define("FSST_SYMBOL_COPIES", policy.symbol_copies) +
                             definitions);
  }

  RowOutput row_output_ = write_rows;  // for the last column
  std::array<std::shared_ptr<Program>, 3> decode_;
  std::shared_ptr<Program> measure_, locate_spans_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> totals_, bases_, starts_, first_rows_, states_, edges_;
  bool are_edges_empty_ = false, are_totals_filled_ = false;
};

}  // namespace

kernel::PolicyNumbers span_numbers(const Traits& traits) {
  const SpanPolicy policy = span_policy(traits);
  return {{"group_size", 32 * policy.warps},
          {"groups_per_multiprocessor", policy.groups_per_multiprocessor},
          {"length_copies", policy.length_copies},
          {"symbol_copies", policy.symbol_copies}};
}

std::unique_ptr<DeviceDecoder> make_span_decoder(std::shared_ptr<Device> device) {
  return std::make_unique<SpanDecoder>(std::move(device));
}

}  // namespace penstock::fsst
