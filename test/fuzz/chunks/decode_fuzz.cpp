// Decodes batches of any bytes as chunks of one format, by the kernels that the library launches,
// on the host executor in the same process. Requires the status and output of the format's own
// library, no write outside of a capacity, and no race.
#include "fuzz/chunks/fuzzed_batch.hpp"
#include "fuzz/chunks/valid_frames.hpp"
#include "fuzz/device/linked_device.hpp"
#include "zstd_reference.hpp"

namespace penstock::fuzz {
namespace {

batch::Format format_here() { return codec_here().format; }

batch::Reference reference_of(std::uint32_t how) {
  constexpr int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE},
                zstd_levels[] = {-5, 1, 3, 5, 7, 12, 17, 19};
  batch::DeflateOptions deflate{.level = static_cast<int>(how % 10),
                                .strategy = strategies[how / 16 % 4],
                                .memory = 1 + static_cast<int>(how / 64)};
  switch (format_here()) {
    case batch::Format::lz4: return batch::lz4_reference(static_cast<int>(how % 13));
    case batch::Format::snappy: return batch::snappy_reference();
    case batch::Format::deflate: return batch::deflate_reference(deflate);
    case batch::Format::zlib:
      deflate.window = batch::zlib_window;
      return batch::deflate_reference(deflate);
    case batch::Format::gzip:
      deflate.window = batch::gzip_window;
      return batch::deflate_reference(deflate);
    case batch::Format::zstd: break;
  }
  constexpr std::size_t flushed_bytes[] = {0, 0, 150, 1000};
  zstd_test::Parameters zstd = {
      {ZSTD_c_compressionLevel, zstd_levels[how % 8]},
      {ZSTD_c_checksumFlag, how >> 3 & 1},
      {ZSTD_c_windowLog, (how & 16) != 0 ? 10 : 15},
      {ZSTD_c_contentSizeFlag, how >> 5 & 1},
      {ZSTD_c_srcSizeHint, 4096}};  // tables of the size are most of an input's time
  if (how / 64 == 1)
    zstd.emplace_back(ZSTD_c_targetCBlockSize, 64);  // blocks that repeat trees and tables
  return batch::zstd_reference(zstd, flushed_bytes[how / 64]);
}

// Data that needs several segments, of 16 KiB or of 64; other data is shorter and faster.
bool has_cut_outputs() { return codec_here().variant == "lz4_decode_segments"; }
std::uint64_t output_bytes() {
  if (has_cut_outputs()) return 40'000;
  return codec_here().variant == "snappy_decode_segments" ? 140'000 : 16'000;
}

// A capacity that fits, is short by a little, or is large.
std::uint64_t capacity_of(std::uint32_t kind, const batch::Reference& reference,
                          const Bytes& bytes) {
  const std::uint64_t enough = output_bytes() * 3 / 2;
  if (kind % 4 == 0) return enough;
  const std::uint64_t right =
      reference.output_of({bytes, enough}).value_or(Bytes(kind % 64)).size();
  return kind % 4 == 1   ? right
         : kind % 4 == 2 ? right + kind / 4 % 16
                         : right - std::min<std::uint64_t>(right, kind / 4);
}

// One to three chunks: the bytes as blocks of a valid frame; or data that the format's library
// compresses, with some bytes changed; or the bytes as they are.
std::vector<Chunk> take_chunks(Input& input, const batch::Reference& reference, std::uint32_t kind,
                               std::uint32_t how) {
  const bool is_compressed = (kind & 4) != 0, is_framed = (kind & 8) == 0;
  std::vector<Chunk> taken;
  for (std::uint32_t left = 1 + kind % 3; left > 0; left--) {
    const std::uint32_t capacity_kind = input.byte();
    const std::string part = input.take(left == 1 ? input.left() : input.byte() * 2);
    Bytes bytes(part.begin(), part.end());
    if (is_compressed) {
      Input own(bytes.data(), bytes.size());
      const std::uint32_t changes = own.byte() % 4, first = own.byte();
      bytes = reference.compressed(text_of(own, output_bytes()));
      for (std::uint32_t i = 0; i < changes && !bytes.empty(); i++)
        bytes[first * (i * 37 + 1) % bytes.size()] ^= static_cast<std::uint8_t>(1 + first);
    } else if (is_framed) {
      bytes = framed(format_here(), bytes, how);
    }
    if (is_framed) bytes = with_checksum(format_here(), std::move(bytes));
    if (format_here() == batch::Format::gzip && (how & 8) != 0)
      bytes.insert(bytes.end(), bytes.begin(), bytes.end());  // two members
    const std::uint64_t capacity = capacity_of(capacity_kind, reference, bytes);
    taken.push_back({std::move(bytes), capacity});
  }
  return taken;
}

void expect_judged(const Chunk& chunk, const batch::Reference& reference, const Taken& result) {
  const bool is_stricter = reference.is_stricter(chunk.bytes);
  const std::optional<Bytes> right = is_stricter ? std::nullopt : reference.output_of(chunk);
  const std::string said = batch::status_of(format_here(), 0, result.chunk_status).text();
  const bool is_valid = result.chunk_status.error == batch::ErrorCode::none;
  require(right.has_value() == is_valid,
          "the format's library says the same of the chunk as: " + said);
  if (right) require(result.bytes == *right, "the text is the library's");
  if (!right || format_here() != batch::Format::gzip) return;
  const auto end = chunk.bytes.begin() + result.chunk_status.offset;
  require(reference.output_of({{chunk.bytes.begin(), end}, chunk.capacity}).has_value(),
          "members have ended where their status says");
  require(!reference.output_of({{chunk.bytes.begin(), end - 1}, chunk.capacity}).has_value(),
          "members end where their status says");
}

void run(const std::uint8_t* data, std::size_t bytes) {
  Input input(data, bytes);
  // The order of threads and the layout of chunks; the settings of the library; the kinds of
  // chunks.
  const std::uint32_t order = input.byte(), how = input.byte(), kind = input.byte();
  const auto reference = reference_of(how);
  set_launches(order);
  std::vector<Chunk> chunks = take_chunks(input, reference, kind, how);
  std::uint64_t max_output_bytes = 1;
  for (const Chunk& chunk : chunks) max_output_bytes = std::max(max_output_bytes, chunk.capacity);
  const bool is_cut = format_here() == batch::Format::zstd || has_cut_outputs();
  if (is_cut && kind >= 224) max_output_bytes -= max_output_bytes / 4;  // cuts larger capacities
  // Copies of segments and checksums load whole 16 bytes, also a neighbour's. Accesses of
  // neighbours, which are in different groups, are not ordered, so they are 16 bytes apart or more.
  const bool are_apart = codec_here().variant == "snappy_decode_segments" ||
                         format_here() == batch::Format::zlib ||
                         format_here() == batch::Format::gzip;
  const std::vector<Taken> results = taken<batch::Decoder>(
      device_here(), chunks, Gaps(order, are_apart ? 16 : 0), max_output_bytes);
  for (std::size_t i = 0; i < chunks.size(); i++) {
    chunks[i].capacity = std::min(chunks[i].capacity, max_output_bytes);
    expect_judged(chunks[i], reference, results[i]);
  }
}

}  // namespace
}  // namespace penstock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  penstock::fuzz::run(data, bytes);
  return 0;
}
