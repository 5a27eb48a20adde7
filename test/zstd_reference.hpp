// libzstd as the reference for the decoders of devices. test/chunk_references.hpp has the
// references for the other formats.
#pragma once
#include "chunk_references.hpp"
#include "zstd_frames.hpp"

namespace penstock::batch {

inline std::string string_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }
inline Bytes bytes_of(const std::string& output) { return {output.begin(), output.end()}; }

inline bool begins_zstd_frame(const Bytes& bytes, std::size_t at) {
  const Bytes magic = {0x28, 0xb5, 0x2f, 0xfd};
  return bytes.size() >= at + 4 &&
         std::equal(magic.begin(), magic.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}
// Decodes a chunk's first frame, unless it is of a format before RFC 8878, which libzstd may decode
// too.
inline std::optional<Bytes> zstd_output(const Chunk& chunk) {
  if (!begins_zstd_frame(chunk.bytes, 0)) return {};
  const std::size_t bytes = ZSTD_findFrameCompressedSize(chunk.bytes.data(), chunk.bytes.size());
  if (ZSTD_isError(bytes)) return {};
  const auto chunk_status =
      zstd_test::libzstd_status(string_of(chunk.bytes).substr(0, bytes), chunk.capacity);
  return chunk_status.is_ok ? std::optional(bytes_of(chunk_status.output)) : std::nullopt;
}
// Whether we may be stricter: as our decoder for CPUs, which has the list in its tests. Asked all
// at once, libzstd also accepts runs and raw blocks that are longer than the frame allows, and
// several frames.
inline bool is_zstd_stricter(const Bytes& chunk) {
  const std::size_t bytes = ZSTD_findFrameCompressedSize(chunk.data(), chunk.size());
  if (!ZSTD_isError(bytes) && begins_zstd_frame(chunk, bytes)) return true;
  const auto chunk_status = zstd_test::decoded(string_of(chunk), 100'000);
  const bool is_long_block =
      chunk_status.output.find(" bytes, and its frame's have ") != std::string::npos;
  return !chunk_status.is_ok &&
         (is_long_block || zstd_test::is_listed_as_stricter(chunk_status.output));
}
// Compresses; with a flush after so many bytes each, where that is not 0, into as many blocks.
inline Reference zstd_reference(const zstd_test::Parameters& parameters = {},
                                std::size_t flushed_bytes = 0) {
  const auto compressed = [parameters, flushed_bytes](const Bytes& output) {
    if (flushed_bytes != 0)
      return bytes_of(
          zstd_test::streamed(string_of(output), parameters, [&] { return flushed_bytes; }));
    return bytes_of(zstd_test::compressed(string_of(output), parameters));
  };
  return {Format::zstd, compressed, zstd_output, is_zstd_stricter};
}

}  // namespace penstock::batch
