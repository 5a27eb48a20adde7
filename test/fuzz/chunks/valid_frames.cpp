#include "fuzz/chunks/valid_frames.hpp"

#include <span>

#include "codec/checksum/xxhash.hpp"
#include "zstd_reference.hpp"

namespace penstock::fuzz {
namespace {

using batch::Bytes;
constexpr std::uint64_t max_output_bytes = 200'000;  // longer outputs fit no batch

void put_number(Bytes& bytes, std::uint64_t number, unsigned count) {
  for (unsigned i = 0; i < count; i++) bytes.push_back(static_cast<std::uint8_t>(number >> 8 * i));
}
Bytes with_behind(Bytes head, const Bytes& more) {
  return head.insert(head.end(), more.begin(), more.end()), head;
}

// Returns the output of Deflate blocks at `at`, after which *end is set; nullopt where they are
// corrupt.
std::optional<Bytes> output_of_blocks(const Bytes& chunk, std::size_t at, std::size_t* end) {
  if (chunk.size() < at) return {};
  z_stream stream{};
  inflateInit2(&stream, batch::raw_window);
  Bytes output(max_output_bytes);
  stream.next_in = const_cast<Bytef*>(chunk.data() + at),
  stream.avail_in = static_cast<uInt>(chunk.size() - at);
  stream.next_out = output.data(), stream.avail_out = static_cast<uInt>(output.size());
  const int outcome = inflate(&stream, Z_FINISH);
  output.resize(stream.total_out), *end = at + stream.total_in;
  inflateEnd(&stream);
  return outcome == Z_STREAM_END ? std::optional(std::move(output)) : std::nullopt;
}

Bytes with_deflate_checksum(Bytes chunk, bool is_gzip) {
  std::size_t end = 0;
  const std::optional<Bytes> output = output_of_blocks(chunk, is_gzip ? 10 : 2, &end);
  if (!output) return chunk;
  chunk.resize(end);
  const auto bytes = static_cast<uInt>(output->size());
  if (is_gzip) {
    put_number(chunk, crc32(0, output->data(), bytes), 4), put_number(chunk, bytes, 4);
  } else {
    const auto sum = static_cast<std::uint32_t>(adler32(1, output->data(), bytes));
    put_number(chunk, __builtin_bswap32(sum), 4);
  }
  return chunk;
}

// For a frame without its checksum, or with any.
std::optional<Bytes> zstd_output(const Bytes& frame) {
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(context, ZSTD_d_forceIgnoreChecksum, ZSTD_d_ignoreChecksum);
  Bytes output(max_output_bytes);
  const std::size_t bytes =
      ZSTD_decompressDCtx(context, output.data(), output.size(), frame.data(), frame.size());
  ZSTD_freeDCtx(context);
  if (ZSTD_isError(bytes)) return {};
  output.resize(bytes);
  return output;
}

constexpr std::uint8_t checksum_flag = 4, single_flag = 32,
                       size_flag = 128;  // of the descriptor: RFC 8878, 3.1.1.1.1
Bytes with_zstd_checksum(Bytes chunk) {
  const std::size_t bytes = ZSTD_findFrameCompressedSize(chunk.data(), chunk.size());
  if (ZSTD_isError(bytes) || bytes < 9 || (chunk[4] & checksum_flag) == 0) return chunk;
  chunk.resize(bytes);
  const std::optional<Bytes> output = zstd_output(chunk);
  if (!output) return chunk;
  chunk.resize(bytes - 4);
  put_number(chunk, checksum::xxh64(std::as_bytes(std::span(*output))), 4);
  return chunk;
}

// Puts blocks into a frame with a window or a size, which is right where the blocks are valid, and
// with a checksum or none.
Bytes zstd_frame(const Bytes& blocks, std::uint32_t how) {
  const Bytes magic = {0x28, 0xb5, 0x2f, 0xfd};
  const auto window = static_cast<std::uint8_t>((how & 1) != 0 ? 0x38 : 0x00);  // 128 KiB or 1
  Bytes plain = with_behind(magic, {0, window});
  plain.insert(plain.end(), blocks.begin(), blocks.end());
  const std::size_t bytes = ZSTD_findFrameCompressedSize(plain.data(), plain.size());
  if (!ZSTD_isError(bytes)) plain.resize(bytes);
  const std::optional<Bytes> output = zstd_output(plain);
  Bytes frame = magic;
  const bool has_size = (how & 2) != 0, has_checksum = (how & 4) != 0, is_single = (how & 8) != 0;
  frame.push_back((has_size || is_single ? size_flag : 0) | (is_single ? single_flag : 0) |
                  (has_checksum ? checksum_flag : 0));
  if (!is_single) frame.push_back(window);
  if (has_size || is_single) put_number(frame, output ? output->size() : 3 * blocks.size(), 4);
  frame.insert(frame.end(), plain.begin() + 6, plain.end());
  if (has_checksum) put_number(frame, 0, 4);
  return frame;
}

}  // namespace

Bytes framed(batch::Format format, const Bytes& blocks, std::uint32_t how) {
  const Bytes zlib_headers[] = {{0x78, 0x9c}, {0x18, 0x19}};  // windows of 32 KiB and of 512 bytes
  if (format == batch::Format::zlib) return with_behind(zlib_headers[how % 2], blocks);
  if (format == batch::Format::gzip)
    return with_behind({0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}, blocks);
  return format == batch::Format::zstd ? zstd_frame(blocks, how) : blocks;
}

Bytes with_checksum(batch::Format format, Bytes chunk) {
  if (format == batch::Format::zstd) return with_zstd_checksum(std::move(chunk));
  if (format == batch::Format::zlib || format == batch::Format::gzip)
    return with_deflate_checksum(std::move(chunk), format == batch::Format::gzip);
  return chunk;
}

}  // namespace penstock::fuzz
