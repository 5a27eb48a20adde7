// Frames on their way through a device: uploads of some overlap the kernels of others, and the host
// waits for several at once.
//
// Other threads read frames stored in files into pinned memory, several at once, while the caller
// goes on. All other frames have been copied when add() returns; so have all frames on a device
// that shares the host's memory.
//
// A slot holds a frame of both videos in pinned and in device memory, its sums, and the event after
// which the sums can be read. A device that shares the host's memory reads the pinned memory
// itself.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "base/piece_workers.hpp"
#include "video/device/counting_queue.hpp"
#include "video/device/device_feature.hpp"

namespace penstock::video {

// A feature. It scores the frames with numbers divisible by `every`.
struct RingFeature {
  DeviceFeature* feature = nullptr;
  std::uint64_t every = 1;
  bool takes(std::uint64_t frame) const { return frame % every == 0; }
};

class FrameRing {
 public:
  // Takes a frame's sums; called in the order of frames.
  using Read = std::function<Status(std::uint64_t frame, std::span<const std::uint64_t> sums)>;
  static Result<std::unique_ptr<FrameRing>> create(std::shared_ptr<Device> device,
                                                   const DeviceLayout& layout,
                                                   std::vector<RingFeature> features, Read read,
                                                   std::unique_ptr<Queue> callers_queue,
                                                   ScorerCounts& counts);
  // `number`: the frame's in the video. Features of earlier frames are given every frame.
  Status add(const Picture& reference, const Picture& distorted, std::uint64_t number);
  Status add(const DevicePicture& reference, const DevicePicture& distorted, std::uint64_t number);
  Status finish();  // waits for every frame and reads it

 private:
  struct Slot {
    std::shared_ptr<HostBuffer> host;  // the reference's planes, then the distorted picture's
    std::shared_ptr<Buffer> reference, distorted, sums;
    std::shared_ptr<HostBuffer> results;
    std::shared_ptr<Event> uploaded, done;
    std::uint64_t number = 0;
    PieceJob filling;  // of `host`; last: it uses the others
  };

  FrameRing(std::shared_ptr<Device> device, const DeviceLayout& layout,
            std::vector<RingFeature> features, Read read, ScorerCounts& counts);
  Status open(std::unique_ptr<Queue> callers_queue);
  Status open(Slot& slot);
  Slot& slot_of(std::uint64_t frame) { return slots_[frame % slots_.size()]; }
  // Returns the slot of the next frame, with memory, once what it held has been read.
  Result<Slot*> free_slot(std::uint64_t number);
  Status read_until(std::uint64_t frame);
  void begin_to_read(Slot& slot, const Picture& reference, const Picture& distorted);
  // Enqueues the frames that have begun, except this many of the last.
  Status enqueue_all_but(std::uint64_t count);
  Status enqueue_next();
  Status upload(Slot& slot);
  Status repack(const Buffer& to, const DevicePicture& picture);
  Status enqueue(Slot& slot, const Buffer& reference, const Buffer& distorted);
  Status end_of_frame(Slot& slot);

  std::shared_ptr<Device> device_;
  DeviceLayout layout_;
  std::vector<RingFeature> features_;
  Read read_;
  ScorerCounts& counts_;
  PieceWorkers readers_;  // of frames that files store
  bool has_earlier_frames_ = false;
  std::uint64_t sums_bytes_ = 0;
  FrameProgram repack_;
  std::vector<Slot> slots_;
  std::unique_ptr<Queue> compute_, upload_;               // wait for the work on the memory above
  std::uint64_t begun_ = 0, added_ = 0, read_count_ = 0;  // frames; added_ of them are enqueued
  Status failed_;  // of a frame that had begun: its number is taken
};

}  // namespace penstock::video
