// Decodes one Zstandard frame on a device, its blocks all at once: the phases of
// kernels/zstd_stream.kc over batches of blocks, then the bytes of their source indices
// (codec/lz/source_resolver.hpp).
//
// The host finds where blocks begin, and waits once per batch: the position of a batch's output is
// known when the batch before it is done.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "codec/batch/chunk_decoder.hpp"
#include "codec/lz/source_resolver.hpp"
#include "codec/zstd/host/block_index.hpp"

namespace penstock::zstd {

class DeviceFrame {
 public:
  ~DeviceFrame();
  // A batch makes at most so much output; 0: chosen for the device. Its source indices take four
  // times as much device memory, and its sequences up to 8/3.
  static Result<std::unique_ptr<DeviceFrame>> build(std::shared_ptr<Device> device,
                                                    std::uint64_t batch_output_bytes = 0);
  // Returns whether a frame can be decoded: its window has up to 128 MiB, it needs no dictionary,
  // and the phases fit the device.
  static bool fits(const FrameHeader& header, const Traits& traits);

  struct Target {
    // On the host. `device_input` begins with the same bytes and is readable in whole 16s.
    std::span<const Byte> input;
    std::uint64_t frame_begin = 0;
    std::shared_ptr<Buffer> device_input, output;
    // The capacity is of the frame's output, which is readable in whole 16s.
    std::uint64_t output_begin = 0, capacity_bytes = 0;
    // Called with the byte of the input up to which it is decoded. An error ends the decoding.
    std::function<Status(std::uint64_t byte)> on_batch = {};
  };
  // frame_end is after the last block, where the content checksum is.
  struct Decoded {
    std::uint64_t output_bytes = 0, frame_end = 0;
  };
  // Decodes a frame. Errors name block and byte: Code::truncated, Code::corrupt, or Code::capacity
  // for more output than the capacity. The caller checks content checksums.
  Result<Decoded> decode(Queue& queue, const FrameHeader& header, const Target& target);

 private:
  DeviceFrame(std::shared_ptr<Device> device, std::uint64_t batch_output_bytes);
  Status open();
  struct Progress;
  Status enqueue(Queue& queue, const Target& target, Progress& progress);
  Status launch_phases(Queue& queue, const Target& target, const Progress& progress);
  Status finish(Queue& queue, const Target& target, Progress& progress);
  Status error_of(Queue& queue, const Progress& progress, std::uint32_t number);

  std::shared_ptr<Device> device_;
  std::uint64_t batch_output_bytes_ = 0;
  batch::BuiltPhase sequences_, positions_, literals_, sources_;
  std::optional<batch::SourceResolver> source_resolver_;
  std::unique_ptr<Progress>
      progress_;  // of the last frame; uploads read it after an early return of decode()
  std::shared_ptr<Buffer> rows_, plans_, list_, source_words_, state_, streams_, next_block_;
};

}  // namespace penstock::zstd
