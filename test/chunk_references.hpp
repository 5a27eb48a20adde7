// The formats' own libraries, liblz4, libsnappy and zlib, as references for the decoders of
// devices.
#pragma once
#include <lz4.h>
#include <lz4hc.h>
#include <snappy-c.h>
#include <zlib.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "penstock/batch.hpp"

namespace penstock::batch {

using Bytes = std::vector<std::uint8_t>;
struct Chunk {
  Bytes bytes;
  std::uint64_t capacity = 0;
};

struct Reference {
  Format format;
  std::function<Bytes(const Bytes& output)> compressed;
  std::function<std::optional<Bytes>(const Chunk&)>
      output_of;  // nothing where it refuses the chunk, or the output exceeds the capacity
  std::function<bool(const Bytes& chunk)> is_stricter = [](const Bytes&) {
    return false;
  };  // whether we refuse what it takes
};

// Level 0: the fast encoder; 1 to 12: the high-compression one; below 0: the fast one with so much
// acceleration.
inline Bytes lz4_compressed(const Bytes& output, int level) {
  const int bytes = static_cast<int>(output.size());
  Bytes block(LZ4_compressBound(bytes));
  const auto* from =
      output.empty()
          ? ""
          : reinterpret_cast<const char*>(output.data());  // liblz4 1.9.4 reads level 10's null
  auto* to = reinterpret_cast<char*>(block.data());
  const int capacity = static_cast<int>(block.size());
  block.resize(level > 0 ? LZ4_compress_HC(from, to, bytes, capacity, level)
                         : LZ4_compress_fast(from, to, bytes, capacity, 1 - level));
  return block;
}
inline std::optional<Bytes> lz4_output(const Chunk& chunk) {
  Bytes output(chunk.capacity + 1);
  const int bytes = LZ4_decompress_safe(
      reinterpret_cast<const char*>(chunk.bytes.data()), reinterpret_cast<char*>(output.data()),
      static_cast<int>(chunk.bytes.size()), static_cast<int>(chunk.capacity));
  if (bytes < 0) return {};
  output.resize(bytes);
  return output;
}
// Distances of 0, which liblz4 accepts, are searched here.
inline bool has_distance_zero(const Bytes& block) {
  for (std::size_t at = 0; at < block.size();) {
    const std::uint8_t token = block[at++];
    std::size_t literals = token / 16;
    for (std::uint8_t byte = literals == 15 ? 255 : 0; byte == 255 && at < block.size();)
      byte = block[at++], literals += byte;
    at += literals;
    if (at + 2 > block.size()) return false;
    if (block[at] == 0 && block[at + 1] == 0) return true;
    at += 2;
    for (std::uint8_t byte = token % 16 == 15 ? 255 : 0; byte == 255 && at < block.size();)
      byte = block[at++];
  }
  return false;
}
inline Reference lz4_reference(int level = 0) {
  return {Format::lz4, [level](const Bytes& output) { return lz4_compressed(output, level); },
          lz4_output, has_distance_zero};
}

inline Bytes snappy_compressed(const Bytes& output) {
  std::size_t bytes = snappy_max_compressed_length(output.size());
  Bytes block(bytes);
  snappy_compress(reinterpret_cast<const char*>(output.data()), output.size(),
                  reinterpret_cast<char*>(block.data()), &bytes);
  block.resize(bytes);
  return block;
}
inline std::optional<Bytes> snappy_output(const Chunk& chunk) {
  const auto* from = reinterpret_cast<const char*>(chunk.bytes.data());
  std::size_t bytes = 0;
  if (snappy_uncompressed_length(from, chunk.bytes.size(), &bytes) != SNAPPY_OK ||
      bytes > chunk.capacity)
    return {};
  Bytes output(bytes + 1);
  if (snappy_uncompress(from, chunk.bytes.size(), reinterpret_cast<char*>(output.data()), &bytes) !=
      SNAPPY_OK)
    return {};
  output.resize(bytes);
  return output;
}
// 2^32 literals, which libsnappy accepts as none, are searched here.
inline bool has_too_many_literals(const Bytes& block) {
  std::size_t at = 0;
  while (at < block.size() && (block[at++] & 128) != 0) {}
  while (at < block.size()) {
    const std::uint32_t tag = block[at++], kind = tag % 4,
                        number_bytes = kind == 0   ? std::max(tag / 4, 59u) - 59
                                       : kind == 3 ? 4
                                                   : kind;
    std::size_t number = 0;
    for (std::uint32_t i = 0; i < number_bytes && at < block.size(); i++)
      number |= std::size_t{block[at++]} << 8 * i;
    if (kind == 0 && number == 0xffffffff) return true;
    if (kind == 0) at += (number_bytes == 0 ? tag / 4 : number) + 1;
  }
  return false;
}
inline Reference snappy_reference() {
  return {Format::snappy, snappy_compressed, snappy_output, has_too_many_literals};
}

// As deflateInit2 takes them; `window` also chooses what is around the blocks.
constexpr int raw_window = -15, zlib_window = 15, gzip_window = 31;
struct DeflateOptions {
  int level = 6, strategy = Z_DEFAULT_STRATEGY, memory = 8, window = raw_window;
};
inline Bytes deflate_compressed(const Bytes& output, DeflateOptions options = {}) {
  z_stream stream{};
  deflateInit2(&stream, options.level, Z_DEFLATED, options.window, options.memory,
               options.strategy);
  Bytes chunk(deflateBound(&stream, output.size()) + 64);
  stream.next_in = const_cast<Bytef*>(output.data()),
  stream.avail_in = static_cast<uInt>(output.size());
  stream.next_out = chunk.data(), stream.avail_out = static_cast<uInt>(chunk.size());
  ::deflate(&stream, Z_FINISH);
  chunk.resize(stream.total_out);
  deflateEnd(&stream);
  return chunk;
}
// Returns nullopt also where the stream ends early. gzip: all members, as gzread() distinguishes
// them from other bytes after a member.
inline std::optional<Bytes> deflate_output(const Chunk& chunk, int window) {
  z_stream stream{};
  inflateInit2(&stream, window);
  Bytes output(chunk.capacity + 1);
  stream.next_in = const_cast<Bytef*>(chunk.bytes.data()),
  stream.avail_in = static_cast<uInt>(chunk.bytes.size());
  stream.next_out = output.data(), stream.avail_out = static_cast<uInt>(output.size());
  int outcome = inflate(&stream, Z_FINISH);
  const auto begins_member = [&] {
    return stream.avail_in > 1 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b;
  };
  while (window == gzip_window && outcome == Z_STREAM_END && begins_member())
    inflateReset(&stream), outcome = inflate(&stream, Z_FINISH);
  output.resize(static_cast<std::size_t>(stream.next_out - output.data()));
  inflateEnd(&stream);
  if (outcome != Z_STREAM_END || output.size() > chunk.capacity) return {};
  return output;
}
inline Reference deflate_reference(DeflateOptions options = {}) {
  const int window = options.window < 0              ? raw_window
                     : options.window <= zlib_window ? zlib_window
                                                     : gzip_window;
  const Format format = window == raw_window    ? Format::deflate
                        : window == zlib_window ? Format::zlib
                                                : Format::gzip;
  return {format, [options](const Bytes& output) { return deflate_compressed(output, options); },
          [window](const Chunk& chunk) { return deflate_output(chunk, window); }};
}

}  // namespace penstock::batch
