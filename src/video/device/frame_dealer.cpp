#include "video/device/frame_dealer.hpp"

#include <algorithm>

namespace penstock::video {
namespace {

// Frames that follow each other on one device where features read earlier ones. Each run uploads
// max_earlier_frames more: a quarter with 8. Pinned memory holds two runs, so that large frames
// have shorter ones.
std::uint64_t frames_per_run(const DeviceLayout& layout) {
  constexpr std::uint64_t max_run_frames = 8, max_pinned_bytes = std::uint64_t{1} << 29;
  const std::uint64_t slots = max_pinned_bytes / (2 * layout.bytes + 1);
  const std::uint64_t of_a_run = slots / 2 - std::min<std::uint64_t>(slots / 2, max_earlier_frames);
  return std::clamp<std::uint64_t>(of_a_run, max_earlier_frames, max_run_frames);
}

// 16 threads filled the link of one GPU, and 48 threads read as fast as the links of four.
unsigned reading_threads(std::size_t devices) {
  constexpr std::size_t of_a_device = 16, max_threads = 48;
  return static_cast<unsigned>(std::clamp<std::size_t>(
      devices * of_a_device, 1, std::min<std::size_t>(max_threads, host_core_count())));
}

bool reads_earlier_frames(const DealtDevice& device) {
  return std::ranges::any_of(
      device.features, [](const RingFeature& each) { return each.feature->earlier_frames() > 0; });
}

}  // namespace

Result<std::unique_ptr<FrameDealer>> FrameDealer::create(std::vector<DealtDevice> devices,
                                                         const DeviceLayout& layout,
                                                         FrameRing::Read read,
                                                         std::unique_ptr<Queue> callers_queue,
                                                         ScorerCounts& counts) {
  std::unique_ptr<FrameDealer> dealer(new FrameDealer(std::move(read)));
  PENSTOCK_TRY(dealer->open(std::move(devices), layout, std::move(callers_queue), counts));
  return dealer;
}

Status FrameDealer::open(std::vector<DealtDevice> devices, const DeviceLayout& layout,
                         std::unique_ptr<Queue> callers_queue, ScorerCounts& counts) {
  has_earlier_frames_ = devices.size() > 1 && reads_earlier_frames(devices[0]);
  if (has_earlier_frames_) run_frames_ = frames_per_run(layout);
  readers_ = std::make_unique<PieceWorkers>(reading_threads(devices.size()));
  // While one device processes a run, the next run fills its ring.
  const std::uint64_t min_slots = has_earlier_frames_ ? 2 * (run_frames_ + max_earlier_frames) : 0;
  for (DealtDevice& each : devices) {
    const std::string name = each.device->traits().id;
    PENSTOCK_ASSIGN(auto ring,
                    FrameRing::create(
                        std::move(each.device), layout, std::move(each.features),
                        [this](std::uint64_t frame, std::span<const std::uint64_t> sums) {
                          return take(frame, sums);
                        },
                        std::move(callers_queue), counts, *readers_, min_slots));
    shares_.push_back({name, std::move(ring)});
  }
  return {};
}

Status FrameDealer::named(const Share& share, Status status) const {
  return shares_.size() > 1 ? std::move(status).with(share.device) : status;
}

Status FrameDealer::add(const Picture& reference, const Picture& distorted, std::uint64_t number) {
  const std::uint64_t run = dealt_ / run_frames_;
  const Share& share = shares_[run % shares_.size()];
  const Share& next = shares_[(run + 1) % shares_.size()];
  unread_.push_back(number);
  if (Status added = share.ring->add(reference, distorted, number); !added.ok()) {
    unread_.pop_back();  // refused: the caller may add another in its place, or the scoring ends
    return named(share, std::move(added));
  }
  const std::uint64_t left_of_run = run_frames_ - 1 - dealt_ % run_frames_;
  dealt_++;
  if (!has_earlier_frames_ || left_of_run >= max_earlier_frames) return {};
  return named(next, next.ring->add_unscored(reference, distorted));
}

Status FrameDealer::add(const DevicePicture& reference, const DevicePicture& distorted,
                        std::uint64_t number) {
  unread_.push_back(number);
  return shares_[0].ring->add(reference, distorted, number);
}

Status FrameDealer::take(std::uint64_t number, std::span<const std::uint64_t> sums) {
  if (number != unread_.front()) {
    early_.try_emplace(number, sums.begin(), sums.end());
    return {};
  }
  PENSTOCK_TRY(read_(number, sums));
  unread_.pop_front();
  for (auto next = early_.begin(); next != early_.end() && next->first == unread_.front();) {
    PENSTOCK_TRY(read_(next->first, next->second));
    unread_.pop_front();
    next = early_.erase(next);
  }
  return {};
}

Status FrameDealer::finish() {
  for (const Share& share : shares_) PENSTOCK_TRY(named(share, share.ring->finish()));
  return {};
}

}  // namespace penstock::video
