// MS-SSIM by kernels. Four launches make the levels below the pictures, each from the level above.
// One more launch processes the windows of the pictures, and one the windows of all other levels.
#include "video/features/ssim/ssim_kernels.hpp"
#include "video/features/ssim/ssim_rows.hpp"
#include "video/kernels/window_limits.h"

namespace penstock::video {
namespace {

constexpr std::uint32_t low_pass_group = 128, low_pass_taps = 9, sums_per_level = 3;

struct Level {
  std::uint32_t width, height, first;  // first: the float of its image's buffer
};

class DeviceMsSsim final : public DeviceFeature {
 public:
  DeviceMsSsim(std::shared_ptr<Device> device, const DeviceLayout& layout,
               const OptionValues& options)
      : device_(std::move(device)), format_(layout.format), scores_(format_, options) {
    Level level = {format_.width, format_.height, 0};
    for (Level& at : levels_) {
      at = level;
      if (&at != levels_.data()) level.first += float_pitch(at.width) * at.height;
      level.width = (level.width + 1) / 2, level.height = (level.height + 1) / 2;
    }
    floats_ = level.first;
  }

  Status open() {
    const std::string samples = sample_source(format_), floats = float_source();
    PENSTOCK_TRY(ssim_.open(*device_, samples, SsimSums::terms, format_.width, format_.height, 1));
    PENSTOCK_TRY(ssim_of_levels_.open(*device_, floats, SsimSums::terms, levels_[1].width,
                                      levels_[1].height, ms_ssim_levels - 1));
    const std::string width = ssim_.has_one_width() ? width_definition(format_.width) : "";
    PENSTOCK_ASSIGN(low_pass_, low_pass_program(samples + width));
    PENSTOCK_ASSIGN(low_pass_of_levels_, low_pass_program(floats));
    PENSTOCK_ASSIGN(images_, allocate_images(*device_, floats_));
    return {};
  }

  std::uint32_t sum_count() const override { return sums_per_level * ms_ssim_levels; }
  std::string_view variant() const override { return "low pass and ssim"; }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    PENSTOCK_TRY(halve(queue, low_pass_, frame.reference, frame.distorted, 0));
    for (std::uint32_t level = 1; level + 1 < ms_ssim_levels; level++)
      PENSTOCK_TRY(halve(queue, low_pass_of_levels_, *images_.first, *images_.second, level));
    PENSTOCK_TRY(
        ssim_.enqueue(queue, frame.reference, frame.distorted, frame.sums, frame.first_sum));
    return ssim_of_levels_.enqueue(queue, *images_.first, *images_.second, frame.sums,
                                   frame.first_sum + sums_per_level);
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    constexpr std::uint32_t taps = ssim_window.size();
    MsSsimScores::Levels means;
    for (std::uint32_t i = 0; i < ms_ssim_levels; i++) {
      const auto of_level = sums.subspan(std::size_t{i} * sums_per_level, sums_per_level);
      const std::uint64_t count =
          std::uint64_t{levels_[i].width - taps + 1} * (levels_[i].height - taps + 1);
      means[i].luminance = mean_of_sum(of_level[0], count);
      means[i].contrast = mean_of_lacks(of_level[1], count);
      means[i].structure = mean_of_lacks(of_level[2], count);
    }
    scores_.set(means, frame, scores);
    return {};
  }

 private:
  Result<FrameProgram> low_pass_program(const std::string& source) {
    return frame_program(*device_, "decimate_low_pass.kc", source, low_pass_group);
  }

  // Makes the level below `level` of both images.
  Status halve(Queue& queue, const FrameProgram& program, const Buffer& first, const Buffer& second,
               std::uint32_t level) const {
    const Level &from = levels_[level], &to = levels_[level + 1];
    const std::uint32_t across = WINDOW_WIDTH_OF(program.group_size, low_pass_taps, 2u),
                        down = WINDOW_ROWS_OF(program.group_size);
    const std::uint32_t tiles = ((to.width - 1) / across + 1) * ((to.height - 1) / down + 1);
    const std::array<std::uint32_t, 4> shape = {from.width, from.height, from.first, to.first};
    return queue.launch(*program.program, "decimate_low_pass", 2 * tiles,
                        {{Argument::of(first), Argument::of(second), Argument::of(*images_.first),
                          Argument::of(*images_.second), Argument::value(shape)}});
  }

  std::shared_ptr<Device> device_;
  PictureFormat format_;
  MsSsimScores scores_;
  std::array<Level, ms_ssim_levels> levels_ = {};  // the first is the picture
  std::uint32_t floats_ = 0;
  SsimKernel ssim_, ssim_of_levels_;
  FrameProgram low_pass_, low_pass_of_levels_;
  FloatImages images_;
};

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_float_ms_ssim(
    const std::shared_ptr<Device>& device, const DeviceLayout& layout,
    const OptionValues& options) {
  PENSTOCK_TRY(check_ms_ssim_size(layout.format));
  return device_feature<DeviceMsSsim>(device, layout, options);
}

}  // namespace penstock::video
