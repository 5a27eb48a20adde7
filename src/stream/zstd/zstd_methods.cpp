#include "stream/zstd/zstd_methods.hpp"

#include "stream/input/byte_reader.hpp"
#include "stream/input/skippable_frame.hpp"
#include "stream/zstd/zstd_decoders.hpp"

namespace penstock::stream {
namespace {

constexpr Method rows[] = {
    {.format = Format::zstd,
     .name = "zstd-frames-device",
     .summary =
         "on a device: frames of at most 128 KiB, or of 1 MiB where several are, all at once",
     .fits = fits_small_frames_on_device,
     .decoder = DeviceChunks{make_small_frame_chunks}},
    {.format = Format::zstd,
     .name = "zstd-frame-device",
     .summary = "on a device: a frame, its blocks all at once (windows to 128 MiB)",
     .fits = fits_frame_on_device,
     .decoder = DeviceFrames{decode_frame_on_device}},
    {.format = Format::zstd,
     .name = "zstd-parallel",
     .summary = "one long frame, several threads inside of it",
     .fits = fits_parallel_frame,
     .decoder = HostDecoder{make_parallel_frame}},
    {.format = Format::zstd,
     .name = "zstd-frames",
     .summary = "frames of at most 16 MiB (64 MiB of a pipe), in threads, by libzstd",
     .fits = fits_frames,
     .decoder = HostDecoder{make_frames}},
    {.format = Format::zstd,
     .name = "zstd-stream",
     .summary = "one frame in order, also of a pipe, by libzstd",
     .fits = fits_always,
     .decoder = HostDecoder{make_frame_stream}},
};

}  // namespace

std::span<const Method> zstd_methods() { return rows; }

bool is_zstd(std::span<const std::byte> bytes) { return ByteReader(bytes).u32() == zstd_magic; }

Result<bool> has_next_zstd_frame(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context.input, context.next_member()));
  return header.has_value();
}

Result<ZstdFrameHeader> peek_zstd_header(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context.input, context.next_member()));
  if (!header) return Status(Code::internal, "zstd: a method was selected after the last frame");
  return *header;
}

Status located_in_frame(const Status& status, const ErrorLocation& frame) {
  if (status.ok() || (status.code() != Code::corrupt && status.code() != Code::truncated))
    return status;
  std::string_view reason = status.message();
  constexpr std::string_view prefix = "Zstandard frame: ";  // the location names the format
  if (reason.starts_with(prefix)) reason.remove_prefix(prefix.size());
  return frame.error(status.code(), reason);
}

}  // namespace penstock::stream
