// Decodes large Snappy blocks with several warps per block. The phases and their data are described
// in src/codec/snappy/kernels/snappy_segments.kc.
#include <algorithm>

#include "codec/batch/chunk_decoder.hpp"
#include "codec/batch/kernels/batch_limits.h"
#include "codec/snappy/kernels/snappy_limits.h"

namespace penstock::batch {
namespace {

constexpr std::uint64_t segment_bytes = SNAPPY_SEGMENT_BYTES;
// Segments that a batch may have, there or not. A batch of one large block and many small ones is
// decoded block by block where it would have more: a warp takes each of them from a counter.
constexpr std::uint64_t max_segments = 1 << 20;

class SegmentDecoder final : public Decoder {
 public:
  SegmentDecoder(std::shared_ptr<Device> device, const Variant& variant)
      : device_(std::move(device)), variant_(variant) {}
  Status open() {
    const std::vector<GroupPolicy> policies =
        policies_of(decoding_family(Format::snappy), variant_, device_->traits());
    PENSTOCK_ASSIGN(find_, build_phase(*device_, variant_.phases[0], policies[0]));
    PENSTOCK_ASSIGN(decode_, build_phase(*device_, variant_.phases[1], policies[1]));
    return {};
  }

  std::uint64_t scratch_bytes(std::uint32_t chunk_count,
                              std::uint64_t max_output_bytes) const override {
    const std::uint64_t segments = segments_per_chunk(chunk_count, max_output_bytes);
    return 4 *
           (BATCH_SCRATCH_HEAD_WORDS + chunk_count * (1 + SNAPPY_SEGMENT_WORDS * (segments + 1)));
  }
  std::string_view variant() const override { return variant_.name; }
  Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) override {
    PENSTOCK_TRY(
        check_batch(batch, scratch, scratch_bytes(batch.chunk_count, batch.max_output_bytes)));
    if (batch.dependencies.streams != nullptr)
      return Status(Code::invalid,
                    std::string(variant_.name) + " does not support dependent blocks");
    const std::uint32_t segments = segments_per_chunk(batch.chunk_count, batch.max_output_bytes);
    std::vector<Argument> arguments = batch_arguments(batch);
    for (const Argument& argument : {Argument::of(scratch), Argument::value(batch.chunk_count),
                                     Argument::of(scratch), Argument::value(segments)})
      arguments.push_back(argument);
    const auto launch = [&](const BuiltPhase& phase, std::string_view kernel, std::uint32_t tasks) {
      return queue.launch(*phase.program, kernel, phase.groups(device_->traits(), tasks),
                          arguments);
    };
    if (batch.chunk_count == 0) return {};
    PENSTOCK_TRY(queue.fill(scratch, 0, 4));  // the next task
    PENSTOCK_TRY(launch(find_, "snappy_find_segments", batch.chunk_count));
    PENSTOCK_TRY(launch(decode_, "snappy_decode_segments", batch.chunk_count * segments));
    PENSTOCK_TRY(queue.fill(scratch, 0, 4));
    return launch(decode_, "snappy_check_segments", batch.chunk_count);
  }

 private:
  // Returns 1 if blocks have no segments.
  static std::uint32_t segments_per_chunk(std::uint32_t chunk_count,
                                          std::uint64_t max_output_bytes) {
    const std::uint64_t bytes = std::min(max_output_bytes, max_chunk_bytes),
                        segments = (bytes + segment_bytes - 1) / segment_bytes;
    if (segments * chunk_count > max_segments) return 1;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(segments, 1));
  }

  std::shared_ptr<Device> device_;
  const Variant& variant_;  // a row of the table
  BuiltPhase find_, decode_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> build_snappy_segment_decoder(std::shared_ptr<Device> device,
                                                              const Variant& variant) {
  auto decoder = std::make_unique<SegmentDecoder>(std::move(device), variant);
  PENSTOCK_TRY(decoder->open());
  return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace penstock::batch
