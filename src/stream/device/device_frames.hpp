// Frames that a device decodes all at once, each into a buffer of its memory: ordinary .zst files.
// The file is uploaded as it lies.
#pragma once
#include <memory>

#include "stream/device/device_session.hpp"
#include "stream/pipeline/context.hpp"

namespace penstock::stream {

// The rest of an input that is in memory, on a device. It is uploaded once. Has the queue on which
// the frames are decoded.
class UploadedInput {
 public:
  static Result<std::unique_ptr<UploadedInput>> upload(DeviceSession& session, Input& input);
  std::span<const std::byte> bytes() const { return bytes_; }  // the host's
  std::uint64_t begin() const { return begin_; }               // of the first of them, in the input
  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }
  Queue& queue() const { return *queue_; }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t begin_ = 0;
  std::shared_ptr<Buffer> buffer_;
  std::unique_ptr<Queue> queue_;  // last: it waits for work that uses the other members
};

// A checksum that the host computes from the output, part by part.
class ContentChecksum {
 public:
  virtual ~ContentChecksum() = default;
  virtual void add(std::span<const std::byte> part) = 0;
  // Compares the checksum of all parts with the file's.
  virtual Status check() const = 0;
};

struct DecodedFrame {
  std::shared_ptr<Buffer> output;
  std::uint64_t bytes = 0;        // of output, from the buffer's beginning
  std::uint64_t input_bytes = 0;  // of the frame, with its checksum
  // Null if there is no checksum, or the device has verified it.
  std::unique_ptr<ContentChecksum> checksum = {};
};

// Returns a decoder of the frame at the input's position, which is skipped at the end.
std::unique_ptr<Decoder> make_frame_decoder(Result<DecodedFrame> (*decode)(Context& context),
                                            Context& context);
// Copies several frames into one buffer, by way of the host: a device's copies within its memory
// take whole buffers.
Result<std::shared_ptr<Buffer>> joined_output(DeviceSession& session,
                                              std::span<const DecodedFrame> frames,
                                              std::uint64_t bytes);
// Verifies a frame's checksum, where it has one.
Status check_output(DeviceSession& session, const DecodedFrame& frame);

}  // namespace penstock::stream
