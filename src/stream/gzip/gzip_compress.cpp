// Compresses to gzip, a member for each block, by libdeflate. Each member names its size, so that
// readers find members without decoding: in bgzip's field where blocks are small enough for it,
// otherwise in pgzip's.
#include <libdeflate.h>

#include <new>

#include "stream/gzip/gzip_format.hpp"
#include "stream/gzip/gzip_methods.hpp"
#include "stream/input/byte_writer.hpp"

namespace penstock::stream {
namespace {

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    libdeflate_free_compressor(compressor);
  }
};
using DeflateCompressor = std::unique_ptr<libdeflate_compressor, FreeCompressor>;

libdeflate_compressor* thread_compressor(std::uint32_t level) {
  thread_local DeflateCompressor compressor;
  thread_local std::uint32_t compressor_level = 0;
  if (!compressor || compressor_level != level)
    compressor.reset(libdeflate_alloc_compressor(static_cast<int>(level))),
        compressor_level = level;
  if (!compressor) throw std::bad_alloc();
  return compressor.get();
}

// The largest block that always fits a member: even of incompressible bytes, the member is at most
// the 65536 bytes that its size field can express.
constexpr std::uint64_t max_bgzf_block_bytes = 0xff00;
constexpr std::size_t bgzf_header_bytes = 18, pgzip_header_bytes = 20;
// The empty member at the end of a BGZF file. Readers detect a truncated file by its absence.
constexpr unsigned char bgzf_end[28] = {0x1f, 0x8b, 8,    4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C',
                                        2,    0,    0x1b, 0, 3, 0, 0, 0, 0, 0,    0, 0, 0,   0};

void write_header(std::byte* at, std::size_t member_bytes, bool is_bgzf) {
  constexpr unsigned has_extra = 4, unknown_system = 255;
  ByteWriter writer(at);
  writer.bytes("\x1f\x8b\x08");
  writer.u8(has_extra);
  writer.u32(0);  // no time
  writer.u8(0);   // no extra flags
  writer.u8(unknown_system);
  writer.u16(is_bgzf ? 6 : 8);
  writer.bytes(is_bgzf ? "BC" : "IG");
  writer.u16(is_bgzf ? 2 : 4);
  if (is_bgzf)
    writer.u16(member_bytes - 1);
  else
    writer.u32(member_bytes);
}

void write_trailer(std::byte* at, std::span<const std::byte> plain) {
  ByteWriter trailer(at);
  trailer.u32(libdeflate_crc32(0, plain.data(), plain.size()));
  trailer.u32(plain.size());
}

class GzipFraming : public Framing {
 public:
  explicit GzipFraming(const CompressOptions& options)
      : is_bgzf_(options.block_bytes <= max_bgzf_block_bytes) {}
  batch::Format chunk_format() const override { return batch::Format::deflate; }
  bool has_block_for_empty_input() const override { return !is_bgzf_; }
  std::size_t begin(std::byte*) const override { return 0; }
  std::size_t put(std::byte* to, std::span<const std::byte> plain,
                  std::span<const std::byte> chunk) const override {
    const std::size_t header_bytes = is_bgzf_ ? bgzf_header_bytes : pgzip_header_bytes;
    const std::size_t member_bytes = header_bytes + chunk.size() + gzip_trailer_bytes;
    write_header(to, member_bytes, is_bgzf_);
    std::memcpy(to + header_bytes, chunk.data(), chunk.size());
    write_trailer(to + header_bytes + chunk.size(), plain);
    return member_bytes;
  }
  void update(std::span<const std::byte>) override {}
  std::size_t end(std::byte* to) const override {
    if (is_bgzf_) std::memcpy(to, bgzf_end, sizeof bgzf_end);
    return is_bgzf_ ? sizeof bgzf_end : 0;
  }

 private:
  bool is_bgzf_;
};

class GzipCompressor : public EncodeStages {
 public:
  GzipCompressor(Input& input, const CompressOptions& options)
      : input_(input),
        block_bytes_(options.block_bytes),
        level_(options.level),
        is_bgzf_(options.block_bytes <= max_bgzf_block_bytes) {}

  Result<bool> take(EncodeJob& job) override {
    const bool begins = std::exchange(begins_, false);
    PENSTOCK_ASSIGN(const bool is_block,
                    take_input_block(input_, block_bytes_, begins && !is_bgzf_, job));
    if (is_block) return true;
    job.ends_frame = true;  // without a block: the end of a BGZF file
    return is_bgzf_ && !std::exchange(is_ended_, true);
  }

  Status work(EncodeJob& job) override {
    if (job.ends_frame) {
      ByteWriter(job.reserve(sizeof bgzf_end))
          .bytes({reinterpret_cast<const char*>(bgzf_end), sizeof bgzf_end});
      job.end = sizeof bgzf_end;
      return {};
    }
    libdeflate_compressor* const compressor = thread_compressor(level_);
    const std::size_t header_bytes = is_bgzf_ ? bgzf_header_bytes : pgzip_header_bytes;
    const std::size_t capacity = libdeflate_deflate_compress_bound(compressor, job.input.size());
    std::byte* const out = job.reserve(header_bytes + capacity + gzip_trailer_bytes);
    const std::size_t body_bytes = libdeflate_deflate_compress(
        compressor, job.input.data(), job.input.size(), out + header_bytes, capacity);
    if (body_bytes == 0)
      return {Code::internal, "libdeflate compressed a block to more than its bound"};
    write_trailer(out + header_bytes + body_bytes, job.input);
    job.end = header_bytes + body_bytes + gzip_trailer_bytes;
    write_header(out, job.end, is_bgzf_);
    return {};
  }

 private:
  Input& input_;
  std::uint64_t block_bytes_;
  std::uint32_t level_;
  bool is_bgzf_, begins_ = true, is_ended_ = false;
};

std::unique_ptr<EncodeStages> make_compressor(Input& input, const CompressOptions& options) {
  return std::make_unique<GzipCompressor>(input, options);
}
std::unique_ptr<Framing> make_framing(const CompressOptions& options) {
  return std::make_unique<GzipFraming>(options);
}
std::uint64_t default_block_bytes(std::uint32_t) { return 1 << 20; }

}  // namespace

constexpr Compressor gzip_compressor = {.default_level = 6,
                                        .max_level = 12,
                                        .default_block_bytes = default_block_bytes,
                                        .make = make_compressor,
                                        .make_framing = make_framing,
                                        .device_block_bytes = max_bgzf_block_bytes};

}  // namespace penstock::stream
