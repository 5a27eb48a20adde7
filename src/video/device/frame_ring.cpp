#include "video/device/frame_ring.hpp"

#include <algorithm>
#include <utility>

#include "base/exception_boundary.hpp"
#include "video/device/frame_pieces.hpp"

namespace penstock::video {
namespace {

// The host waits once for half the slots; of memory that it shares with the device, for motion,
// more often where slots are few. With more slots there are fewer waits, and small frames keep a
// device busy; pinning memory costs a millisecond for some 10 MB. Frames of files stay in
// the caches until it is uploaded, if the ring fits there.
constexpr std::uint64_t ring_bytes = 96 << 20, min_ring_slots = 4, max_ring_slots = 32;

// In addition to the frame added last. Each frame is read by several threads; two frames keep the
// link busy while one begins or ends. With three and five slots two H200s scored 2,000 frames of 4K
// a second, with two and four 2,400.
constexpr std::uint64_t frames_read_at_once = 1;

// So many filled the link of an H200.
constexpr std::uint32_t max_reading_threads = 16;

std::uint64_t slot_count(const DeviceLayout& layout) {
  return std::clamp(ring_bytes / (2 * layout.bytes + 1), min_ring_slots, max_ring_slots);
}

}  // namespace

FrameRing::FrameRing(std::shared_ptr<Device> device, const DeviceLayout& layout,
                     std::vector<RingFeature> features, Read read, ScorerCounts& counts)
    : device_(std::move(device)),
      layout_(layout),
      features_(std::move(features)),
      read_(std::move(read)),
      counts_(counts),
      readers_(std::min(max_reading_threads, host_core_count())) {}

Result<std::unique_ptr<FrameRing>> FrameRing::create(std::shared_ptr<Device> device,
                                                     const DeviceLayout& layout,
                                                     std::vector<RingFeature> features, Read read,
                                                     std::unique_ptr<Queue> callers_queue,
                                                     ScorerCounts& counts) {
  std::unique_ptr<FrameRing> ring(
      new FrameRing(std::move(device), layout, std::move(features), std::move(read), counts));
  PENSTOCK_TRY(ring->open(std::move(callers_queue)));
  return ring;
}

Status FrameRing::open(std::unique_ptr<Queue> callers_queue) {
  for (const RingFeature& each : features_) {
    sums_bytes_ += each.feature->sum_count() * sizeof(std::uint64_t);
    has_earlier_frames_ |= each.feature->earlier_frames() > 0;
  }
  PENSTOCK_ASSIGN(repack_,
                  frame_program(*device_, "repack_plane.kc", sample_definitions(layout_.format)));
  if (!callers_queue) { PENSTOCK_ASSIGN(callers_queue, device_->queue()); }
  compute_ = std::make_unique<CountingQueue>(std::move(callers_queue), counts_);
  PENSTOCK_ASSIGN(auto upload, device_->queue());
  upload_ = std::make_unique<CountingQueue>(std::move(upload), counts_);
  slots_.resize(slot_count(layout_));
  return {};
}

// Slots get their memory when a first frame comes to them.
Status FrameRing::open(Slot& slot) {
  PENSTOCK_ASSIGN(slot.sums, device_->allocate(sums_bytes_));
  PENSTOCK_ASSIGN(slot.results, device_->allocate_host(sums_bytes_));
  PENSTOCK_ASSIGN(slot.host, device_->allocate_host(2 * layout_.bytes));
  const bool is_shared = device_->traits().unified_memory;
  const auto planes = [&](std::uint64_t first) -> Result<std::shared_ptr<Buffer>> {
    return is_shared ? device_->wrap_host(slot.host->data() + first, layout_.bytes)
                     : device_->allocate(layout_.bytes);
  };
  PENSTOCK_ASSIGN(slot.reference, planes(0));
  PENSTOCK_ASSIGN(slot.distorted, planes(layout_.bytes));  // last: it says that all are there
  return {};
}

Status FrameRing::add(const DevicePicture& reference, const DevicePicture& distorted,
                      std::uint64_t number) {
  PENSTOCK_TRY(enqueue_all_but(0));
  PENSTOCK_ASSIGN(Slot* const slot, free_slot(number));
  const auto is_laid_out = [&](const DevicePicture& picture) {
    return is_in_layout(picture, layout_);
  };
  if (!has_earlier_frames_ && is_laid_out(reference) && is_laid_out(distorted))
    return enqueue(*slot, *reference.planes[0].buffer, *distorted.planes[0].buffer);
  PENSTOCK_TRY(repack(*slot->reference, reference));
  PENSTOCK_TRY(repack(*slot->distorted, distorted));
  return enqueue(*slot, *slot->reference, *slot->distorted);
}

// A slot's memory may still be read as an earlier frame by the kernels of the next frames: its own
// frame, and those after it, the last of which may be unread. A device that shares it is waited
// for here; upload() has others wait themselves.
Status FrameRing::add(const Picture& reference, const Picture& distorted, std::uint64_t number) {
  PENSTOCK_TRY(failed_);
  PENSTOCK_ASSIGN(Slot* const slot, free_slot(number));
  const bool is_shared = device_->traits().unified_memory;
  if (is_shared && has_earlier_frames_ && begun_ >= slots_.size())
    if (const std::uint64_t last_use = begun_ - slots_.size() + max_earlier_frames;
        last_use >= read_count_)
      PENSTOCK_TRY(read_until(last_use + 1));
  const bool is_stored = reference.stored && distorted.stored;
  if (is_stored)
    PENSTOCK_TRY(catch_exceptions([&] {
      begin_to_read(*slot, reference, distorted);
      return Status();
    }));
  if (is_stored && !is_shared) {
    begun_++;
    return enqueue_all_but(frames_read_at_once);
  }
  PENSTOCK_TRY(enqueue_all_but(0));
  if (!is_stored) PENSTOCK_TRY(pack(reference, distorted, layout_, slot->host->data()));
  return enqueue_next();
}

void FrameRing::begin_to_read(Slot& slot, const Picture& reference, const Picture& distorted) {
  auto pieces = std::make_shared<FramePieces>(reference, distorted, layout_, slot.host->data());
  slot.filling = readers_.begin(pieces->count(),
                                [pieces](std::uint64_t piece) { return pieces->read(piece); });
}

Status FrameRing::enqueue_all_but(std::uint64_t count) {
  PENSTOCK_TRY(failed_);
  while (failed_.ok() && begun_ - added_ > count) failed_ = enqueue_next();
  return failed_;
}

Status FrameRing::enqueue_next() {
  Slot& slot = slot_of(added_);
  if (slot.filling)
    PENSTOCK_TRY(
        std::exchange(slot.filling, {}).wait().with("frame " + std::to_string(slot.number)));
  PENSTOCK_TRY(upload(slot));
  return enqueue(slot, *slot.reference, *slot.distorted);
}

Result<FrameRing::Slot*> FrameRing::free_slot(std::uint64_t number) {
  if (begun_ - read_count_ == slots_.size()) {
    // The caller reads half the frames with one wait, while the device computes the other half.
    const std::uint64_t until = read_count_ + slots_.size() / 2;
    while (added_ < until) PENSTOCK_TRY(enqueue_all_but(begun_ - added_ - 1));
    PENSTOCK_TRY(read_until(until));
  }
  Slot& slot = slot_of(begun_);
  if (!slot.distorted) PENSTOCK_TRY(open(slot));
  slot.number = number;
  return &slot;
}

Status FrameRing::read_until(std::uint64_t frame) {
  counts_.waits++;
  PENSTOCK_TRY(slot_of(frame - 1).done->wait());
  for (; read_count_ < frame; read_count_++) {
    const Slot& slot = slot_of(read_count_);
    PENSTOCK_TRY(read_(slot.number, {reinterpret_cast<const std::uint64_t*>(slot.results->data()),
                                     sums_bytes_ / sizeof(std::uint64_t)}));
  }
  return {};
}

// With four slots the kernels of one frame overlap the upload of the next.
Status FrameRing::upload(Slot& slot) {
  if (device_->traits().unified_memory) return {};
  if (added_ >= slots_.size() && has_earlier_frames_)
    PENSTOCK_TRY(upload_->wait_for(*slot_of(added_ - slots_.size() + max_earlier_frames).done));
  PENSTOCK_TRY(upload_->upload(*slot.reference, slot.host->data(), layout_.bytes));
  PENSTOCK_TRY(upload_->upload(*slot.distorted, slot.host->data() + layout_.bytes, layout_.bytes));
  PENSTOCK_ASSIGN(slot.uploaded, upload_->record());
  PENSTOCK_TRY(upload_->flush());
  return compute_->wait_for(*slot.uploaded);
}

Status FrameRing::repack(const Buffer& to, const DevicePicture& picture) {
  for (std::uint32_t plane = 0; plane < plane_count(layout_.format); plane++) {
    const DevicePlane& from = picture.planes[plane];
    const std::uint32_t width = plane_width(layout_.format, plane),
                        height = plane_height(layout_.format, plane);
    const std::array<std::uint32_t, 4> shape = {
        width, height, static_cast<std::uint32_t>(from.row_bytes / layout_.sample_bytes),
        layout_.first_sample(plane)};
    PENSTOCK_TRY(compute_->launch(
        *repack_.program, "repack_plane", repack_.groups_for(std::uint64_t{width} * height / 8),
        {{Argument::of(*from.buffer), Argument::of(to),
          Argument::value(from.first_byte / layout_.sample_bytes), Argument::value(shape)}}));
  }
  return {};
}

Status FrameRing::enqueue(Slot& slot, const Buffer& reference, const Buffer& distorted) {
  DeviceFrame frame{.reference = reference, .distorted = distorted, .sums = *slot.sums};
  for (std::uint32_t before = 1; before <= std::min<std::uint64_t>(max_earlier_frames, added_);
       before++)
    frame.earlier_references[before - 1] = slot_of(added_ - before).reference.get();
  PENSTOCK_TRY(compute_->fill(*slot.sums, 0, sums_bytes_));
  for (const RingFeature& each : features_) {
    if (each.takes(slot.number)) PENSTOCK_TRY(each.feature->enqueue(*compute_, frame));
    frame.first_sum += each.feature->sum_count();
  }
  PENSTOCK_TRY(compute_->download(slot.results->data(), *slot.sums, sums_bytes_));
  return end_of_frame(slot);
}

Status FrameRing::end_of_frame(Slot& slot) {
  PENSTOCK_ASSIGN(slot.done, compute_->record());
  added_++;
  begun_ = std::max(begun_, added_);
  return compute_->flush();
}

Status FrameRing::finish() {
  PENSTOCK_TRY(enqueue_all_but(0));
  return read_count_ < added_ ? read_until(added_) : Status();
}

}  // namespace penstock::video
