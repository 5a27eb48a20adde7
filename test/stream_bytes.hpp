// Bytes for tests of compressed files: texts, and what the published libraries make of them.
#pragma once
#include <gtest/gtest.h>
#include <libdeflate.h>
#define LZ4F_STATIC_LINKING_ONLY  // dictionaries
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "penstock/stream.hpp"
#include "stream_oracles.hpp"

namespace penstock::stream {

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline ExpectedOutput output_of(const Result<std::vector<std::byte>>& result) {
  return result.ok() ? ExpectedOutput(text_of(*result)) : std::nullopt;
}

// A source that gives few bytes at a time, as a slow pipe does.
inline Source dripping(std::string_view text, std::size_t step_bytes = 7) {
  return Source::reader(
      "a pipe", [text, step_bytes](std::span<std::byte> into) mutable -> Result<std::size_t> {
        const std::size_t count = std::min({text.size(), into.size(), step_bytes});
        if (count > 0) std::memcpy(into.data(), text.data(), count);
        text.remove_prefix(count);
        return count;
      });
}
inline Result<std::string> decompressed(const Source& source,
                                        const DecompressOptions& options = {}) {
  std::string all;
  const auto report = decompress(
      source, [&](std::span<const std::byte> bytes) { return all += text_of(bytes), Status(); },
      options);
  if (!report.ok()) return report.status();
  return all;
}

// Words with some numbers between: literals, short and long matches.
inline std::string words(std::size_t bytes, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  const char* const parts[] = {
      "the ", "stream ",          "of bytes ", "goes ", "round and round, ",
      "\n",   "0000000000000000", "in order "};
  while (text.size() < bytes)
    text += random() % 5 == 0 ? std::to_string(random()) : parts[random() % 8];
  text.resize(bytes);
  return text;
}

// zlib's deflate with a header of its own choice: 31 is gzip, 15 is zlib.
inline std::string zlib_made(std::string_view text, int level, int window_bits = 31,
                             std::string_view dictionary = {}, gz_header* header = nullptr) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  if (!dictionary.empty())
    deflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(dictionary.data()),
                         static_cast<uInt>(dictionary.size()));
  if (header != nullptr) deflateSetHeader(&stream, header);
  std::string out(text.size() + 4096, 0);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data())),
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data()),
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

inline std::string zstd_made(std::string_view text, int level, bool has_checksum = true,
                             bool has_size = true, int window_log = 0) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, has_checksum);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, has_size);
  if (window_log > 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string out(ZSTD_compressBound(text.size()), 0);
  const std::size_t made =
      ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
  EXPECT_FALSE(ZSTD_isError(made));
  ZSTD_freeCCtx(context);
  out.resize(made);
  return out;
}
inline std::string lz4_made(std::string_view text, int level, LZ4F_preferences_t preferences) {
  preferences.compressionLevel = level;
  std::string out(LZ4F_compressFrameBound(text.size(), &preferences), 0);
  const std::size_t made =
      LZ4F_compressFrame(out.data(), out.size(), text.data(), text.size(), &preferences);
  EXPECT_FALSE(LZ4F_isError(made)) << LZ4F_getErrorName(made);
  out.resize(made);
  return out;
}
}  // namespace penstock::stream
