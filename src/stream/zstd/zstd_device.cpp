// A Zstandard frame on a device, its blocks all at once (codec/zstd/device/device_frame.hpp). Of
// mapped input.
#include <algorithm>

#include "codec/checksum/xxhash.hpp"
#include "codec/zstd/device/device_frame.hpp"
#include "stream/device/device_frames.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/zstd/zstd_format.hpp"

namespace penstock::stream {
namespace {

// XXH64 is a chain of multiplications, which one item of a GPU would have to take alone: the host
// has it while the text comes back.
class Xxh64Check final : public OutputCheck {
 public:
  Xxh64Check(Place place, std::uint32_t said) : place_(place), said_(said) {}
  void add(std::span<const std::byte> piece) override { hash_.update(piece); }
  Status chunk_status() const override {
    const auto found = static_cast<std::uint32_t>(hash_.digest());
    return found == said_ ? Status() : place_.wrong_checksum("XXH64", found, said_);
  }

 private:
  Place place_;
  std::uint32_t said_;
  checksum::Xxh64 hash_;
};

// The decoder counts bytes from the file's first. More text than `stated` has no room.
Status placed(const Place& place, const Status& status, std::optional<std::uint64_t> stated) {
  if (status.code() == Code::capacity && stated)
    return place.corrupt("its content is more than the " + std::to_string(*stated) +
                         " bytes that its header states");
  if (status.ok() || (status.code() != Code::corrupt && status.code() != Code::truncated))
    return status;
  return place.error(status.code(), "in the frame that begins here: " + status.message());
}

// Of text that a frame may have: what its header states, or blocks of 128 KiB, whatever they are.
std::uint64_t capacity_of(const ZstdExtent& extent) {
  return std::min(extent.remaining_output_bytes, extent.max_blocks_bytes);
}

// A frame of very many small blocks that states no size is the host's: it may become more than the
// device has room for.
bool has_capacity(const Traits& traits, std::uint64_t input_bytes, const ZstdExtent& extent) {
  const std::uint64_t most = std::min(traits.max_allocation_bytes, traits.global_bytes / 2);
  return input_bytes + 2 * chunk_alignment <= most && capacity_of(extent) + chunk_alignment <= most;
}

}  // namespace

Result<bool> fits_zstd_device(Context& context) {
  if (!context.input.is_mapped() || !context.options.dictionary.empty()) return false;
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context.input, context.member_count + 1));
  if (!header || *context.input.size() >= max_zstd_device_bytes) return false;
  const Traits& traits = context.device->device()->traits();
  PENSTOCK_ASSIGN(const auto bytes, context.input.peek(1));
  const auto read = zstd::read_frame_header(bytes);
  if (!read.ok() || !zstd::DeviceFrame::fits(*read, traits)) return false;
  const Place place{Format::zstd, context.member_count + 1, context.input.offset()};
  PENSTOCK_ASSIGN(const auto extent, measure_zstd_frame(context.input, *header, UINT64_MAX, place));
  return has_capacity(traits, *context.input.size(), *extent);
}

Result<FrameOnDevice> zstd_frame_on_device(Context& context) {
  PENSTOCK_ASSIGN(const auto found, next_zstd_frame(context.input, context.member_count + 1));
  const Place place{Format::zstd, ++context.member_count, context.input.offset()};
  context.unchecked_member_count += !found->has_checksum;
  PENSTOCK_ASSIGN(const auto extent, measure_zstd_frame(context.input, *found, UINT64_MAX, place));
  PENSTOCK_ASSIGN(DeviceFile* const file, context.device->file(context.input));
  PENSTOCK_ASSIGN(zstd::DeviceFrame* const decoder, context.device->zstd_frame());
  PENSTOCK_ASSIGN(const auto header, zstd::read_frame_header(file->bytes().subspan(place.offset)));
  if (header.content_bytes.value_or(0) > context.remaining_output_bytes)
    return Status(Code::capacity, "it becomes more than the limit of " +
                                      std::to_string(context.options.max_output_bytes) + " bytes");
  const std::uint64_t room = std::min(capacity_of(*extent), context.remaining_output_bytes);
  FrameOnDevice frame;
  PENSTOCK_TRY(reserve(*context.device->device(), room + 16, frame.output));
  const std::span<const zstd::Byte> input(reinterpret_cast<const zstd::Byte*>(file->bytes().data()),
                                          file->bytes().size());
  Queue& queue = file->queue();
  PENSTOCK_ASSIGN(const auto begin, queue.record());
  const auto decoded = decoder->decode(
      queue, header,
      {input, place.offset, file->buffer(), frame.output, 0, room, context.on_decoded});
  PENSTOCK_TRY(placed(place, decoded.status(), header.content_bytes));
  PENSTOCK_ASSIGN(const auto end, queue.record());
  PENSTOCK_TRY(queue.finish());
  PENSTOCK_ASSIGN(const double seconds, end->seconds_since(*begin));
  context.device->add({.kernel_seconds = seconds});
  frame.bytes = decoded->output_bytes, frame.input_bytes = decoded->frame_end - place.offset;
  if (!found->has_checksum) return frame;
  if (file->bytes().size() - decoded->frame_end < 4) return place.at(file->bytes().size()).ended();
  frame.check = std::make_unique<Xxh64Check>(
      place.at(decoded->frame_end), ByteReader(file->bytes().subspan(decoded->frame_end)).u32());
  frame.input_bytes += 4;
  return frame;
}

Result<std::unique_ptr<Decoder>> make_zstd_device(Context& context) {
  return make_frame_decoder(zstd_frame_on_device, context);
}

}  // namespace penstock::stream
