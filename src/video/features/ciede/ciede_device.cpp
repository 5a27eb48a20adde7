// CIEDE2000 by kernels/ciede2000.kc.
#include <cmath>

#include "video/device/device_feature.hpp"
#include "video/features/ciede/ciede.hpp"

namespace penstock::video {
namespace {

class DeviceCiede final : public DeviceFeature {
 public:
  DeviceCiede(std::shared_ptr<Device> device, const DeviceLayout& layout, const OptionValues&)
      : device_(std::move(device)), layout_(layout) {}

  Status open() {
    const Chroma chroma = layout_.format.chroma;
    const std::string definitions = sample_definitions(layout_.format) + "#define CHROMA_X_SHIFT " +
                                    (chroma == Chroma::c444 ? "0u" : "1u") +
                                    "\n#define CHROMA_Y_SHIFT " +
                                    (chroma == Chroma::c420 ? "1u" : "0u") + "\n";
    PENSTOCK_ASSIGN(program_,
                    frame_program(*device_, "ciede2000.kc", definitions, threads_of_group));
    return {};
  }

  std::uint32_t sum_count() const override { return 1; }
  std::string_view variant() const override { return "ciede2000"; }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    const PictureFormat& format = layout_.format;
    const std::array<std::uint32_t, 4> planes = {format.width, plane_width(format, 1),
                                                 layout_.first_sample(1), layout_.first_sample(2)};
    const std::uint64_t cells = std::uint64_t{plane_width(format, 1)} * plane_height(format, 1);
    return queue.launch(*program_.program, "ciede2000", program_.groups_for(cells),
                        {{Argument::of(frame.reference), Argument::of(frame.distorted),
                          Argument::of(frame.sums), Argument::value(planes),
                          Argument::value(format.height), Argument::value(frame.first_sum)}});
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    constexpr double unit = 1 / (4294967296.0 * 0.004875);  // kernels/ciede2000.kc
    const double pixels = double{1} * layout_.format.width * layout_.format.height;
    scores.set("ciede2000", frame,
               45 - 20 * std::log10(static_cast<double>(sums[0]) * unit / pixels));
    return {};
  }

 private:
  // So that the groups of a GPU run at once: the kernel has too many registers for 256 threads.
  static constexpr std::uint32_t threads_of_group = 128;

  std::shared_ptr<Device> device_;
  DeviceLayout layout_;
  FrameProgram program_;
};

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_ciede(const std::shared_ptr<Device>& device,
                                                         const DeviceLayout& layout,
                                                         const OptionValues& options) {
  if (layout.format.chroma == Chroma::none)
    return Status(Code::invalid, "ciede needs chroma planes");
  return device_feature<DeviceCiede>(device, layout, options);
}

}  // namespace penstock::video
