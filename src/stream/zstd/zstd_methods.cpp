#include "stream/zstd/zstd_methods.hpp"

#include "codec/zstd/host/frame_decoder.hpp"
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
     .summary = "frames of at most 16 MiB, in threads",
     .fits = fits_frames,
     .decoder = HostDecoder{make_frames}},
};

}  // namespace

std::span<const Method> zstd_methods() { return rows; }

bool is_zstd(std::span<const std::byte> bytes) { return ByteReader(bytes).u32() == zstd_magic; }

Result<bool> has_next_zstd_frame(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context));
  return header.has_value();
}

Result<std::shared_ptr<const zstd::Dictionary>> read_zstd_dictionary(const Context& context) {
  if (context.options.dictionary.empty()) return std::shared_ptr<const zstd::Dictionary>();
  return zstd::read_dictionary(context.options.dictionary);
}

Result<ZstdFrameHeader> peek_zstd_header(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context));
  if (!header) return Status(Code::internal, "zstd: a method was selected after the last frame");
  return *header;
}

Result<std::uint64_t> decode_whole_frame(
    const Chunk& frame, std::span<std::byte> output,
    const std::shared_ptr<const zstd::Dictionary>& dictionary) {
  const ErrorLocation location{Format::zstd, frame.index, frame.offset};
  const auto decoded = zstd::decode_frame(
      frame.bytes, output,
      {.threads = 1, .window_limit_bytes = max_zstd_window_bytes, .dictionary = dictionary});
  if (decoded.ok()) return decoded->output_bytes;
  const Status status = decoded.status();
  // More output than the header or the blocks allow is Code::capacity to the decoder.
  if (status.code() == Code::no_memory || status.code() == Code::invalid) return status;
  const Code code = status.code() == Code::truncated ? Code::truncated : Code::corrupt;
  return located_in_frame(Status(code, status.message()), location);
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
