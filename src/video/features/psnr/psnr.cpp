// PSNR of each plane, from exact sums of squared differences.
#include "video/features/psnr/psnr.hpp"

#include <algorithm>
#include <cmath>

#include "video/device/device_feature.hpp"
#include "video/host/row_sums.hpp"

namespace penstock::video {
namespace {

constexpr std::array<std::string_view, 3> plane_names = {"y", "cb", "cr"};

class HostPsnr final : public HostFeature {
 public:
  HostPsnr(const PictureFormat& format, const OptionValues& options)
      : scale_(format, options), planes_(options.flag("enable_chroma") ? plane_count(format) : 1) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    for (std::uint32_t plane = 0; plane < planes_; plane++)
      scale_.set(plane, squared_error(reference, distorted, plane), frame, scores);
    return {};
  }

  Status finish(std::uint64_t frame_count, Scores& scores) override {
    for (std::uint32_t plane = 0; plane < planes_; plane++)
      scale_.set_aggregate(plane, frame_count, scores);
    return {};
  }

 private:
  PsnrScale scale_;
  std::uint32_t planes_;
};

class DevicePsnr final : public DeviceFeature {
 public:
  DevicePsnr(std::shared_ptr<Device> device, const DeviceLayout& layout,
             const OptionValues& options)
      : device_(std::move(device)),
        layout_(layout),
        scale_(layout.format, options),
        planes_(options.flag("enable_chroma") ? plane_count(layout.format) : 1) {
    for (std::uint32_t plane = 0; plane < planes_; plane++) words_[plane] = layout.words(plane);
  }
  Status open() {
    PENSTOCK_ASSIGN(
        program_, frame_program(*device_, "squared_error.kc", sample_definitions(layout_.format)));
    return {};
  }

  std::uint32_t sum_count() const override { return 3; }
  std::string_view variant() const override { return "squared_error"; }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    const std::uint32_t groups = program_.groups_for(words_[0] / 4);
    return queue.launch(
        *program_.program, "squared_error", groups,
        {{Argument::of(frame.reference), Argument::of(frame.distorted), Argument::of(frame.sums),
          Argument::value(words_), Argument::value(frame.first_sum)}});
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    for (std::uint32_t plane = 0; plane < planes_; plane++)
      scale_.set(plane, sums[plane], frame, scores);
    return {};
  }

  Status finish(std::uint64_t frame_count, Scores& scores) override {
    for (std::uint32_t plane = 0; plane < planes_; plane++)
      scale_.set_aggregate(plane, frame_count, scores);
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  DeviceLayout layout_;
  PsnrScale scale_;
  std::uint32_t planes_;
  std::array<std::uint32_t, 4> words_ = {};
  FrameProgram program_;
};

constexpr OptionRow psnr_options[] = {
    {.name = "enable_chroma", .initial = 1, .help = "also of the chroma planes"},
    {.name = "enable_mse", .help = "also the mean squared error: mse_y, mse_cb, mse_cr"},
    {.name = "enable_apsnr", .help = "also the PSNR of the whole video: apsnr_y, ..."},
    {.name = "reduced_hbd_peak", .help = "the peak of 8 bits, scaled, for samples of more bits"},
    {.name = "min_sse",
     .kind = OptionKind::number,
     .help = "the least sum of squared errors, which bounds the score"}};

}  // namespace

PsnrScale::PsnrScale(const PictureFormat& format, const OptionValues& options)
    : format_(format),
      has_mse_(options.flag("enable_mse")),
      has_apsnr_(options.flag("enable_apsnr")) {
  const double full = static_cast<double>((1u << format.bits) - 1);
  peak_ = options.flag("reduced_hbd_peak") ? static_cast<double>(255u << (format.bits - 8)) : full;
  const double min_sse = options.number("min_sse");
  for (std::uint32_t plane = 0; plane < plane_count(format); plane++)
    caps_[plane] = min_sse > 0
                       ? std::ceil(10 * std::log10(peak_ * peak_ / (min_sse / samples(plane))))
                       : 6.0 * format.bits + 12;
}

double PsnrScale::samples(std::uint32_t plane) const {
  return static_cast<double>(std::uint64_t{plane_width(format_, plane)} *
                             plane_height(format_, plane));
}

void PsnrScale::set(std::uint32_t plane, std::uint64_t squared_error, std::uint64_t frame,
                    Scores& scores) {
  const double mean = static_cast<double>(squared_error) / samples(plane);
  const double score = 10 * std::log10(peak_ * peak_ / std::max(mean, 1e-16));
  const std::string name(plane_names[plane]);
  scores.set("psnr_" + name, frame, std::min(score, caps_[plane]));
  if (has_mse_) scores.set("mse_" + name, frame, mean);
  squared_errors_[plane] += squared_error;
}

void PsnrScale::set_aggregate(std::uint32_t plane, std::uint64_t frame_count,
                              Scores& scores) const {
  if (!has_apsnr_ || frame_count == 0) return;
  const double all = samples(plane) * static_cast<double>(frame_count);
  const double cap = std::ceil(10 * std::log10(peak_ * peak_ * all * 2));
  const double score = 10 * (std::log10(peak_ * peak_) + std::log10(all) -
                             std::log10(static_cast<double>(squared_errors_[plane])));
  scores.set_aggregate("apsnr_" + std::string(plane_names[plane]), std::min(score, cap));
}

const FeatureRow psnr_row = {.name = "psnr",
                             .summary = "peak signal-to-noise ratio of each plane",
                             .options = psnr_options,
                             .host = host_feature<HostPsnr>,
                             .device = device_feature<DevicePsnr>,
                             .takes_every_frame = true};

}  // namespace penstock::video
