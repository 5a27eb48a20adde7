// The published libraries as oracles of tests and fuzz programs for compressed files.
#pragma once
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::stream {

// The output, or nothing where the file is refused. An oracle stops after max_bytes; longer output
// is incomplete.
using ExpectedOutput = std::optional<std::string>;

// Decodes concatenated members (31) or one stream (15) with zlib. Leaves the bytes behind them in
// `rest`.
inline ExpectedOutput zlib_says(std::string_view file, int window_bits,
                                std::string_view* rest = nullptr,
                                std::size_t max_bytes = SIZE_MAX) {
  std::string all;
  do {
    z_stream stream{};
    inflateInit2(&stream, window_bits);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data())),
    stream.avail_in = static_cast<uInt>(file.size());
    int code = Z_OK;
    while (code == Z_OK && all.size() <= max_bytes) {
      char out[65536];
      stream.next_out = reinterpret_cast<Bytef*>(out), stream.avail_out = sizeof out;
      code = inflate(&stream, Z_NO_FLUSH);
      all.append(out, sizeof out - stream.avail_out);
    }
    file.remove_prefix(file.size() - stream.avail_in);
    inflateEnd(&stream);
    if (all.size() > max_bytes) return all;
    if (code != Z_STREAM_END) return std::nullopt;
  } while (window_bits == 31 && (file == "\x1f" || file.starts_with("\x1f\x8b")));
  if (rest != nullptr) *rest = file;
  return all;
}
// gzip's own rule: anything but a member is ignored after the last one.
inline ExpectedOutput gzip_says(std::string_view file, std::size_t max_bytes = SIZE_MAX) {
  std::string_view rest;
  return zlib_says(file, 31, &rest, max_bytes);
}

inline ExpectedOutput zstd_says(std::string_view file, std::size_t max_bytes = SIZE_MAX) {
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 31);
  std::string all;
  ZSTD_inBuffer in{file.data(), file.size(), 0};
  std::size_t hint = 0;
  for (bool is_full = true;
       (in.pos < in.size || is_full) && !ZSTD_isError(hint) && all.size() <= max_bytes;) {
    char buffer[65536];
    ZSTD_outBuffer out{buffer, sizeof buffer, 0};
    const std::size_t before = in.pos;
    hint = ZSTD_decompressStream(context, &out, &in);
    all.append(buffer, out.pos);
    is_full = out.pos == out.size;
    if (in.pos == before && out.pos == 0 && in.pos == in.size) break;
  }
  ZSTD_freeDCtx(context);
  return (hint == 0 && !file.empty()) || all.size() > max_bytes ? ExpectedOutput(all)
                                                                : std::nullopt;
}

inline ExpectedOutput lz4_says(std::string_view file, std::size_t max_bytes = SIZE_MAX) {
  LZ4F_dctx* context = nullptr;
  LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
  std::string all;
  std::size_t hint = file.empty() ? 1 : 0;
  for (bool goes_on = !file.empty(); goes_on && all.size() <= max_bytes;) {
    static char buffer[1 << 22];
    std::size_t made = sizeof buffer, taken = file.size();
    hint = LZ4F_decompress(context, buffer, &made, file.data(), &taken, nullptr);
    if (LZ4F_isError(hint)) break;
    all.append(buffer, made);
    file.remove_prefix(taken);
    goes_on = !file.empty() || made == sizeof buffer;
  }
  LZ4F_freeDecompressionContext(context);
  return hint == 0 || all.size() > max_bytes ? ExpectedOutput(all) : std::nullopt;
}

}  // namespace penstock::stream
