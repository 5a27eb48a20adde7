#include "codec/chunks/origin_text.hpp"

#include <algorithm>
#include <array>

#include "codec/chunks/chunk_program.hpp"

namespace penstock::chunks {
namespace {

constexpr std::uint32_t group_items = 256, words_of_item = 1024;      // text_of_origins.kc: WORDS_A_GROUP
// Of all streams together in one launch. Less makes more launches, each of which has to begin and end; more makes chains of origins longer,
// which end where the range begins (docs/performance.md has what was timed).
constexpr std::uint64_t range_bytes = 2 << 20;
constexpr std::uint64_t least_stream_range_bytes = 64 << 10;      // about a segment
static_assert(sizeof(OriginStream) == 24);

bool has_room(const std::shared_ptr<const Buffer>& buffer, std::uint64_t bytes) { return buffer != nullptr && buffer->bytes() >= bytes; }

}  // namespace

Result<OriginText> OriginText::build(std::shared_ptr<Device> device) {
  constexpr std::array<std::string_view, 1> files = {"chunks/kernels/text_of_origins"};
  const Traits& traits = device->traits();
  const GroupPolicy policy = {traits.is_cpu ? 1 : std::min(group_items, traits.max_group_size), 8, 1};
  OriginText made;
  PENSTOCK_ASSIGN(made.program_, build_program(*device, policy, files));
  made.device_ = std::move(device);
  return made;
}

Status OriginText::enqueue(Queue& queue, const OriginBatch& batch) const {
  const std::uint64_t streams = std::uint64_t{batch.first_stream} + batch.stream_count;
  if (!has_room(batch.streams, streams * sizeof(OriginStream)) || !has_room(batch.wrong, 4) || batch.origins == nullptr ||
      batch.text == nullptr)
    return Status(Code::invalid, "memory for " + std::to_string(batch.stream_count) + " streams of origins is too small");
  if (batch.stream_count == 0) return {};
  const Traits& traits = device_->traits();
  const std::uint32_t words = traits.is_cpu ? words_of_item : std::min(group_items, traits.max_group_size);
  const std::uint64_t most = std::max(range_bytes / batch.stream_count, least_stream_range_bytes);
  const std::uint64_t of_stream = std::min(most, std::uint64_t{batch.most_positions} + 3);
  const auto groups_a_stream = static_cast<std::uint32_t>((of_stream / 4 + words) / words);      // one at least
  const std::uint32_t span = groups_a_stream * words * 4;
  for (std::uint64_t skipped = 0; skipped < std::uint64_t{batch.most_positions} + 3; skipped += span)
    PENSTOCK_TRY(queue.launch(*program_, "text_of_origins", batch.stream_count * groups_a_stream,
                              {{Argument::of(*batch.origins), Argument::of(*batch.streams), Argument::of(*batch.text),
                                Argument::of(*batch.wrong), Argument::value(batch.first_stream), Argument::value(groups_a_stream),
                                Argument::value(static_cast<std::uint32_t>(skipped)), Argument::value(span)}}));
  return {};
}

}  // namespace penstock::chunks
