// Bytes for tests of compressed files: texts, and what the published libraries make of them and say of damaged ones.
#pragma once
#include <gtest/gtest.h>
#include <libdeflate.h>
#define LZ4F_STATIC_LINKING_ONLY      // dictionaries
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "penstock/stream.hpp"

namespace penstock::stream {

inline std::span<const std::byte> bytes_of(std::string_view text) { return {reinterpret_cast<const std::byte*>(text.data()), text.size()}; }
inline std::string text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// What comes out, or nothing where it is refused.
using Verdict = std::optional<std::string>;
inline Verdict verdict_of(const Result<std::vector<std::byte>>& result) {
  return result.ok() ? Verdict(text_of(*result)) : std::nullopt;
}

// A source that gives few bytes at a time, as a slow pipe does.
inline Source dripping(std::string_view text, std::size_t step_bytes = 7) {
  return Source::reader("a pipe", [text, step_bytes](std::span<std::byte> into) mutable -> Result<std::size_t> {
    const std::size_t count = std::min({text.size(), into.size(), step_bytes});
    if (count > 0) std::memcpy(into.data(), text.data(), count);
    text.remove_prefix(count);
    return count;
  });
}
inline Result<std::string> decompressed(const Source& source, const DecompressOptions& options = {}) {
  std::string all;
  const auto report = decompress(source, [&](std::span<const std::byte> bytes) { return all += text_of(bytes), Status(); }, options);
  if (!report.ok()) return report.status();
  return all;
}

// Words with some numbers between: literals, short and long matches.
inline std::string words(std::size_t bytes, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  const char* const parts[] = {"the ", "stream ", "of bytes ", "goes ", "round and round, ", "\n", "0000000000000000", "in order "};
  while (text.size() < bytes) text += random() % 5 == 0 ? std::to_string(random()) : parts[random() % 8];
  text.resize(bytes);
  return text;
}

// zlib's deflate with a header of its own choice: 31 is gzip, 15 is zlib.
inline std::string zlib_made(std::string_view text, int level, int window_bits = 31, std::string_view dictionary = {},
                             gz_header* header = nullptr) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  if (!dictionary.empty())
    deflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(dictionary.data()), static_cast<uInt>(dictionary.size()));
  if (header != nullptr) deflateSetHeader(&stream, header);
  std::string out(text.size() + 4096, 0);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data())), stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data()), stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

// zlib's verdict of concatenated members (31) or one stream (15). What follows them is left in `rest`.
inline Verdict zlib_says(std::string_view file, int window_bits, std::string_view* rest = nullptr) {
  std::string all;
  do {
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, window_bits), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data())), stream.avail_in = static_cast<uInt>(file.size());
    int code = Z_OK;
    while (code == Z_OK) {
      char out[65536];
      stream.next_out = reinterpret_cast<Bytef*>(out), stream.avail_out = sizeof out;
      code = inflate(&stream, Z_NO_FLUSH);
      all.append(out, sizeof out - stream.avail_out);
    }
    file.remove_prefix(file.size() - stream.avail_in);
    inflateEnd(&stream);
    if (code != Z_STREAM_END) return std::nullopt;
  } while (window_bits == 31 && file.starts_with('\x1f'));
  if (rest != nullptr) *rest = file;
  return all;
}
// gzip's own rule: zeros may follow. It ignores anything else with a warning, which we refuse.
inline Verdict gzip_says(std::string_view file) {
  std::string_view rest;
  const Verdict verdict = zlib_says(file, 31, &rest);
  return rest.find_first_not_of('\0') == std::string_view::npos ? verdict : std::nullopt;
}

inline std::string zstd_made(std::string_view text, int level, bool has_checksum = true, bool has_size = true, int window_log = 0) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, has_checksum);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, has_size);
  if (window_log > 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string out(ZSTD_compressBound(text.size()), 0);
  const std::size_t made = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
  EXPECT_FALSE(ZSTD_isError(made));
  ZSTD_freeCCtx(context);
  out.resize(made);
  return out;
}
inline Verdict zstd_says(std::string_view file) {
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 31);
  std::string all;
  ZSTD_inBuffer in{file.data(), file.size(), 0};
  std::size_t hint = 0;
  for (bool is_full = true; (in.pos < in.size || is_full) && !ZSTD_isError(hint);) {
    char buffer[65536];
    ZSTD_outBuffer out{buffer, sizeof buffer, 0};
    const std::size_t before = in.pos;
    hint = ZSTD_decompressStream(context, &out, &in);
    all.append(buffer, out.pos);
    is_full = out.pos == out.size;
    if (in.pos == before && out.pos == 0 && in.pos == in.size) break;
  }
  ZSTD_freeDCtx(context);
  return hint == 0 && !file.empty() ? Verdict(all) : std::nullopt;
}

inline std::string lz4_made(std::string_view text, int level, LZ4F_preferences_t preferences) {
  preferences.compressionLevel = level;
  std::string out(LZ4F_compressFrameBound(text.size(), &preferences), 0);
  const std::size_t made = LZ4F_compressFrame(out.data(), out.size(), text.data(), text.size(), &preferences);
  EXPECT_FALSE(LZ4F_isError(made)) << LZ4F_getErrorName(made);
  out.resize(made);
  return out;
}
inline Verdict lz4_says(std::string_view file) {
  LZ4F_dctx* context = nullptr;
  LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
  std::string all;
  std::size_t hint = file.empty() ? 1 : 0;
  for (bool goes_on = !file.empty(); goes_on;) {
    static char buffer[1 << 22];
    std::size_t made = sizeof buffer, taken = file.size();
    hint = LZ4F_decompress(context, buffer, &made, file.data(), &taken, nullptr);
    if (LZ4F_isError(hint)) break;
    all.append(buffer, made);
    file.remove_prefix(taken);
    goes_on = !file.empty() || made == sizeof buffer;
  }
  LZ4F_freeDecompressionContext(context);
  return hint == 0 ? Verdict(all) : std::nullopt;
}

}  // namespace penstock::stream
