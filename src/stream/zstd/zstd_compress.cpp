// Zstandard, a frame a block, by libzstd.
#include <zstd.h>

#include <new>

#include "stream/pipeline/compressors.hpp"

namespace penstock::stream {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

ZSTD_CCtx* context_of_this_thread() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> mine(ZSTD_createCCtx());
  if (!mine) throw std::bad_alloc();
  return mine.get();
}

class ZstdCompressor : public Stages {
 public:
  ZstdCompressor(Input& input, const CompressOptions& options)
      : input_(input), block_bytes_(options.block_bytes), level_(options.level) {}

  Result<bool> take(Piece& piece) override {
    return take_input_block(input_, block_bytes_, std::exchange(begins_, false), piece);
  }

  Status work(Piece& piece) override {
    ZSTD_CCtx* const context = context_of_this_thread();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, static_cast<int>(level_));
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const std::size_t capacity = ZSTD_compressBound(piece.input.size());
    const std::size_t made = ZSTD_compress2(context, piece.reserve(capacity), capacity,
                                            piece.input.data(), piece.input.size());
    if (ZSTD_isError(made))
      return {Code::no_memory,
              std::string("libzstd cannot compress a block: ") + ZSTD_getErrorName(made)};
    piece.end = made;
    return {};
  }

 private:
  Input& input_;
  std::uint64_t block_bytes_;
  std::uint32_t level_;
  bool begins_ = true;
};

}  // namespace

std::unique_ptr<Stages> make_zstd_compressor(Input& input, const CompressOptions& options) {
  return std::make_unique<ZstdCompressor>(input, options);
}

}  // namespace penstock::stream
