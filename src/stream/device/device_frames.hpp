// Frames that a device decodes all at once, each to a text in its memory, which comes from there in
// pieces: ordinary .zst files. The file is uploaded as it lies.
#pragma once
#include <memory>

#include "stream/device/device_batch.hpp"
#include "stream/pipeline/context.hpp"

namespace penstock::stream {

// Of a mapped input, or of a pipe that was held before anything of it was skipped: its bytes on a
// device, uploaded once, and the queue that its frames are decoded on.
class DeviceFile {
 public:
  static Result<std::unique_ptr<DeviceFile>> upload(DeviceRun& run, Input& input);
  std::span<const std::byte> bytes() const { return bytes_; }  // the host's, of the whole file
  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }
  Queue& queue() const { return *queue_; }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<Buffer> buffer_;
  std::unique_ptr<Queue> queue_;  // the last: it waits for what uses the others
};

// What a checksum of the content that the host makes says, of text that comes to it for that in
// pieces.
class OutputCheck {
 public:
  virtual ~OutputCheck() = default;
  virtual void add(std::span<const std::byte> piece) = 0;
  virtual Status chunk_status() const = 0;
};

// What a way's `frame` makes of what stands at the input's position, which it leaves there.
struct FrameOnDevice {
  std::shared_ptr<Buffer> output;
  std::uint64_t bytes = 0;        // of text, from the buffer's beginning
  std::uint64_t input_bytes = 0;  // that the frame takes, with its checksum
  std::unique_ptr<OutputCheck> check =
      {};  // where the device has not checked its content, and there is a checksum
};

// Gives the text of the frame at the input's position, and moves the input behind it at the end.
std::unique_ptr<Decoder> make_frame_decoder(Result<FrameOnDevice> (*frame)(Context& context),
                                            Context& context);
// One text of several frames, by way of the host: `copy` has no places within buffers.
Result<std::shared_ptr<Buffer>> joined_output(DeviceRun& run, std::span<const FrameOnDevice> frames,
                                              std::uint64_t bytes);
// Compares a frame's text on the device with its checksum, where it has one.
Status check_output(DeviceRun& run, const FrameOnDevice& frame);

}  // namespace penstock::stream
