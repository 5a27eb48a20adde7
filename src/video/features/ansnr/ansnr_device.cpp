#include "video/features/ansnr/ansnr_device.hpp"

#include "video/device/stencil_tiles.hpp"
#include "video/features/ansnr/ansnr_scores.hpp"

namespace penstock::video {
namespace {

constexpr std::uint32_t parts_of_sum = 3, taps = 5;

// A sum's parts are in units of 2^-14, 2^-46 and 2^-78 (kernels/ansnr_tiles.kc).
double number_of_parts(std::span<const std::uint64_t> parts) {
  double sum = 0;
  for (std::uint32_t i = 0; i < parts_of_sum; i++)
    sum += std::ldexp(static_cast<double>(parts[i]), -14 - 32 * static_cast<int>(i));
  return sum;
}

class DeviceAnsnr final : public DeviceFeature {
 public:
  DeviceAnsnr(std::shared_ptr<Device> device, const DeviceLayout& layout, const OptionValues&)
      : device_(std::move(device)), format_(layout.format), scores_(layout.format) {}
  Status open() {
    PENSTOCK_ASSIGN(program_, tile_program(*device_, "ansnr_tiles", sample_definitions(format_)));
    return {};
  }

  std::uint32_t sum_count() const override { return 2 * parts_of_sum; }
  std::string_view variant() const override { return "ansnr_tiles"; }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    const std::uint32_t groups =
        groups_of_tiles(program_, format_.width, format_.height, taps, ANSNR_TILE_ROWS);
    const std::uint64_t size = std::uint64_t{format_.height} << 32 | format_.width;
    return queue.launch(
        *program_.program, "ansnr_tiles", groups,
        {{Argument::of(frame.reference), Argument::of(frame.distorted), Argument::of(frame.sums),
          Argument::value(size), Argument::value(frame.first_sum)}});
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    scores_.set(number_of_parts(sums.first(parts_of_sum)),
                number_of_parts(sums.subspan(parts_of_sum, parts_of_sum)), frame, scores);
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  PictureFormat format_;
  AnsnrScores scores_;
  FrameProgram program_;
};

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_ansnr(const std::shared_ptr<Device>& device,
                                                         const DeviceLayout& layout,
                                                         const OptionValues& options) {
  return device_feature<DeviceAnsnr>(device, layout, options);
}

}  // namespace penstock::video
