// Deflate streams for tests: by zlib and libdeflate from many kinds of data, and written bit by
// bit.
#pragma once
#include <libdeflate.h>
#include <zlib.h>

#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace penstock::deflate {

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Returns a raw stream of zlib. Strategies are zlib's: Z_FIXED makes fixed blocks only,
// Z_HUFFMAN_ONLY has no matches.
inline std::string deflated(const std::string& text, int level, int strategy = Z_DEFAULT_STRATEGY,
                            int memory_level = 8) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, -15, memory_level, strategy) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string made(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(made.data());
  stream.avail_out = static_cast<uInt>(made.size());
  if (::deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  made.resize(stream.total_out);
  deflateEnd(&stream);
  return made;
}

inline std::string deflated_by_libdeflate(const std::string& text, int level) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(level);
  std::string made(libdeflate_deflate_compress_bound(compressor, text.size()), '\0');
  made.resize(
      libdeflate_deflate_compress(compressor, text.data(), text.size(), made.data(), made.size()));
  libdeflate_free_compressor(compressor);
  return made;
}

struct Random {
  explicit Random(unsigned seed) : engine(seed) {}
  unsigned operator()() { return static_cast<unsigned>(engine()); }
  std::mt19937 engine;
};

// The result of a library for a stream: the output up to the error (zlib), or of a valid stream
// (libdeflate).
struct ChunkStatus {
  bool is_valid = false;
  std::string output;
  std::size_t input_bytes = 0;
};

inline ChunkStatus zlib_status(const std::string& stream_bytes, std::size_t max_bytes) {
  ChunkStatus chunk_status;
  chunk_status.output.resize(max_bytes);
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK) throw std::runtime_error("inflateInit2");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream_bytes.data()));
  stream.avail_in = static_cast<uInt>(stream_bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(chunk_status.output.data());
  stream.avail_out = static_cast<uInt>(max_bytes);
  chunk_status.is_valid = ::inflate(&stream, Z_FINISH) == Z_STREAM_END;
  chunk_status.output.resize(stream.total_out);
  chunk_status.input_bytes = stream.total_in;
  inflateEnd(&stream);
  return chunk_status;
}

inline ChunkStatus libdeflate_status(const std::string& stream, std::size_t max_bytes) {
  ChunkStatus chunk_status;
  chunk_status.output.resize(max_bytes);
  libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
  std::size_t out_bytes = 0;
  chunk_status.is_valid =
      libdeflate_deflate_decompress_ex(decompressor, stream.data(), stream.size(),
                                       chunk_status.output.data(), max_bytes,
                                       &chunk_status.input_bytes, &out_bytes) == LIBDEFLATE_SUCCESS;
  chunk_status.output.resize(chunk_status.is_valid ? out_bytes : 0);
  libdeflate_free_decompressor(decompressor);
  return chunk_status;
}

// Writes bits in stream order: numbers lowest bit first, codes highest bit first.
class BitWriter {
 public:
  BitWriter& number(std::uint64_t value, unsigned bits) {
    for (unsigned bit = 0; bit < bits; bit++) put(value >> bit & 1);
    return *this;
  }
  BitWriter& code(std::uint64_t value, unsigned bits) {
    while (bits-- > 0) put(value >> bits & 1);
    return *this;
  }
  BitWriter& to_byte() {
    while (bits_ % 8 != 0) put(0);
    return *this;
  }
  BitWriter& header(bool is_last, unsigned type) { return number(is_last, 1).number(type, 2); }
  // The header of a dynamic block. Its code length code has eight symbols of three bits: the
  // lengths 0 to 7.
  BitWriter& codes(const std::vector<unsigned>& literals, const std::vector<unsigned>& distances) {
    number(literals.size() - 257, 5).number(distances.size() - 1, 5).number(19 - 4, 4);
    for (const unsigned symbol : {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15})
      number(symbol < 8 ? 3 : 0, 3);
    for (const auto* lengths : {&literals, &distances})
      for (const unsigned length : *lengths) code(length, 3);
    return *this;
  }
  std::size_t bits() const { return bits_; }
  std::string bytes() const { return bytes_; }

 private:
  void put(bool bit) {
    if (bits_ % 8 == 0) bytes_.push_back('\0');
    if (bit) bytes_.back() = static_cast<char>(bytes_.back() | 1 << bits_ % 8);
    bits_++;
  }
  std::string bytes_;
  std::size_t bits_ = 0;
};

// Data of many kinds: words with a Zipf distribution, log lines, records of numbers, random bytes,
// runs of every period to 64, zeros.
inline std::vector<std::string> outputs_of_all_kinds(std::size_t bytes, unsigned seed = 1) {
  Random random(seed);
  std::vector<std::string> words(4000), outputs(6);
  for (std::string& word : words)
    for (unsigned length = 2 + random() % 9; length > 0; length--)
      word += static_cast<char>('a' + random() % 26);
  const auto word = [&] {
    return words[static_cast<std::size_t>(
        std::min(3999.0, 1.0 / (1e-4 + (random() % 100000) / 1e5) * 0.9))];
  };
  while (outputs[0].size() < bytes) outputs[0] += word() + (random() % 12 == 0 ? ".\n" : " ");
  for (unsigned line = 0; outputs[1].size() < bytes; line++)
    outputs[1] += "2026-01-02T03:04:" + std::to_string(line % 60) + " service[" +
                  std::to_string(random() % 50) + "] GET /" + word() + "/" +
                  std::to_string(random() % 100000) + " " + std::to_string(random() % 5000) +
                  " ms\n";
  for (std::uint32_t row = 0; outputs[2].size() < bytes; row++) {
    const std::uint32_t values[3] = {row, row * 7 + static_cast<std::uint32_t>(random() % 3),
                                     static_cast<std::uint32_t>(random() % 1000)};
    outputs[2].append(reinterpret_cast<const char*>(values), sizeof(values));
  }
  while (outputs[3].size() < bytes) outputs[3] += static_cast<char>(random());
  while (outputs[4].size() < bytes) {
    std::string period;
    for (unsigned length = 1 + random() % 64; length > 0; length--)
      period += static_cast<char>(random());
    for (unsigned times = 1 + random() % 40; times > 0; times--) outputs[4] += period;
  }
  outputs[5].assign(bytes, '\0');
  for (std::string& text : outputs) text.resize(bytes);
  return outputs;
}

}  // namespace penstock::deflate
