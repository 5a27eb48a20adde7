// One Zstandard frame decoded on a device, its blocks all at once: phases of kernels/zstd_stream.kc
// over batches of blocks, then the bytes of their origins (codec/lz/source_resolver.hpp).
//
// The host finds where blocks begin and waits once a batch: a batch's place in the text is known
// when the one before it is done.
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
  // A batch has so much text at most, or as much as suits the device where it is 0: its origins
  // take four times as much of the device's memory, and its sequences up to 8/3.
  static Result<std::unique_ptr<DeviceFrame>> build(std::shared_ptr<Device> device,
                                                    std::uint64_t batch_output_bytes = 0);
  // Whether such a frame is decoded here: of a window up to 128 MiB, without a dictionary, and on a
  // device that the phases fit.
  static bool fits(const FrameHeader& header, const Traits& traits);

  struct Place {
    std::span<const Byte>
        input;  // the host's; the same bytes begin `device_input`, of which whole 16s are read
    std::uint64_t frame_begin = 0;
    std::shared_ptr<Buffer> device_input, output;
    std::uint64_t output_begin = 0,
                  capacity_bytes = 0;  // of the frame's text; whole 16s of it are read
    std::function<Status(std::uint64_t byte)> on_batch =
        {};  // decoded up to this byte of the input; its error ends the decoding
  };
  struct Decoded {
    std::uint64_t output_bytes = 0, frame_end = 0;
  };  // behind the last block: where a checksum of the content is
  // Errors name block and byte: Code::truncated, Code::corrupt, Code::capacity for more text than
  // there is room for. Checksums of contents are the caller's affair.
  Result<Decoded> decode(Queue& queue, const FrameHeader& header, const Place& place);

 private:
  DeviceFrame(std::shared_ptr<Device> device, std::uint64_t batch_output_bytes);
  Status open();
  struct Walk;
  Status enqueue(Queue& queue, const Place& place, Walk& walk);
  Status launch_phases(Queue& queue, const Place& place, const Walk& walk);
  Status finish(Queue& queue, const Place& place, Walk& walk);
  Status error_of(Queue& queue, const Walk& walk, std::uint32_t number);

  std::shared_ptr<Device> device_;
  std::uint64_t batch_output_bytes_ = 0;
  batch::BuiltPhase sequences_, places_, literals_, origins_;
  std::optional<batch::SourceResolver> origin_output_;
  std::unique_ptr<Walk>
      walk_;  // of the last frame: uploads read it, also where decode() ended early
  std::shared_ptr<Buffer> rows_, plans_, list_, origin_words_, state_, streams_, next_block_;
};

}  // namespace penstock::zstd
