// Large LZ4 blocks, and linked ones: the phases of src/codec/lz4/kernels/lz4_stretches.kc, which
// has the numbers, too.
#include <algorithm>

#include "codec/batch/chunk_decoder.hpp"
#include "codec/lz/origin_output.hpp"

namespace penstock::batch {
namespace {

constexpr std::uint64_t stretch_bytes = 4032, max_window_bytes = 65536;
constexpr std::uint64_t words_per_stream = 6, words_per_block = 2,
                        words_per_stretch = 8 + 5 * 33;  // STRETCH_WORDS and KEPT_WORDS
constexpr std::uint32_t correcting_rounds = 5;           // an odd number
constexpr std::uint32_t corrected_at_once = 8;           // CORRECTED_AT_ONCE
constexpr std::uint64_t first_stream = 11;               // before it the counter
constexpr std::uint64_t max_tasks = 0xfff00000;          // handed out by a counter of 32 bits
constexpr std::uint64_t max_stream_bytes =
    0x7ffe0000;  // positions have 31 bits, and a window and an odd beginning before them

// Of a block that becomes so much: by LZ4's bound. A longer one has become too long before its end.
std::uint64_t stretches_of(std::uint64_t capacity) {
  return (capacity + capacity / 255 + 16 + stretch_bytes - 1) / stretch_bytes;
}
std::uint64_t capacity_of(std::uint64_t max_output_bytes) {
  return std::min(max_output_bytes, max_stream_bytes);
}

class StretchDecoder final : public Decoder {
 public:
  StretchDecoder(std::shared_ptr<Device> device, const Variant& variant)
      : device_(std::move(device)), variant_(variant) {}
  Status open() {
    PENSTOCK_ASSIGN(walks_, build_phase(*device_, variant_.phases[0]));
    PENSTOCK_ASSIGN(origins_, build_phase(*device_, variant_.phases[1]));
    PENSTOCK_ASSIGN(auto text, OriginOutput::build(device_));
    output_ = std::make_unique<OriginOutput>(std::move(text));
    return {};
  }

  std::uint64_t scratch_bytes(std::uint32_t chunk_count,
                              std::uint64_t max_output_bytes) const override {
    const std::uint64_t capacity = capacity_of(max_output_bytes);
    const std::uint64_t of_block = words_per_stream + words_per_block +
                                   stretches_of(capacity) * words_per_stretch +
                                   (capacity + 18) / 4 * 4;
    return 4 * (first_stream * words_per_stream + chunk_count * of_block + max_window_bytes + 4);
  }
  std::string_view variant() const override { return variant_.name; }
  Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) override {
    PENSTOCK_TRY(check(batch, scratch));
    if (batch.chunk_count == 0) return {};
    const std::uint32_t is_linked = batch.links.streams != nullptr;
    const auto capacity = static_cast<std::uint32_t>(capacity_of(batch.max_output_bytes));
    const auto stretches = static_cast<std::uint32_t>(stretches_of(capacity));
    const std::uint32_t blocks = batch.chunk_count, tasks = blocks * stretches;
    const Argument links = Argument::of(is_linked ? *batch.links.streams
                                                  : *batch.input_sizes);  // which nobody reads then
    const Argument input = Argument::of(*batch.input), offsets = Argument::of(*batch.input_offsets),
                   there = Argument::of(scratch);
    const Argument sizes = Argument::of(*batch.input_sizes), count = Argument::value(blocks),
                   max_stretches = Argument::value(stretches);
    const Argument linked = Argument::value(is_linked),
                   places = Argument::of(*batch.output_offsets);
    const std::vector<Argument> all = {input,
                                       offsets,
                                       sizes,
                                       places,
                                       Argument::of(*batch.output_capacities),
                                       links,
                                       there,
                                       count,
                                       there,
                                       max_stretches,
                                       Argument::value(capacity),
                                       linked,
                                       Argument::value(batch.links.window_bytes)};
    PENSTOCK_TRY(launch(queue, walks_, "lz4_measure_stretches", tasks, scratch, all));
    PENSTOCK_TRY(correct(queue, tasks, scratch, all));
    PENSTOCK_TRY(launch(queue, walks_, "lz4_chain_stretches", blocks, scratch, all));
    PENSTOCK_TRY(launch(queue, walks_, "lz4_place_blocks", blocks, scratch, all));
    PENSTOCK_TRY(launch(queue, origins_, "lz4_origins_of_stretches", tasks, scratch, all));
    PENSTOCK_TRY(launch(queue, origins_, "lz4_literals_of_stretches", tasks, scratch, all));
    PENSTOCK_TRY(launch(queue, origins_, "lz4_judge_blocks", blocks, scratch,
                        {sizes, Argument::of(*batch.output_sizes), Argument::of(*batch.statuses),
                         links, there, count, there, max_stretches, linked}));
    PENSTOCK_TRY(queue.fill(scratch, 0, 4));  // nothing is wrong: what is not sound has no text
    return output_->enqueue(queue, streams_of(batch, scratch));
  }

 private:
  Status check(const Batch& batch, const Buffer& scratch) const {
    if (batch.chunk_count != 0 && batch.max_output_bytes == 0)
      return Status(Code::invalid,
                    "a batch of LZ4 by stretches does not tell its chunks' max_output_bytes");
    PENSTOCK_TRY(
        check_batch(batch, scratch, scratch_bytes(batch.chunk_count, batch.max_output_bytes)));
    if (batch.chunk_count * stretches_of(capacity_of(batch.max_output_bytes)) > max_tasks)
      return Status(Code::invalid, "more stretches of 4032 bytes than a batch may have");
    const Links& links = batch.links;
    if (links.streams == nullptr) return {};
    if (links.streams->bytes() < std::uint64_t{batch.chunk_count} * 4 ||
        links.stream_count > batch.chunk_count)
      return Status(Code::invalid,
                    "a batch's memory for links is too small for its chunks, or it has more "
                    "streams than chunks");
    if (links.window_bytes > max_window_bytes || links.max_stream_bytes > max_stream_bytes)
      return Status(Code::invalid, "a stream of 2 GiB of text, or a window of more than 64 KiB");
    return {};
  }
  Status correct(Queue& queue, std::uint32_t stretches, const Buffer& scratch,
                 std::vector<Argument> arguments) const {
    arguments.emplace_back();
    for (std::uint32_t round = 0; round < correcting_rounds; round++) {
      arguments.back() = Argument::value(round);
      const std::uint32_t tasks = (stretches + corrected_at_once - 1) / corrected_at_once;
      PENSTOCK_TRY(launch(queue, walks_, "lz4_correct_stretches", tasks, scratch, arguments));
    }
    return {};
  }
  // For teams, which take `tasks` by the counter.
  Status launch(Queue& queue, const BuiltPhase& phase, std::string_view kernel, std::uint32_t tasks,
                const Buffer& scratch, const std::vector<Argument>& arguments) const {
    PENSTOCK_TRY(queue.fill(scratch, 0, 4));  // the next task
    return queue.launch(*phase.program, kernel, phase.groups(device_->traits(), tasks), arguments);
  }
  static OriginBatch streams_of(const Batch& batch, const Buffer& scratch) {
    const std::shared_ptr<const Buffer> lent(std::shared_ptr<const Buffer>(), &scratch);
    const bool is_linked = batch.links.streams != nullptr;
    const std::uint64_t max_bytes =
        is_linked ? batch.links.max_stream_bytes : capacity_of(batch.max_output_bytes);
    return {.stream_count = is_linked ? batch.links.stream_count : batch.chunk_count,
            .max_positions = static_cast<std::uint32_t>(max_bytes),
            .streams = lent,
            .origins = lent,
            .output = batch.output,
            .wrong = lent,
            .first_stream = static_cast<std::uint32_t>(first_stream)};
  }

  std::shared_ptr<Device> device_;
  const Variant& variant_;  // a row of the table
  BuiltPhase walks_, origins_;
  std::unique_ptr<OriginOutput> output_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> build_stretch_decoder(std::shared_ptr<Device> device,
                                                       const Variant& variant) {
  auto decoder = std::make_unique<StretchDecoder>(std::move(device), variant);
  PENSTOCK_TRY(decoder->open());
  return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace penstock::batch
