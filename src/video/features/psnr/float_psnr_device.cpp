// PSNR of luma by kernels/squared_error.kc: the sum of squared differences is exact, whatever the
// samples' range.
#include <algorithm>
#include <cmath>

#include "video/device/device_feature.hpp"
#include "video/features/psnr/float_psnr.hpp"

namespace penstock::video {
namespace {

class DeviceFloatPsnr final : public DeviceFeature {
 public:
  DeviceFloatPsnr(std::shared_ptr<Device> device, const DeviceLayout& layout, const OptionValues&)
      : device_(std::move(device)), layout_(layout) {}
  Status open() {
    PENSTOCK_ASSIGN(
        program_, frame_program(*device_, "squared_error.kc", sample_definitions(layout_.format)));
    return {};
  }

  std::uint32_t sum_count() const override { return 3; }  // the kernel's, two of them 0
  std::string_view variant() const override { return "squared_error"; }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    const std::array<std::uint32_t, 4> words = {layout_.words(0)};
    return queue.launch(
        *program_.program, "squared_error", program_.groups_for(words[0] / 4),
        {{Argument::of(frame.reference), Argument::of(frame.distorted), Argument::of(frame.sums),
          Argument::value(words), Argument::value(frame.first_sum)}});
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    const PictureFormat& format = layout_.format;
    const double samples = double{1} * format.width * format.height,
                 scale = 1u << (format.bits - 8), peak = ((1u << format.bits) - 1) / scale;
    const double noise = static_cast<double>(sums[0]) / (scale * scale) / samples;
    const double score = 10 * std::log10(peak * peak / std::max(noise, 1e-10));
    scores.set("float_psnr", frame, std::min(score, 6.0 * format.bits + 12));
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  DeviceLayout layout_;
  FrameProgram program_;
};

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_float_psnr(const std::shared_ptr<Device>& device,
                                                              const DeviceLayout& layout,
                                                              const OptionValues& options) {
  return device_feature<DeviceFloatPsnr>(device, layout, options);
}

}  // namespace penstock::video
