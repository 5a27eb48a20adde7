// Deals the frames of a video to several devices, a ring of frames each, and reads their sums in
// the order of frames. One device gets all of them.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "video/device/frame_ring.hpp"

namespace penstock::video {

// A device, and its features: the same ones in the same order on every device.
struct DealtDevice {
  std::shared_ptr<Device> device;
  std::vector<RingFeature> features;
};

class FrameDealer {
 public:
  // `read`: takes a frame's sums, in the order of frames, whichever device computed them.
  // `callers_queue`: of one device alone, or null.
  static Result<std::unique_ptr<FrameDealer>> create(std::vector<DealtDevice> devices,
                                                     const DeviceLayout& layout,
                                                     FrameRing::Read read,
                                                     std::unique_ptr<Queue> callers_queue,
                                                     ScorerCounts& counts);
  FrameDealer(const FrameDealer&) = delete;
  FrameDealer& operator=(const FrameDealer&) = delete;

  // An error begins with the device's name where there are several.
  Status add(const Picture& reference, const Picture& distorted, std::uint64_t number);
  // For a single device.
  Status add(const DevicePicture& reference, const DevicePicture& distorted, std::uint64_t number);
  Status finish();  // waits for every frame and reads it

 private:
  struct Share {
    std::string device;  // as errors name it
    std::unique_ptr<FrameRing> ring;
  };

  explicit FrameDealer(FrameRing::Read read) : read_(std::move(read)) {}
  Status open(std::vector<DealtDevice> devices, const DeviceLayout& layout,
              std::unique_ptr<Queue> callers_queue, ScorerCounts& counts);
  Status named(const Share& share, Status status) const;
  // Keeps a frame's sums until the sums of all earlier frames were read.
  Status take(std::uint64_t number, std::span<const std::uint64_t> sums);

  FrameRing::Read read_;
  std::uint64_t run_frames_ = 1;
  bool has_earlier_frames_ = false;
  std::uint64_t dealt_ = 0;
  std::deque<std::uint64_t> unread_;                           // numbers of frames, in their order
  std::map<std::uint64_t, std::vector<std::uint64_t>> early_;  // sums by the frame's number
  std::unique_ptr<PieceWorkers> readers_;
  std::vector<Share> shares_;  // last: its work uses the members above
};

}  // namespace penstock::video
