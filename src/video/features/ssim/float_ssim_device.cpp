// SSIM by kernels: one launch that decimates both pictures, where the scale is not 1, and one over
// their windows.
#include "video/features/ssim/ssim_kernels.hpp"
#include "video/features/ssim/ssim_rows.hpp"
#include "video/kernels/box_limits.h"

namespace penstock::video {
namespace {

constexpr std::uint32_t box_group = 128;

class DeviceSsim final : public DeviceFeature {
 public:
  DeviceSsim(std::shared_ptr<Device> device, const DeviceLayout& layout,
             const OptionValues& options)
      : device_(std::move(device)),
        format_(layout.format),
        scores_(format_, options),
        factor_(ssim_factor(format_, options)),
        width_(size_after_box(format_.width, factor_)),
        height_(size_after_box(format_.height, factor_)) {}

  Status open() {
    const SsimSums sums = scores_.has_lcs() ? SsimSums::ssim_and_terms : SsimSums::ssim;
    const std::string source = factor_ == 1 ? sample_source(format_) : float_source();
    PENSTOCK_TRY(ssim_.open(*device_, source, sums, width_, height_, 1));
    return factor_ == 1 ? Status() : open_box();
  }

  std::uint32_t sum_count() const override { return scores_.has_lcs() ? 4 : 1; }
  std::string_view variant() const override { return factor_ == 1 ? "ssim" : "box and ssim"; }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    if (factor_ == 1)
      return ssim_.enqueue(queue, frame.reference, frame.distorted, frame.sums, frame.first_sum);
    const std::array<std::uint32_t, 4> shape = {format_.width, format_.height, width_, height_};
    PENSTOCK_TRY(queue.launch(
        *box_.program, "decimate_box", box_groups_,
        {{Argument::of(frame.reference), Argument::of(frame.distorted),
          Argument::of(*images_.first), Argument::of(*images_.second), Argument::value(shape)}}));
    return ssim_.enqueue(queue, *images_.first, *images_.second, frame.sums, frame.first_sum);
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    const std::uint64_t count = std::uint64_t{width_ - std::uint32_t{ssim_window.size()} + 1} *
                                (height_ - std::uint32_t{ssim_window.size()} + 1);
    SsimMeans means;
    means.ssim = mean_of_lacks(sums[0], count);
    if (scores_.has_lcs()) {
      means.luminance = mean_of_sum(sums[1], count);
      means.contrast = mean_of_lacks(sums[2], count);
      means.structure = mean_of_lacks(sums[3], count);
    }
    scores_.set(means, frame, scores);
    return {};
  }

 private:
  Status open_box() {
    const std::string definitions =
        sample_definitions(format_) + "#define BOX_FACTOR " + std::to_string(factor_) + "u\n";
    PENSTOCK_ASSIGN(box_, frame_program(*device_, "decimate_box.kc", definitions, box_group));
    const std::uint32_t samples_per_word = format_.bits > 8 ? 2 : 4;
    const std::uint32_t part = BOX_PART_OF(box_.group_size, factor_, samples_per_word);
    box_groups_ = 2 * ((width_ - 1) / part + 1) * height_;
    PENSTOCK_ASSIGN(images_,
                    allocate_images(*device_, std::uint64_t{float_pitch(width_)} * height_));
    return {};
  }

  std::shared_ptr<Device> device_;
  PictureFormat format_;
  SsimScores scores_;
  std::uint32_t factor_, width_, height_;  // of what decimation leaves
  SsimKernel ssim_;
  FrameProgram box_;
  std::uint32_t box_groups_ = 0;
  FloatImages images_;
};

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_float_ssim(const std::shared_ptr<Device>& device,
                                                              const DeviceLayout& layout,
                                                              const OptionValues& options) {
  PENSTOCK_TRY(check_ssim_size(layout.format, options));
  return device_feature<DeviceSsim>(device, layout, options);
}

}  // namespace penstock::video
