#include <cstdio>

#include "video/device/stencil_tiles.hpp"
#include "video/features/vif/vif.hpp"
#include "video/features/vif/vif_device.hpp"

namespace penstock::video {
namespace {

constexpr std::uint32_t float_sums_of_scale = 2, threads_of_float_tile = 128;

// The lines that define a filter for kernels, to the last bit: "#define TAPS 3u", ...
std::string filter_definitions(const std::string& prefix, std::uint32_t taps) {
  std::string weights;
  for (const float weight : float_vif_gaussian(taps)) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9ef, ", static_cast<double>(weight));
    weights += digits;
  }
  weights.resize(weights.size() - 2);
  return "#define " + prefix + "TAPS " + std::to_string(taps) + "u\n#define VIF_" + prefix +
         "WEIGHTS " + weights + "\n";
}

class DeviceFloatVif final : public DeviceFeature {
 public:
  DeviceFloatVif(std::shared_ptr<Device> device, const DeviceLayout& layout,
                 const OptionValues& options)
      : device_(std::move(device)),
        format_(layout.format),
        scores_(options, "vif"),
        gain_limit_(static_cast<float>(options.number("vif_enhn_gain_limit"))) {}

  Status open() {
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
      std::string definitions = "#define VIF_SCALE " + std::to_string(scale) + "\n" +
                                sample_definitions(format_) +
                                filter_definitions("", vif_taps[scale]);
      if (scale + 1 < vif_scale_count)
        definitions += filter_definitions("NEXT_", vif_taps[scale + 1]);
      PENSTOCK_ASSIGN(programs_[scale], tile_program(*device_, "float_vif_tiles", definitions,
                                                     threads_of_float_tile));
      if (scale == 0) continue;
      for (auto& image : images_[scale]) {
        PENSTOCK_ASSIGN(
            image, device_->allocate(std::uint64_t{width(scale)} * height(scale) * sizeof(float)));
      }
    }
    return {};
  }

  std::uint32_t sum_count() const override { return float_sums_of_scale * vif_scale_count; }
  std::string_view variant() const override { return "float_vif_tiles"; }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
      const std::array<const Buffer*, 2> from = {
          scale == 0 ? &frame.reference : images_[scale][0].get(),
          scale == 0 ? &frame.distorted : images_[scale][1].get()};
      const auto& next = images_[scale + 1 < vif_scale_count ? scale + 1 : 1];
      const std::uint64_t size = std::uint64_t{height(scale)} << 32 | width(scale);
      PENSTOCK_TRY(
          queue.launch(*programs_[scale].program, "float_vif_tiles",
                       groups_of_tiles(programs_[scale], width(scale), height(scale),
                                       vif_taps[scale], VIF_TILE_ROWS),
                       {{Argument::of(*from[0]), Argument::of(*from[1]), Argument::of(*next[0]),
                         Argument::of(*next[1]), Argument::of(frame.sums), Argument::value(size),
                         Argument::value(gain_limit_),
                         Argument::value(frame.first_sum + float_sums_of_scale * scale)}}));
    }
    return {};
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    std::array<VifFraction, vif_scale_count> fractions;
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++)
      fractions[scale] = {number_of(sums[float_sums_of_scale * scale]),
                          number_of(sums[float_sums_of_scale * scale + 1])};
    scores_.set(fractions, frame, scores);
    return {};
  }

 private:
  std::uint32_t width(std::uint32_t scale) const { return format_.width >> scale; }
  std::uint32_t height(std::uint32_t scale) const { return format_.height >> scale; }
  // Converts a sum in units of 2^-27.
  static float number_of(std::uint64_t sum) {
    return static_cast<float>(static_cast<double>(static_cast<std::int64_t>(sum)) / (1 << 27));
  }

  std::shared_ptr<Device> device_;
  PictureFormat format_;
  VifScores scores_;
  float gain_limit_;
  std::array<FrameProgram, vif_scale_count> programs_;
  // Images of the scales above 0: of the reference and of the distorted picture.
  std::array<std::array<std::shared_ptr<Buffer>, 2>, vif_scale_count> images_;
};

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_float_vif(const std::shared_ptr<Device>& device,
                                                             const DeviceLayout& layout,
                                                             const OptionValues& options) {
  PENSTOCK_TRY(check_vif_size("float_vif", layout.format));
  return device_feature<DeviceFloatVif>(device, layout, options);
}

}  // namespace penstock::video
