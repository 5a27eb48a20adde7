// Compresses to Zstandard, a frame for each block, by libzstd.
#include <zstd.h>

#include <algorithm>
#include <new>

#include "base/cancellation.hpp"
#include "stream/zstd/zstd_methods.hpp"

namespace penstock::stream {
namespace {

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

ZSTD_CCtx* thread_context() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

class ZstdCompressor : public EncodeStages {
 public:
  ZstdCompressor(Input& input, const CompressOptions& options)
      : input_(input), block_bytes_(options.block_bytes), level_(options.level) {}

  Result<bool> take(EncodeJob& job) override {
    return take_input_block(input_, block_bytes_, std::exchange(begins_, false), job);
  }

  Status work(EncodeJob& job) override {
    ZSTD_CCtx* const context = thread_context();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, static_cast<int>(level_));
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const std::size_t capacity = ZSTD_compressBound(job.input.size());
    ZSTD_outBuffer out{job.reserve(capacity), capacity, 0};
    const std::size_t failed = level_ < first_slow_level
                                   ? compress_at_once(context, job.input, out)
                                   : compress_in_parts(context, job.input, out);
    if (ZSTD_isError(failed))
      return {Code::no_memory, std::string("zstd: ") + ZSTD_getErrorName(failed)};
    job.end = out.pos;
    return {};
  }

 private:
  // From this level on a block takes more than a tenth of a second.
  static constexpr std::uint32_t first_slow_level = 8;

  static std::size_t compress_at_once(ZSTD_CCtx* context, std::span<const std::byte> input,
                                      ZSTD_outBuffer& out) {
    const std::size_t bytes =
        ZSTD_compress2(context, out.dst, out.size, input.data(), input.size());
    if (!ZSTD_isError(bytes)) out.pos = bytes;
    return bytes;
  }

  // A block of the highest levels takes half a minute. So it is given by blocks of the format, and
  // ends when nobody wants it.
  static std::size_t compress_in_parts(ZSTD_CCtx* context, std::span<const std::byte> input,
                                       ZSTD_outBuffer& out) {
    constexpr std::size_t part_bytes = 128 << 10;
    ZSTD_CCtx_reset(context, ZSTD_reset_session_only);  // of a block that was ended
    ZSTD_CCtx_setPledgedSrcSize(context, input.size());
    ZSTD_inBuffer in{input.data(), 0, 0};
    for (std::size_t left = 1; left != 0;) {
      check_cancelled();
      in.size = std::min(in.size + part_bytes, input.size());
      const bool is_last = in.size == input.size();
      left = ZSTD_compressStream2(context, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left)) return left;
      if (!is_last) left = 1;
    }
    return 0;
  }

  Input& input_;
  std::uint64_t block_bytes_;
  std::uint32_t level_;
  bool begins_ = true;
};

std::unique_ptr<EncodeStages> make_compressor(Input& input, const CompressOptions& options) {
  return std::make_unique<ZstdCompressor>(input, options);
}

// Returns the window that libzstd has for long inputs. Its own table is not part of its interface.
std::uint64_t window_bytes_at(std::uint32_t level) {
  constexpr std::uint8_t window_logs[] = {21, 19, 20, 21, 21, 21, 21, 21, 21, 22, 22, 22,
                                          22, 22, 22, 22, 22, 23, 23, 23, 25, 26, 27};
  return std::uint64_t{1} << window_logs[std::min<std::size_t>(level, std::size(window_logs) - 1)];
}
std::uint64_t default_block_bytes(std::uint32_t level) {
  constexpr std::uint64_t mebibyte = 1 << 20;
  return std::clamp(4 * window_bytes_at(level), 2 * mebibyte, 64 * mebibyte);
}

}  // namespace

constexpr Compressor zstd_compressor = {.default_level = 3,
                                        .max_level = 22,
                                        .default_block_bytes = default_block_bytes,
                                        .make = make_compressor};

}  // namespace penstock::stream
