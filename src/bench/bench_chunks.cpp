#include "bench/bench_chunks.hpp"

#include <libdeflate.h>
#include <lz4.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>
#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>

#include "base/parallel.hpp"
#include "terminal/output_file.hpp"

namespace penstock::bench {
namespace {

std::uint64_t lz4_bound(std::uint64_t bytes) {
  return static_cast<std::uint64_t>(LZ4_compressBound(static_cast<int>(bytes)));
}
std::uint64_t lz4_compress(const char* output, std::uint64_t bytes, char* chunk,
                           std::uint64_t capacity) {
  return static_cast<std::uint64_t>(
      LZ4_compress_default(output, chunk, static_cast<int>(bytes), static_cast<int>(capacity)));
}
bool lz4_decompress(const char* chunk, std::uint64_t bytes, char* output,
                    std::uint64_t output_bytes) {
  return LZ4_decompress_safe(chunk, output, static_cast<int>(bytes),
                             static_cast<int>(output_bytes)) == static_cast<int>(output_bytes);
}

// Reads a length of LZ4, which continues in further bytes where its half of the token is 15.
std::uint64_t lz4_length(const char* chunk, std::uint64_t bytes, std::uint64_t& at,
                         std::uint64_t length) {
  std::uint64_t byte = length == 15 ? 255 : 0;
  while (byte == 255 && at < bytes) byte = static_cast<unsigned char>(chunk[at++]), length += byte;
  return length;
}
std::uint64_t lz4_sequences(const char* chunk, std::uint64_t bytes) {
  std::uint64_t count = 0;
  for (std::uint64_t at = 0; at < bytes; count++) {
    const auto token = static_cast<unsigned char>(chunk[at++]);
    const std::uint64_t literals = lz4_length(chunk, bytes, at, token / 16);
    at += literals + 2;
    lz4_length(chunk, bytes, at, token % 16);
  }
  return count;
}

// One encoder and decoder per thread, since they may not be shared.
template <int level = 6> libdeflate_compressor* deflater() {
  static thread_local const std::unique_ptr<libdeflate_compressor,
                                            decltype(&libdeflate_free_compressor)>
      made(libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  return made.get();
}
libdeflate_decompressor* inflater() {
  static thread_local const std::unique_ptr<libdeflate_decompressor,
                                            decltype(&libdeflate_free_decompressor)>
      made(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  return made.get();
}
std::uint64_t deflate_bound(std::uint64_t bytes) {
  return libdeflate_deflate_compress_bound(nullptr, bytes);
}
std::uint64_t deflate_compress(const char* output, std::uint64_t bytes, char* chunk,
                               std::uint64_t capacity) {
  return libdeflate_deflate_compress(deflater(), output, bytes, chunk, capacity);
}
bool deflate_decompress(const char* chunk, std::uint64_t bytes, char* output,
                        std::uint64_t output_bytes) {
  return libdeflate_deflate_decompress(inflater(), chunk, bytes, output, output_bytes, nullptr) ==
         LIBDEFLATE_SUCCESS;
}

std::uint64_t zlib_bound(std::uint64_t bytes) {
  return libdeflate_zlib_compress_bound(nullptr, bytes);
}
std::uint64_t zlib_compress(const char* output, std::uint64_t bytes, char* chunk,
                            std::uint64_t capacity) {
  return libdeflate_zlib_compress(deflater(), output, bytes, chunk, capacity);
}
bool zlib_decompress(const char* chunk, std::uint64_t bytes, char* output,
                     std::uint64_t output_bytes) {
  return libdeflate_zlib_decompress(inflater(), chunk, bytes, output, output_bytes, nullptr) ==
         LIBDEFLATE_SUCCESS;
}
std::uint64_t gzip_bound(std::uint64_t bytes) {
  return libdeflate_gzip_compress_bound(nullptr, bytes);
}
std::uint64_t gzip_compress(const char* output, std::uint64_t bytes, char* chunk,
                            std::uint64_t capacity) {
  return libdeflate_gzip_compress(deflater(), output, bytes, chunk, capacity);
}
bool gzip_decompress(const char* chunk, std::uint64_t bytes, char* output,
                     std::uint64_t output_bytes) {
  return libdeflate_gzip_decompress(inflater(), chunk, bytes, output, output_bytes, nullptr) ==
         LIBDEFLATE_SUCCESS;
}

std::uint64_t snappy_bound(std::uint64_t bytes) { return snappy_max_compressed_length(bytes); }
std::uint64_t snappy_compress(const char* output, std::uint64_t bytes, char* chunk,
                              std::uint64_t capacity) {
  std::size_t size = capacity;
  return ::snappy_compress(output, bytes, chunk, &size) == SNAPPY_OK ? size : 0;
}
bool snappy_decompress(const char* chunk, std::uint64_t bytes, char* output,
                       std::uint64_t output_bytes) {
  std::size_t size = output_bytes;
  return snappy_uncompress(chunk, bytes, output, &size) == SNAPPY_OK && size == output_bytes;
}

// Literals and the copy after them count as one sequence, as in the decoder.
std::uint64_t snappy_sequences(const char* chunk, std::uint64_t bytes) {
  constexpr unsigned copy_bytes[] = {0, 2, 3, 5};
  constexpr std::uint64_t max_in_tag = 60;
  std::uint64_t count = 0, at = 0;
  while (at < bytes && (chunk[at++] & 0x80) != 0) {}  // the decompressed length
  for (bool has_literals = false; at < bytes;) {
    const auto tag = static_cast<unsigned char>(chunk[at]);
    const bool is_copy = tag % 4 != 0;
    count += is_copy && has_literals ? 0 : 1;
    has_literals = !is_copy;
    at += is_copy ? copy_bytes[tag % 4] : 1;
    if (is_copy) continue;
    std::uint64_t number = tag / 4;
    if (const std::uint64_t more = number < max_in_tag ? 0 : number - max_in_tag + 1; more != 0) {
      number = 0;
      for (std::uint64_t i = 0; i < more; i++)
        number |= std::uint64_t{static_cast<unsigned char>(chunk[at++])} << 8 * i;
    }
    at += number + 1;
  }
  return count;
}

// Without a checksum, libzstd's default.
std::uint64_t zstd_bound(std::uint64_t bytes) { return ZSTD_compressBound(bytes); }
std::uint64_t zstd_compress(const char* output, std::uint64_t bytes, char* chunk,
                            std::uint64_t capacity) {
  const std::size_t size = ZSTD_compress(chunk, capacity, output, bytes, ZSTD_CLEVEL_DEFAULT);
  return ZSTD_isError(size) != 0 ? 0 : size;
}
bool zstd_decompress(const char* chunk, std::uint64_t bytes, char* output,
                     std::uint64_t output_bytes) {
  return ZSTD_decompress(output, output_bytes, chunk, bytes) == output_bytes;
}

// Level 1, compared with devices that compress.
std::uint64_t libdeflate_1(const char* output, std::uint64_t bytes, char* chunk,
                           std::uint64_t capacity) {
  return libdeflate_deflate_compress(deflater<1>(), output, bytes, chunk, capacity);
}
std::uint64_t zlib_1(const char* output, std::uint64_t bytes, char* chunk, std::uint64_t capacity) {
  z_stream stream{};
  constexpr int memory_level = 8;  // zlib's own
  if (deflateInit2(&stream, 1, Z_DEFLATED, -MAX_WBITS, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(output)),
  stream.avail_in = static_cast<uInt>(bytes);
  stream.next_out = reinterpret_cast<Bytef*>(chunk), stream.avail_out = static_cast<uInt>(capacity);
  const bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  const std::uint64_t made = stream.total_out;
  deflateEnd(&stream);
  return is_whole ? made : 0;
}

// Raw streams, zlib streams and gzip members, by the window's bits.
template <int window_bits>
bool zlib_inflate(const char* chunk, std::uint64_t bytes, char* output,
                  std::uint64_t output_bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(chunk)),
  stream.avail_in = static_cast<uInt>(bytes);
  stream.next_out = reinterpret_cast<Bytef*>(output),
  stream.avail_out = static_cast<uInt>(output_bytes);
  const bool is_whole =
      inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == output_bytes;
  inflateEnd(&stream);
  return is_whole;
}

constexpr HostEncoder lz4_encoders[] = {{"liblz4 -1", lz4_compress}};
constexpr HostEncoder deflate_encoders[] = {{"libdeflate -1", libdeflate_1}, {"zlib -1", zlib_1}};
constexpr HostDecoder deflate_decoders[] = {{"zlib", zlib_inflate<-MAX_WBITS>}};
constexpr HostDecoder zlib_decoders[] = {{"zlib", zlib_inflate<MAX_WBITS>}};
constexpr HostDecoder gzip_decoders[] = {{"zlib", zlib_inflate<MAX_WBITS + 16>}};

constexpr double lz4_share = 0.45, zstd_share = 0.28, deflate_share = 0.12;

constexpr ChunkLibrary libraries[] = {
    {"lz4",
     "liblz4",
     batch::Format::lz4,
     lz4_bound,
     lz4_compress,
     lz4_decompress,
     lz4_sequences,
     lz4_share,
     {},
     lz4_encoders},
    {"snappy", "libsnappy", batch::Format::snappy, snappy_bound, snappy_compress, snappy_decompress,
     snappy_sequences},
    {"deflate", "libdeflate", batch::Format::deflate, deflate_bound, deflate_compress,
     deflate_decompress, nullptr, deflate_share, deflate_decoders, deflate_encoders},
    {"zlib", "libdeflate", batch::Format::zlib, zlib_bound, zlib_compress, zlib_decompress, nullptr,
     deflate_share, zlib_decoders},
    {"gzip", "libdeflate", batch::Format::gzip, gzip_bound, gzip_compress, gzip_decompress, nullptr,
     deflate_share, gzip_decoders},
    {"zstd", "libzstd", batch::Format::zstd, zstd_bound, zstd_compress, zstd_decompress, nullptr,
     zstd_share},
};

// Compresses each chunk by itself and counts sequences; returns nothing where one failed.
std::vector<Bytes> each_compressed(const ChunkLibrary& library, const Bytes& output,
                                   std::uint64_t chunk_bytes, std::uint64_t& sequences) {
  const std::uint64_t count = (output.size() + chunk_bytes - 1) / chunk_bytes,
                      capacity = library.bound(chunk_bytes);
  std::vector<Bytes> made(count);
  std::atomic<std::uint64_t> sequence_count = 0;
  std::atomic<bool> has_failed = false;
  in_parallel(count, 1, [&](std::uint64_t first, std::uint64_t last) {
    Bytes scratch(capacity);
    for (std::uint64_t i = first; i < last; i++) {
      const std::uint64_t bytes =
          std::min<std::uint64_t>(chunk_bytes, output.size() - i * chunk_bytes);
      const std::uint64_t size =
          library.compress(output.data() + i * chunk_bytes, bytes, scratch.data(), capacity);
      if (size == 0) has_failed = true;
      made[i].assign(scratch.begin(), scratch.begin() + size);
      if (library.count_sequences != nullptr)
        sequence_count += library.count_sequences(made[i].data(), size);
    }
  });
  sequences = sequence_count;
  return has_failed ? std::vector<Bytes>() : made;
}

template <class T> std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

std::span<const ChunkLibrary> chunk_libraries() { return libraries; }

Result<BenchChunks> compressed(const ChunkLibrary& library, Bytes output,
                               std::uint64_t chunk_bytes) {
  BenchChunks chunks;
  chunks.output = std::move(output);
  const std::vector<Bytes> made =
      each_compressed(library, chunks.output, chunk_bytes, chunks.sequence_count);
  if (made.empty())
    return Status(Code::internal, std::string(library.library) + " could not compress a chunk");
  for (std::uint64_t i = 0; i < made.size(); i++) {
    chunks.input_offsets.push_back(chunks.input.size());
    chunks.input_sizes.push_back(made[i].size());
    chunks.output_offsets.push_back(i * chunk_bytes);
    chunks.output_sizes.push_back(
        std::min<std::uint64_t>(chunk_bytes, chunks.output.size() - i * chunk_bytes));
    chunks.input.insert(chunks.input.end(), made[i].begin(), made[i].end());
  }
  return chunks;
}

Status write_chunks(const BenchChunks& chunks, const std::string& path) {
  static_assert(std::endian::native == std::endian::little,
                "the file's numbers are written in native order");
  std::vector<std::uint64_t> head = {chunks.count()};
  for (std::uint64_t i = 0; i < chunks.count(); i++)
    head.push_back(chunks.input_sizes[i]), head.push_back(chunks.output_sizes[i]);
  PENSTOCK_ASSIGN(const auto file, terminal::OutputFile::create(path));
  for (const std::string_view part :
       {bytes_of(head), bytes_of(chunks.input), bytes_of(chunks.output)})
    PENSTOCK_TRY(file->write(part));
  return file->commit();
}

}  // namespace penstock::bench
