// VIF of a frame in the device's memory. Groups of threads go through the frame's tiles.
#include <cmath>

#include "bench/tuning/tuned_work.hpp"
#include "testdata/video_clips.hpp"
#include "video/device/device_feature.hpp"

namespace penstock::bench {
namespace {

using namespace video;

constexpr PictureFormat tuned_format = {.width = 1920, .height = 1080};

class VifWork final : public TunedWork {
 public:
  Status open(const std::shared_ptr<Device>& device) {
    device_ = device;
    PENSTOCK_ASSIGN(layout_, device_layout(tuned_format));
    PENSTOCK_ASSIGN(options_, OptionValues::parse(vif_row.name, vif_row.options, {}));
    frame_ = ClipMaker(tuned_format, ClipKind::scene).frame(0);
    PENSTOCK_ASSIGN(const Picture reference, picture_of(tuned_format, frame_.reference));
    PENSTOCK_ASSIGN(const Picture distorted, picture_of(tuned_format, frame_.distorted));
    std::vector<std::byte> packed(2 * layout_.bytes);
    PENSTOCK_TRY(pack(reference, distorted, layout_, packed.data()));
    PENSTOCK_ASSIGN(queue_, device->queue());
    PENSTOCK_ASSIGN(reference_, device->allocate(layout_.bytes));
    PENSTOCK_ASSIGN(distorted_, device->allocate(layout_.bytes));
    PENSTOCK_TRY(queue_->upload(*reference_, packed.data(), layout_.bytes));
    PENSTOCK_TRY(queue_->upload(*distorted_, packed.data() + layout_.bytes, layout_.bytes));
    PENSTOCK_TRY(queue_->finish());
    PENSTOCK_ASSIGN(const auto host, vif_row.host(tuned_format, options_));
    PENSTOCK_TRY(host->add(reference, distorted, 0, wanted_));
    return host->finish(1, wanted_);
  }
  Status build() override {
    PENSTOCK_ASSIGN(feature_, vif_row.device(device_, layout_, options_));
    sums_.assign(feature_->sum_count(), 0);
    PENSTOCK_ASSIGN(device_sums_, device_->allocate(sums_.size() * 8));
    return {};
  }
  Result<double> run_seconds() override {
    PENSTOCK_TRY(queue_->fill(*device_sums_, 0, sums_.size() * 8));
    return seconds_on(*queue_, [&] {
      return feature_->enqueue(*queue_, {*reference_, *distorted_, {}, *device_sums_, 0});
    });
  }
  Status verify() override {
    PENSTOCK_TRY(run_seconds());
    PENSTOCK_TRY(queue_->download(sums_.data(), *device_sums_, sums_.size() * 8));
    PENSTOCK_TRY(queue_->finish());
    Scores scores;
    PENSTOCK_TRY(feature_->read(sums_, 0, scores));
    PENSTOCK_TRY(feature_->finish(1, scores));
    constexpr double bound = 1e-6;
    for (const std::string& key : wanted_.keys()) {
      const auto wanted = wanted_.value(key, 0), got = scores.value(key, 0);
      if (!got || !(std::abs(*got - *wanted) <= bound))
        return {Code::internal, "the score " + key + " is wrong"};
    }
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  DeviceLayout layout_;
  OptionValues options_;
  ClipMaker::Frame frame_;
  Scores wanted_;
  std::unique_ptr<DeviceFeature> feature_;
  std::vector<std::uint64_t> sums_;
  std::shared_ptr<Buffer> reference_, distorted_, device_sums_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace

Result<std::unique_ptr<TunedWork>> open_vif(const std::shared_ptr<Device>& device) {
  auto work = std::make_unique<VifWork>();
  PENSTOCK_TRY(work->open(device));
  return std::unique_ptr<TunedWork>(std::move(work));
}

}  // namespace penstock::bench
