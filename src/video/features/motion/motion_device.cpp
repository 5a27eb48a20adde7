#include "video/features/motion/motion_device.hpp"

#include "video/device/stencil_tiles.hpp"
#include "video/features/motion/motion_scores.hpp"

namespace penstock::video {
namespace {

constexpr std::uint32_t taps_of_blur = 5;

// The sum of absolute differences of blurred luma, of the frame and one before.
class DifferenceSum {
 public:
  DifferenceSum(const PictureFormat& format, std::string kernel)
      : format_(format), kernel_(std::move(kernel)) {}

  Status open(Device& device) {
    const std::string bits = "#define PICTURE_BITS " + std::to_string(format_.bits) + "u\n";
    PENSTOCK_ASSIGN(program_, tile_program(device, kernel_, bits + sample_definitions(format_)));
    return {};
  }

  // `before`: null if there is no such frame; then the sum stays 0.
  Status enqueue(Queue& queue, const DeviceFrame& frame, const Buffer* before) {
    if (before == nullptr) return {};
    return queue.launch(
        *program_.program, kernel_, groups(),
        {{Argument::of(*before), Argument::of(frame.reference), Argument::of(frame.sums),
          Argument::value(size()), Argument::value(frame.first_sum)}});
  }
  std::string_view kernel() const { return kernel_; }

 private:
  std::uint64_t size() const { return std::uint64_t{format_.height} << 32 | format_.width; }
  std::uint32_t groups() const {
    return groups_of_tiles(program_, format_.width, format_.height, taps_of_blur, MOTION_TILE_ROWS);
  }

  PictureFormat format_;
  std::string kernel_;
  FrameProgram program_;
};

class DeviceMotion final : public DeviceFeature {
 public:
  DeviceMotion(std::shared_ptr<Device> device, const DeviceLayout& layout,
               const OptionValues& options)
      : device_(std::move(device)),
        difference_(layout.format, "motion_tiles"),
        scores_(layout.format, options) {}
  Status open() { return difference_.open(*device_); }

  std::uint32_t sum_count() const override { return 1; }
  std::uint32_t earlier_frames() const override { return scores_.window(); }
  std::string_view variant() const override { return difference_.kernel(); }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    return difference_.enqueue(queue, frame, frame.earlier_references[scores_.window() - 1]);
  }
  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    scores_.add(sums[0], frame, scores);
    return {};
  }
  Status finish(std::uint64_t frame_count, Scores& scores) override {
    scores_.finish(frame_count, scores);
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  DifferenceSum difference_;
  MotionScores scores_;
};

// A sum is in units of 2^-24: any picture's fits 64 bits, and numbers from 1 on are exact.
class DeviceFloatMotion final : public DeviceFeature {
 public:
  DeviceFloatMotion(std::shared_ptr<Device> device, const DeviceLayout& layout,
                    const OptionValues& options)
      : device_(std::move(device)),
        samples_(static_cast<double>(std::uint64_t{layout.format.width} * layout.format.height)),
        difference_(layout.format, "float_motion_tiles"),
        scores_(options) {}
  Status open() { return difference_.open(*device_); }

  std::uint32_t sum_count() const override { return 1; }
  std::uint32_t earlier_frames() const override { return 1; }
  std::string_view variant() const override { return difference_.kernel(); }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    return difference_.enqueue(queue, frame, frame.earlier_references[0]);
  }
  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    scores_.add(static_cast<double>(sums[0]) / (1 << 24) / samples_, frame, scores);
    return {};
  }
  Status finish(std::uint64_t frame_count, Scores& scores) override {
    scores_.finish(frame_count, scores);
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  double samples_;
  DifferenceSum difference_;
  FloatMotionScores scores_;
};

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_motion(const std::shared_ptr<Device>& device,
                                                          const DeviceLayout& layout,
                                                          const OptionValues& options) {
  return device_feature<DeviceMotion>(device, layout, options);
}

Result<std::unique_ptr<DeviceFeature>> make_device_float_motion(
    const std::shared_ptr<Device>& device, const DeviceLayout& layout,
    const OptionValues& options) {
  return device_feature<DeviceFloatMotion>(device, layout, options);
}

}  // namespace penstock::video
