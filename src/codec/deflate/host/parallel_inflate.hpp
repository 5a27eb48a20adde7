// Decodes one Deflate stream (RFC 1951) with several threads, as pugz and rapidgzip do.
//
// One thread at a time runs the sequential decoder, which continues after all finished output. The
// others find blocks further on and decode from there speculatively, without the window before them
// (host_segment.hpp). Inside a block that is longer than a segment they begin at some bit, with the
// codes that the sequential decoder has for it. When the sequential decoder comes to a block or a
// symbol at which such a segment begins, the segment ends where it is, its markers are resolved,
// and the sequential decoder continues after it. A segment where nothing begins is discarded. So a
// wrong guess costs time and nothing else, and no thread waits for a segment of a fixed size.
//
// Hostile input: speculation never changes the output, since a segment is used only if the
// sequential decoder arrives exactly at its beginning.
//
//     PENSTOCK_ASSIGN(auto stream, deflate::ParallelInflate::begin(input, {}));
//     for (;;) {
//       PENSTOCK_ASSIGN(auto bytes, stream->next());
//       if (bytes.empty()) break;
//       ...
//     }
//     // to compare with the trailer after the stream
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "codec/deflate/host/input_window.hpp"
#include "penstock/status.hpp"

namespace penstock::deflate {

// The method of speculative decoding (host_segment.hpp). Tokens are the least work, but one thread
// copies all matches. Markers scale to any number of threads. `threads` chooses by the number of
// threads.
enum class SpeculationMode : std::uint8_t { threads, tokens, markers };
enum class Checksum : std::uint8_t { none, crc32, adler32 };

struct InflateOptions {
  // Threads that decode, including the caller of next(); 0: as many as there are cores.
  unsigned threads = 0;
  Checksum checksum = Checksum::none;  // of all output
  SpeculationMode speculation = SpeculationMode::threads;
  // The output that a thread decodes ahead at most, which bounds the memory: some three times as
  // much per thread, and as much again of finished output. Smaller segments have more seams. Larger
  // ones leave the caches between decoding and resolving markers.
  std::size_t segment_bytes = std::size_t{4} << 20;
  std::size_t step_bytes = std::size_t{64} << 10;  // after which a thread checks whether to stop
  // Compressed bytes from segment to segment; 0: by the ratio so far and segment_bytes.
  std::uint64_t segment_input_bytes = 0;
  // Reads the input as it is decoded; null if all of it is in memory.
  std::shared_ptr<InputWindow> window = nullptr;
};

class ParallelInflate {
 public:
  // Begins at the stream's first bit. Bytes after the stream are not decoded. `input` must outlive
  // this. With a window its addresses are all there, and its bytes are as they are required.
  // Threads are started once the stream proves larger than a segment.
  static Result<std::unique_ptr<ParallelInflate>> begin(std::span<const std::byte> input,
                                                        const InflateOptions& options = {});
  ~ParallelInflate();

  // Returns output in order, valid until the next call; empty at the end of the stream. An error
  // names the block and the bit. It comes after all output before it, and again from later calls.
  // One host thread at a time may call this.
  Result<std::span<const std::byte>> next();

  // Returns the bytes of input before the end of finished output, for progress. Thread-safe.
  std::uint64_t position() const;
  // Valid once next() returned an empty span: the size of the stream in bytes, and the checksum of
  // its output (none: 0).
  std::uint64_t consumed_bytes() const;
  std::uint32_t checksum() const;
  // The numbers of segments that were used and discarded. For tests and benches.
  struct Segments {
    std::uint64_t used = 0, discarded = 0;
  };
  Segments segments() const;

 private:
  struct State;
  explicit ParallelInflate(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace penstock::deflate
