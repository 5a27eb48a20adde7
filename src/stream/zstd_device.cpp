// A Zstandard frame on a device, its blocks all at once (codec/zstd/device_frame.hpp). Of mapped input.
#include <algorithm>

#include "codec/checksum/xxhash.hpp"
#include "codec/zstd/device_frame.hpp"
#include "stream/byte_reader.hpp"
#include "stream/device_frames.hpp"
#include "stream/zstd_format.hpp"

namespace penstock::stream {
namespace {

// XXH64 is a chain of multiplications, which a GPU takes at 2 GB/s and a core at 15: the host has it while the text comes back.
class Xxh64Check final : public TextCheck {
 public:
  Xxh64Check(Place place, std::uint32_t said) : place_(place), said_(said) {}
  void add(std::span<const std::byte> piece) override { hash_.update(piece); }
  Status verdict() const override {
    const auto found = static_cast<std::uint32_t>(hash_.digest());
    return found == said_ ? Status() : place_.wrong_checksum("XXH64", found, said_);
  }

 private:
  Place place_;
  std::uint32_t said_;
  checksum::Xxh64 hash_;
};

// The decoder counts bytes from the file's first.
Status placed(const Place& place, const Status& status) {
  if (status.ok() || (status.code() != Code::corrupt && status.code() != Code::truncated)) return status;
  return place.error(status.code(), "in the frame that begins here: " + status.message());
}

}  // namespace

Result<bool> fits_zstd_device(Context& context) {
  if (!context.input.is_mapped() || !context.options.dictionary.empty()) return false;
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context.input, context.member_count + 1));
  if (!header || *context.input.size() >= most_zstd_device_bytes) return false;
  PENSTOCK_ASSIGN(const auto bytes, context.input.peek(1));
  const auto read = zstd::read_frame_header(bytes);
  return read.ok() && zstd::DeviceFrame::fits(*read);
}

Result<FrameOnDevice> zstd_frame_on_device(Context& context) {
  PENSTOCK_ASSIGN(const auto found, next_zstd_frame(context.input, context.member_count + 1));
  const Place place{Format::zstd, ++context.member_count, context.input.offset()};
  context.unchecked_member_count += !found->has_checksum;
  PENSTOCK_ASSIGN(const auto extent, measure_zstd_frame(context.input, *found, UINT64_MAX, place));
  PENSTOCK_ASSIGN(DeviceFile* const file, context.device->file(context.input));
  PENSTOCK_ASSIGN(zstd::DeviceFrame* const decoder, context.device->zstd_frame());
  PENSTOCK_ASSIGN(const auto header, zstd::read_frame_header(file->bytes().subspan(place.offset)));
  const std::uint64_t room = std::min({extent->most_output_bytes, extent->most_blocks_bytes, context.most_output_bytes});
  FrameOnDevice frame;
  PENSTOCK_TRY(reserve(*context.device->device(), room + 16, frame.text));
  const std::span<const zstd::Byte> input(reinterpret_cast<const zstd::Byte*>(file->bytes().data()), file->bytes().size());
  Queue& queue = file->queue();
  PENSTOCK_ASSIGN(const auto begin, queue.record());
  const auto decoded = decoder->decode(queue, header, {input, place.offset, file->buffer(), frame.text, 0, room});
  PENSTOCK_TRY(placed(place, decoded.status()));
  PENSTOCK_ASSIGN(const auto end, queue.record());
  PENSTOCK_TRY(queue.finish());
  PENSTOCK_ASSIGN(const double seconds, end->seconds_since(*begin));
  context.device->add({.kernel_seconds = seconds});
  frame.bytes = decoded->text_bytes, frame.input_bytes = decoded->frame_end - place.offset;
  if (!found->has_checksum) return frame;
  if (file->bytes().size() - decoded->frame_end < 4) return place.at(file->bytes().size()).ended();
  frame.check = std::make_unique<Xxh64Check>(place.at(decoded->frame_end), ByteReader(file->bytes().subspan(decoded->frame_end)).u32());
  frame.input_bytes += 4;
  return frame;
}

Result<std::unique_ptr<Decoder>> make_zstd_device(Context& context) { return make_frame_decoder(zstd_frame_on_device, context); }

}  // namespace penstock::stream
