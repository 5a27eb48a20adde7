// A feature by kernels: it enqueues a frame's work and reads the frame's sums later, so that the
// host waits for several frames at once.
#pragma once
#include "video/device/device_picture.hpp"
#include "video/feature.hpp"

namespace penstock::video {

class DeviceFeature {
 public:
  virtual ~DeviceFeature() = default;
  // The number of sums of a frame.
  virtual std::uint32_t sum_count() const = 0;
  // The number of earlier references that enqueue() reads, at most max_earlier_frames.
  virtual std::uint32_t earlier_frames() const { return 0; }
  // Enqueues the kernels of a frame. It only waits for CAMBI's heat maps. Frames come in order, so
  // every frame may reuse the feature's own memory.
  virtual Status enqueue(Queue& queue, const DeviceFrame& frame) = 0;
  // Sets the scores of a frame from its sums. Frames come in order.
  virtual Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) = 0;
  // After the last frame.
  virtual Status finish(std::uint64_t, Scores&) { return {}; }
  // The kernel that ran, for reports: "ssim_tiles".
  virtual std::string_view variant() const = 0;
};

}  // namespace penstock::video
