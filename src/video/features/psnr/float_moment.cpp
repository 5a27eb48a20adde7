// First and second moments of luma: the means of samples and of their squares.
#include "video/features/psnr/float_moment.hpp"
#include "video/host/row_sums.hpp"

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
    // Sums of samples are exact, and so are sums of scaled samples: the scale is a power of 2.
    const SampleSums sums = luma_sums(picture);
    const double step = 1u << (picture.format.bits - 8);
    const double count = double{1} * picture.format.width * picture.format.height;
    return {static_cast<double>(sums.sum) / step / count,
            static_cast<double>(sums.squares) / (step * step) / count};
  }
};

}  // namespace

const FeatureRow float_moment_row = {"float_moment",
                                     "means of luma and of its square",
                                     {},
                                     host_feature<HostMoment>,
                                     make_device_float_moment};

}  // namespace penstock::video
