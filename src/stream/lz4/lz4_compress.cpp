// Compresses to LZ4, one frame of independent blocks with a checksum of its content, by liblz4.
#include <lz4.h>
#include <lz4hc.h>

#include <bit>
#include <cstring>

#include "codec/checksum/xxhash.hpp"
#include "stream/input/byte_writer.hpp"
#include "stream/input/skippable_frame.hpp"
#include "stream/lz4/lz4_format.hpp"
#include "stream/lz4/lz4_methods.hpp"

namespace penstock::stream {
namespace {

constexpr std::uint32_t min_high_level =
    3;  // from here on lz4's own program takes the slower compressor, too
constexpr std::size_t header_bytes = 7, size_bytes = 4, end_bytes = 8;

void write_header(std::byte* at, std::uint64_t block_bytes) {
  constexpr unsigned version_1 = 1 << 6, independent = 1 << 5, content_checksum = 1 << 2;
  ByteWriter writer(at);
  writer.u32(lz4_magic);
  writer.u8(version_1 | independent | content_checksum);
  writer.u8((std::countr_zero(block_bytes) - 8) / 2 << 4);
  writer.u8(checksum::xxh32({at + 4, 2}) >> 8 & 0xff);
}

void write_block_size(std::byte* at, std::size_t body_bytes, bool is_stored) {
  ByteWriter(at).u32(is_stored ? body_bytes | stored_bit : body_bytes);
}

std::size_t write_end(std::byte* at, std::uint32_t checksum) {
  ByteWriter writer(at);
  writer.u32(0);
  writer.u32(checksum);
  return writer.written();
}

class Lz4Framing : public Framing {
 public:
  explicit Lz4Framing(const CompressOptions& options) : block_bytes_(options.block_bytes) {}
  batch::Format chunk_format() const override { return batch::Format::lz4; }
  std::size_t begin(std::byte* to) const override {
    return write_header(to, block_bytes_), header_bytes;
  }
  std::size_t put(std::byte* to, std::span<const std::byte> plain,
                  std::span<const std::byte> chunk) const override {
    const bool is_stored = chunk.size() >= plain.size();
    const auto body = is_stored ? plain : chunk;
    write_block_size(to, body.size(), is_stored);
    std::memcpy(to + size_bytes, body.data(), body.size());
    return size_bytes + body.size();
  }
  void update(std::span<const std::byte> plain) override { content_.update(plain); }
  std::size_t end(std::byte* to) const override { return write_end(to, content_.digest()); }

 private:
  std::uint64_t block_bytes_;
  checksum::Xxh32 content_;
};

class Lz4Compressor : public EncodeStages {
 public:
  Lz4Compressor(Input& input, const CompressOptions& options)
      : input_(input), block_bytes_(options.block_bytes), level_(options.level) {}

  Result<bool> take(EncodeJob& job) override {
    job.begins_frame = std::exchange(begins_, false);
    PENSTOCK_ASSIGN(const bool is_block, take_input_block(input_, block_bytes_, false, job));
    if (is_block) return true;
    job.ends_frame = true;  // without a block: the end mark and the checksum
    return !std::exchange(is_ended_, true);
  }

  Status work(EncodeJob& job) override {
    const std::size_t before = job.begins_frame ? header_bytes : 0;
    const std::size_t count = job.input.size();
    std::byte* const out =
        job.reserve(before + size_bytes + max_lz4_block_bytes(count) + end_bytes);
    if (job.begins_frame) write_header(out, block_bytes_);
    job.end = before;
    if (job.ends_frame) return {};
    // A block that would not become smaller is stored.
    const int made = compress_block(job.input, out + before + size_bytes);
    const bool is_stored = made <= 0;
    if (is_stored) std::memcpy(out + before + size_bytes, job.input.data(), count);
    const std::size_t body_bytes = is_stored ? count : static_cast<std::size_t>(made);
    write_block_size(out + before, body_bytes, is_stored);
    job.end = before + size_bytes + body_bytes;
    return {};
  }

  Status join(EncodeJob& job) override {
    content_.update(job.input);
    if (job.ends_frame) job.end += write_end(job.memory.data() + job.end, content_.digest());
    return {};
  }

 private:
  int compress_block(std::span<const std::byte> block, std::byte* out) const {
    const auto* const source = reinterpret_cast<const char*>(block.data());
    auto* const target = reinterpret_cast<char*>(out);
    const auto count = static_cast<int>(block.size());
    if (level_ < min_high_level) return LZ4_compress_fast(source, target, count, count - 1, 1);
    return LZ4_compress_HC(source, target, count, count - 1, static_cast<int>(level_));
  }

  Input& input_;
  std::uint64_t block_bytes_;
  std::uint32_t level_;
  bool begins_ = true, is_ended_ = false;
  checksum::Xxh32 content_;  // join()'s
};

std::unique_ptr<EncodeStages> make_compressor(Input& input, const CompressOptions& options) {
  return std::make_unique<Lz4Compressor>(input, options);
}
std::unique_ptr<Framing> make_framing(const CompressOptions& options) {
  return std::make_unique<Lz4Framing>(options);
}
std::uint64_t default_block_bytes(std::uint32_t) { return 4 << 20; }

Status check_block_bytes(std::uint64_t bytes) {
  for (const std::uint64_t allowed : {64 << 10, 256 << 10, 1 << 20, 4 << 20})
    if (bytes == allowed) return {};
  return {Code::invalid, "lz4: block size must be 64 KiB, 256 KiB, 1 MiB or 4 MiB"};
}

}  // namespace

constexpr Compressor lz4_compressor = {.default_level = 1,
                                       .max_level = 12,
                                       .default_block_bytes = default_block_bytes,
                                       .make = make_compressor,
                                       .check_block_bytes = check_block_bytes,
                                       .make_framing = make_framing,
                                       .device_block_bytes = 64 << 10};

}  // namespace penstock::stream
