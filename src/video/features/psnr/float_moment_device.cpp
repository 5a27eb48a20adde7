// Moments of luma by kernels/moments.kc: exact sums of samples and of their squares.
#include "video/device/device_feature.hpp"
#include "video/features/psnr/float_moment.hpp"

namespace penstock::video {
namespace {

class DeviceMoment final : public DeviceFeature {
 public:
  DeviceMoment(std::shared_ptr<Device> device, const DeviceLayout& layout, const OptionValues&)
      : device_(std::move(device)), layout_(layout) {}
  Status open() {
    PENSTOCK_ASSIGN(program_,
                    frame_program(*device_, "moments.kc", sample_definitions(layout_.format)));
    return {};
  }

  std::uint32_t sum_count() const override { return 4; }  // two of either picture
  std::string_view variant() const override { return "moments"; }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    PENSTOCK_TRY(launch(queue, frame.reference, frame.sums, frame.first_sum));
    return launch(queue, frame.distorted, frame.sums, frame.first_sum + 2);
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    const PictureFormat& format = layout_.format;
    const double samples = double{1} * format.width * format.height,
                 scale = 1u << (format.bits - 8);
    const auto set = [&](const char* key, std::uint64_t sum, double unit) {
      scores.set(key, frame, static_cast<double>(sum) / unit / samples);
    };
    set("float_moment_ref1st", sums[0], scale);
    set("float_moment_dis1st", sums[2], scale);
    set("float_moment_ref2nd", sums[1], scale * scale);
    set("float_moment_dis2nd", sums[3], scale * scale);
    return {};
  }

 private:
  Status launch(Queue& queue, const Buffer& picture, const Buffer& sums, std::uint32_t first_sum) {
    const std::uint32_t first_word = 0, words = layout_.words(0);
    return queue.launch(*program_.program, "moments", program_.groups_for(words / 4),
                        {{Argument::of(picture), Argument::of(sums), Argument::value(first_word),
                          Argument::value(words), Argument::value(first_sum)}});
  }

  std::shared_ptr<Device> device_;
  DeviceLayout layout_;
  FrameProgram program_;
};

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_float_moment(
    const std::shared_ptr<Device>& device, const DeviceLayout& layout,
    const OptionValues& options) {
  return device_feature<DeviceMoment>(device, layout, options);
}

}  // namespace penstock::video
