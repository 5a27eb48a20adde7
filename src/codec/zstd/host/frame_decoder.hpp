// Decodes Zstandard frames (RFC 8878) in phases of our own, so that one ordinary frame keeps
// several cores busy.
//
//     PENSTOCK_ASSIGN(auto decoder, zstd::FrameDecoder::begin(file, {.threads = 2}));
//     for (;;) {
//       PENSTOCK_ASSIGN(const auto part, decoder->next());
//       if (part.empty()) break;
//       ...
//     }
//     file = file.subspan(decoder->consumed_bytes());      // the next frame
//
// Refuses what libzstd accepts and the format does not: docs/formats/zstd.md has the list.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "codec/zstd/format/dictionary.hpp"
#include "codec/zstd/format/frame_header.hpp"
#include "codec/zstd/host/frame_input.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

struct DecodeOptions {
  unsigned threads = 0;  // 0: one a core
  std::uint64_t window_limit_bytes = std::uint64_t{128}
                                     << 20;  // as `zstd -d` has it; decode_frame() needs no window
  std::uint64_t output_limit_bytes = UINT64_MAX;
  std::shared_ptr<const Dictionary> dictionary = nullptr;  // may be null
  bool is_checksum_verified = true;
};

class FrameDecoder {
 public:
  // `input` begins with a frame, may go on after it, and must outlive the decoder. Errors: all of
  // read_frame_header(); Code::capacity if the window exceeds its limit; Code::invalid if the frame
  // names another dictionary.
  static Result<std::unique_ptr<FrameDecoder>> begin(std::span<const std::byte> input,
                                                     const DecodeOptions& options);
  // Does so for a frame that is read during decoding. The threads call `input`, one at a time.
  static Result<std::unique_ptr<FrameDecoder>> begin(std::unique_ptr<FrameInput> input,
                                                     const DecodeOptions& options);
  virtual ~FrameDecoder() = default;

  // Returns the frame's output in parts, each valid until the next call; empty at the end. Returns
  // the same error again after an error. Errors: Code::corrupt and Code::truncated with block and
  // byte, Code::capacity at the output limit, Code::no_memory.
  virtual Result<std::span<const std::byte>> next() = 0;
  // Returns the size of the frame in the input, after the last part.
  virtual std::uint64_t consumed_bytes() const = 0;
  virtual const FrameHeader& header() const = 0;
};

struct DecodedFrame {
  std::uint64_t input_bytes = 0, output_bytes = 0;
};

// Decodes the frame that `input` begins with into `output`. Errors as above; Code::capacity where
// `output` is too small.
Result<DecodedFrame> decode_frame(std::span<const std::byte> input, std::span<std::byte> output,
                                  const DecodeOptions& options);

}  // namespace penstock::zstd
