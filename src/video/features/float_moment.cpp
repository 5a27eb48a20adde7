// First and second moments of luma: the means of samples and of their squares.
#include "video/features/float_moment.hpp"
#include "video/host/image.hpp"

namespace penstock::video {
namespace {

class HostMoment final : public HostFeature {
 public:
  HostMoment(const PictureFormat&, const OptionValues&) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    const auto a = moments(reference), b = moments(distorted);
    scores.set("float_moment_ref1st", frame, a[0]);
    scores.set("float_moment_dis1st", frame, b[0]);
    scores.set("float_moment_ref2nd", frame, a[1]);
    scores.set("float_moment_dis2nd", frame, b[1]);
    return {};
  }

 private:
  static std::array<double, 2> moments(const Picture& picture) {
    const auto image = floats_of(picture, 0);
    std::array<double, 2> sums = {};
    for (const float value : image.values) {
      sums[0] += value;
      sums[1] += double{value} * value;
    }
    const auto count = static_cast<double>(image.values.size());
    return {sums[0] / count, sums[1] / count};
  }
};

}  // namespace

const FeatureRow float_moment_row = {"float_moment",
                                     "means of luma and of its square",
                                     {},
                                     host_feature<HostMoment>,
                                     make_device_float_moment};

}  // namespace penstock::video
