// Decodes a Zstandard frame on a device, its blocks all at once
// (codec/zstd/device/device_frame.hpp). The input is in memory.
#include <algorithm>

#include "codec/checksum/xxhash.hpp"
#include "codec/zstd/device/device_frame.hpp"
#include "device/memory_budget.hpp"
#include "stream/device/device_frames.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/zstd/zstd_decoders.hpp"

namespace penstock::stream {
namespace {

// XXH64 is a chain of multiplications, for which a GPU has a single thread. So the host computes it
// while the output is downloaded.
class Xxh64Checksum final : public ContentChecksum {
 public:
  Xxh64Checksum(ErrorLocation location, std::uint32_t stored)
      : location_(location), stored_(stored) {}
  void add(std::span<const std::byte> part) override { hash_.update(part); }
  Status check() const override {
    const auto computed = static_cast<std::uint32_t>(hash_.digest());
    return computed == stored_ ? Status()
                               : location_.wrong_checksum("content checksum", computed, stored_);
  }

 private:
  ErrorLocation location_;
  std::uint32_t stored_;
  checksum::Xxh64 hash_;
};

// Adds the location to an error. The decoder reports more output than the header states as too
// little capacity.
Status located(const ErrorLocation& location, const Status& status,
               std::optional<std::uint64_t> stated_bytes) {
  if (status.code() == Code::capacity && stated_bytes)
    return location.corrupt("incorrect content size: stored " + std::to_string(*stated_bytes) +
                            ", decompressed more");
  return located_in_frame(status, location);
}

// Returns the size that the header states, or 128 KiB for each block if that is less.
std::uint64_t capacity_of(const ZstdExtent& extent) {
  return std::min(extent.max_output_bytes, extent.max_blocks_bytes);
}

// Returns whether the device has memory for the frame. A frame of very many small blocks that
// states no size is the host's, since it may become more.
bool fits_memory(const Traits& traits, std::uint64_t input_bytes, const ZstdExtent& extent) {
  const std::uint64_t limit = device::MemoryBudget(traits).buffer_of(device::MemoryUse::frame);
  return input_bytes + 2 * chunk_alignment <= limit &&
         capacity_of(extent) + chunk_alignment <= limit;
}

}  // namespace

Result<bool> fits_frame_on_device(Context& context) {
  if (!context.input.is_in_memory() || !context.options.dictionary.empty()) return false;
  PENSTOCK_ASSIGN(const ZstdFrameHeader header, peek_zstd_header(context));
  if (*context.input.size() >= max_zstd_device_bytes) return false;
  const Traits& traits = context.session->device()->traits();
  PENSTOCK_ASSIGN(const auto bytes, context.input.peek(1));
  const auto read = zstd::read_frame_header(bytes);
  if (!read.ok() || !zstd::DeviceFrame::fits(*read, traits)) return false;
  const ErrorLocation location{Format::zstd, context.next_member(), context.input.offset()};
  PENSTOCK_ASSIGN(const auto extent,
                  measure_zstd_frame(context.input, header, UINT64_MAX, location));
  return fits_memory(traits, *context.input.size(), *extent);
}

Result<DecodedFrame> decode_frame_on_device(Context& context) {
  PENSTOCK_ASSIGN(const ZstdFrameHeader found, peek_zstd_header(context));
  const ErrorLocation location{Format::zstd, ++context.report.member_count, context.input.offset()};
  context.report.unchecked_member_count += !found.has_checksum;
  PENSTOCK_ASSIGN(const auto extent,
                  measure_zstd_frame(context.input, found, UINT64_MAX, location));
  PENSTOCK_ASSIGN(UploadedInput* const uploaded, context.session->input(context.input));
  PENSTOCK_ASSIGN(zstd::DeviceFrame* const decoder, context.session->zstd_frame());
  const auto file = uploaded->bytes();
  const std::uint64_t first = location.offset - uploaded->begin();
  PENSTOCK_ASSIGN(const auto header, zstd::read_frame_header(file.subspan(first)));
  if (header.content_bytes.value_or(0) > context.remaining_output_bytes())
    return context.output_limit_error();
  const std::uint64_t capacity = std::min(capacity_of(*extent), context.remaining_output_bytes());
  DecodedFrame frame;
  PENSTOCK_TRY(reserve(*context.session->device(), capacity + chunk_alignment, frame.output));
  const std::span<const zstd::Byte> input(reinterpret_cast<const zstd::Byte*>(file.data()),
                                          file.size());
  Queue& queue = uploaded->queue();
  PENSTOCK_ASSIGN(const auto begin, queue.record());
  const auto decoded = decoder->decode(
      queue, header,
      {input, first, uploaded->buffer(), frame.output, 0, capacity, context.on_progress});
  PENSTOCK_TRY(located(location, decoded.status(), header.content_bytes));
  PENSTOCK_ASSIGN(const auto end, queue.record());
  PENSTOCK_TRY(queue.finish());
  PENSTOCK_ASSIGN(const double seconds, end->seconds_since(*begin));
  context.session->add({.kernel_seconds = seconds});
  frame.bytes = decoded->output_bytes;
  frame.input_bytes = decoded->frame_end - first;
  if (!found.has_checksum) return frame;
  if (file.size() - decoded->frame_end < 4)
    return location.at(uploaded->begin() + file.size()).unexpected_end();
  frame.checksum =
      std::make_unique<Xxh64Checksum>(location.at(uploaded->begin() + decoded->frame_end),
                                      ByteReader(file.subspan(decoded->frame_end)).u32());
  frame.input_bytes += 4;
  return frame;
}

}  // namespace penstock::stream
