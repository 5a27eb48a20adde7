// One ordinary Deflate stream (RFC 1951) decoded by several threads.
//
// One thread, the front, always decodes behind what is finished, as every decoder does. The others
// find blocks further on and decode from there, leaving open what they do not know
// (speculative_piece.hpp); inside of a block that is longer than a piece they begin at some bit,
// with the codes that the front has for it. When the front comes to a block or a symbol that begins
// just where such a piece does, the piece ends where it is, what it left open is filled in, and the
// front goes on behind it; a piece where nothing begins is thrown away. So a wrong guess costs time
// and nothing else, and no thread waits for a piece of a size that somebody chose.
//
//     PENSTOCK_ASSIGN(auto stream, deflate::ParallelInflate::begin(input, {}));
//     for (;;) {
//       PENSTOCK_ASSIGN(auto bytes, stream->next());
//       if (bytes.empty()) break;
//       ...
//     }
//     // what the trailer behind the stream is compared with
//     stream->consumed_bytes(), stream->checksum();
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "penstock/status.hpp"

namespace penstock::deflate {

// How threads decode ahead (speculative_piece.hpp): tokens are the least work, but one thread makes
// all copies of matches; with markers any number of threads has work. `threads` chooses by their
// number.
enum class AheadBy : std::uint8_t { threads, tokens, markers };
enum class Checksum : std::uint8_t { none, crc32, adler32 };

struct InflateOptions {
  unsigned threads =
      0;  // that decode, the caller of next() one of them; 0: as many as there are cores
  Checksum checksum = Checksum::none;  // of all output
  AheadBy ahead = AheadBy::threads;
  // Output that a thread decodes ahead at most, which bounds the memory: some three times as much a
  // thread, and as much again of output that waits. Less of it makes more seams, more of it falls
  // out of the caches between decoding and the replacing of markers.
  std::size_t piece_bytes = std::size_t{4} << 20;
  std::size_t step_bytes = std::size_t{64}
                           << 10;  // after which a thread looks whether it should stop
  std::uint64_t piece_input_bytes =
      0;  // compressed bytes from piece to piece; 0: what the ratio so far makes of piece_bytes
};

class ParallelInflate {
 public:
  // Begins with the stream's first bit; what stands behind the stream is not looked at for long.
  // `input` must outlive this. Threads are started once the stream shows to be larger than a piece.
  static Result<std::unique_ptr<ParallelInflate>> begin(std::span<const std::byte> input,
                                                        const InflateOptions& options = {});
  ~ParallelInflate();

  // Output in order, valid until the next call; empty at the end of the stream. An error names the
  // block and the bit, after all output in front of it has come; it comes again when asked again.
  // Called by one thread at a time.
  Result<std::span<const std::byte>> next();

  // Bytes of input up to the end of what is finished, for progress; any thread may ask.
  std::uint64_t position() const;
  // Once next() was empty: the bytes of input the stream took, and the checksum of what it gave
  // (none: 0).
  std::uint64_t consumed_bytes() const;
  std::uint32_t checksum() const;
  // Of so many pieces the output was used, or they were thrown away. For tests and benches.
  struct Pieces {
    std::uint64_t used = 0, thrown_away = 0;
  };
  Pieces pieces() const;

 private:
  struct State;
  explicit ParallelInflate(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace penstock::deflate
