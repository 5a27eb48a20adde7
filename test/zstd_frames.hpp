// Data of many kinds, and Zstandard frames of it by libzstd, the oracle of our decoder's tests.
#pragma once
#define ZSTD_STATIC_LINKING_ONLY  // parameters that only tests want
#include <zstd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec/zstd/host/block_scanner.hpp"
#include "codec/zstd/host/block_writer.hpp"
#include "codec/zstd/host/frame_decoder.hpp"

namespace penstock::zstd_test {

using Parameters = std::vector<std::pair<ZSTD_cParameter, int>>;

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// ---- Data ----

// Numbers of 32 bits, the same on every machine.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

inline std::string words(std::size_t bytes, unsigned seed) {
  Random random(seed);
  std::vector<std::string> vocabulary;
  for (int word = 0; word < 2000; word++) {
    std::string letters;
    for (unsigned letter = 0, count = 2 + random() % 9; letter < count; letter++)
      letters += "etaoinshrdlucmfwypvbgkqjxz"[random() % 26 * (random() % 26) / 26];
    vocabulary.push_back(letters);
  }
  std::string text;
  while (text.size() < bytes) {
    const std::size_t range = 1 + random() % vocabulary.size();
    text += vocabulary[random() % range] + (random() % 12 == 0 ? ".\n" : " ");
  }
  text.resize(bytes);
  return text;
}

inline std::string log_lines(std::size_t bytes, unsigned seed) {
  Random random(seed);
  std::string text;
  for (unsigned time = 1700000000; text.size() < bytes; time += random() % 5)
    text += std::to_string(time) + " host" + std::to_string(random() % 20) + " GET /item/" +
            std::to_string(random() % 5000) + " 200 " + std::to_string(random() % 100000) + "\n";
  text.resize(bytes);
  return text;
}

inline std::string json(std::size_t bytes, unsigned seed) {
  Random random(seed);
  std::string text = "[";
  for (unsigned id = 0; text.size() < bytes; id++)
    text += "{\"id\":" + std::to_string(id) +
            ",\"price\":" + std::to_string(random() % 1000 / 10.0) + ",\"tags\":[\"" +
            std::string(1 + random() % 3, static_cast<char>('a' + random() % 26)) + "\"]},\n";
  text.resize(bytes);
  return text;
}

// Records of counters, small numbers and some noise, as in programs.
inline std::string records(std::size_t bytes, unsigned seed) {
  Random random(seed);
  std::string text;
  for (std::uint32_t row = 0; text.size() < bytes; row++) {
    const std::uint32_t fields[4] = {row, random() % 100, 0xFF00FF00, random() >> 20};
    text.append(reinterpret_cast<const char*>(fields), sizeof fields);
  }
  text.resize(bytes);
  return text;
}

inline std::string noise(std::size_t bytes, unsigned seed) {
  Random random(seed);
  std::string text(bytes, 0);
  for (char& byte : text) byte = static_cast<char>(random());
  return text;
}

inline std::string periodic(std::size_t bytes, std::size_t period) {
  const std::string once = noise(period, static_cast<unsigned>(period));
  std::string text;
  while (text.size() < bytes) text += once;
  text.resize(bytes);
  return text;
}

inline std::map<std::string, std::string> kinds_of_data(std::size_t bytes) {
  std::string mixed = words(bytes / 4, 1) + noise(bytes / 4, 2) + std::string(bytes / 4, 'z');
  mixed += log_lines(bytes - mixed.size(), 3);
  return {{"words", words(bytes, 4)},
          {"log lines", log_lines(bytes, 5)},
          {"JSON", json(bytes, 6)},
          {"records", records(bytes, 7)},
          {"noise", noise(bytes, 8)},
          {"zeros", std::string(bytes, 0)},
          {"mixed", mixed},
          {"period 3", periodic(bytes, 3)},
          {"period 21", periodic(bytes, 21)}};
}

// ---- libzstd ----

inline std::string compressed(const std::string& text, const Parameters& parameters,
                              const std::string& dictionary = {}) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  for (const auto& [name, value] : parameters) ZSTD_CCtx_setParameter(context, name, value);
  if (!dictionary.empty()) ZSTD_CCtx_loadDictionary(context, dictionary.data(), dictionary.size());
  std::string frame(ZSTD_compressBound(text.size()), 0);
  const std::size_t bytes =
      ZSTD_compress2(context, frame.data(), frame.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  frame.resize(ZSTD_isError(bytes) ? 0 : bytes);
  return frame;
}

// Compresses as a program that does not know the size of its output, and flushes now and then.
inline std::string streamed(const std::string& text, const Parameters& parameters,
                            const std::function<std::size_t()>& next_piece) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  for (const auto& [name, value] : parameters) ZSTD_CCtx_setParameter(context, name, value);
  std::string frame;
  std::size_t end = 0;
  const auto write = [&](ZSTD_inBuffer in, ZSTD_EndDirective directive) {
    const std::size_t capacity = end + ZSTD_compressBound(in.size) + 64;
    if (frame.size() < capacity) frame.resize(2 * capacity);
    ZSTD_outBuffer out{frame.data(), frame.size(), end};
    ZSTD_compressStream2(context, &out, &in, directive);
    end = out.pos;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t piece = std::min(next_piece(), text.size() - at);
    write({text.data() + at, piece, 0}, ZSTD_e_flush);
    at += piece;
  }
  write({nullptr, 0, 0}, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  frame.resize(end);
  return frame;
}

struct ChunkStatus {
  bool is_ok = false;
  std::string output;  // what was decoded, else what is wrong
};

// Returns libzstd's result for one frame, which must use all bytes. The thread's context is reset
// by each call; making one takes libzstd longer than a small frame.
inline ChunkStatus libzstd_status(const std::string& frame, std::size_t limit,
                                  const std::string& dictionary = {}) {
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  std::string text(limit, 0);
  const std::size_t bytes =
      ZSTD_decompress_usingDict(context.get(), text.data(), text.size(), frame.data(), frame.size(),
                                dictionary.data(), dictionary.size());
  if (ZSTD_isError(bytes)) return {false, ZSTD_getErrorName(bytes)};
  text.resize(bytes);
  return {true, text};
}

// ---- Ours ----

// Decodes all at once.
inline ChunkStatus decoded(const std::string& frame, std::size_t limit,
                           const zstd::DecodeOptions& options = {.threads = 1}) {
  std::string text(limit, 0);
  const auto result =
      zstd::decode_frame(bytes_of(frame), std::as_writable_bytes(std::span(text)), options);
  if (!result.ok()) return {false, result.status().text()};
  if (result->input_bytes != frame.size()) return {false, "bytes behind the frame"};
  text.resize(result->output_bytes);
  return {true, text};
}

// Decodes part by part.
inline ChunkStatus pulled(const std::string& frame, const zstd::DecodeOptions& options) {
  auto decoder = zstd::FrameDecoder::begin(bytes_of(frame), options);
  if (!decoder.ok()) return {false, decoder.status().text()};
  std::string text;
  for (;;) {
    const auto piece = (*decoder)->next();
    if (!piece.ok()) return {false, piece.status().text()};
    if (piece->empty()) break;
    text.append(reinterpret_cast<const char*>(piece->data()), piece->size());
  }
  if ((*decoder)->consumed_bytes() != frame.size()) return {false, "bytes behind the frame"};
  return {true, text};
}

// Decodes a frame without a checksum with given loops, block after block.
inline ChunkStatus decoded_by(const zstd::HotLoops& loops, const std::string& frame,
                              std::size_t limit) {
  zstd::FrameInMemory input(bytes_of(frame));
  const auto header = zstd::read_frame_header(bytes_of(frame));
  if (!header.ok()) return {false, header.status().text()};
  std::string text(limit, 0);
  zstd::BlockScanner scanner(input, *header, nullptr);
  zstd::BlockWriter writer(
      loops, *header, {}, nullptr,
      zstd::OutputWindow({reinterpret_cast<zstd::Byte*>(text.data()), limit}, {}));
  const auto decoder = std::make_unique<zstd::BlockDecoder>(loops);
  zstd::BlockPlan plan;
  zstd::DecodedBlock block;
  Status status;
  do {
    status = scanner.next(plan);
    if (status.ok() && plan.type == zstd::BlockType::compressed)
      status = decoder->decode(plan, header->block_limit_bytes(), block);
    if (status.ok()) status = writer.write(plan, block);
  } while (status.ok() && !plan.is_last);
  if (status.ok())
    status = writer.finish(input.bytes_from(scanner.at(), 4)->bytes, scanner.at()).status();
  if (!status.ok()) return {false, status.text()};
  text.resize(writer.written_bytes());
  return {true, text};
}

// Parts of our messages about frames that some libzstd up to 1.5.7 accepts and the format does not
// (docs/formats/zstd.md).
inline const char* const stricter_reasons[] = {
    "reserved bits of its sequences' tables",  // libzstd to 1.5.5 ignores them
    "reaches before the window or is 0",  // offset 0 is 1 to libzstd up to 1.5.5; offsets beyond
                                          // the window pass
    "it has bytes behind its literals, and no sequences",  // tables are read behind zero sequences
                                                           // in two bytes (to 1.5.5)
    "the stream of its sequences is cut short",  // zeros are read before the beginning (to 1.5.6)
    "the stream of its sequences goes on behind them",  // states behind the last sequence are read
                                                        // (in 1.5.4), or not looked for
    "a stream of literals is cut short",  // libzstd's fast loops do not look how streams end
    "a stream of literals and its codes do not end together",
    "a stream of literals has no end mark",
    "no two states to begin with",  // zeros are read for Huffman weights' states (to 1.5.6)
    "more literals than a block of its frame",  // limits of blocks of windows below 128 KiB are not
                                                // looked at
    "more than a block of its frame has bytes",
    "has codes of more than 11 bits",  // libzstd takes 12
    "too few for four streams",        // libzstd to 1.5.4 takes less than 6
    "Huffman codes for no literals",
    "it is compressed and empty",  // passed over in streams
    " bytes and states ",          // not looked at in streams with an empty last block
    "an FSE table has more symbols than there are codes",  // of Huffman weights that no tree has
    "a weight of the Huffman tree is larger",
};

inline bool is_listed_as_stricter(const std::string& message) {
  for (const char* const reason : stricter_reasons)
    if (message.find(reason) != std::string::npos) return true;
  return false;
}

}  // namespace penstock::zstd_test
