#include "video/features/vif/vif_device.hpp"

#include "video/device/stencil_tiles.hpp"
#include "video/features/vif/vif.hpp"

namespace penstock::video {
namespace {

constexpr std::uint32_t sums_of_scale = 4, threads_of_tile = 128;

// Entries of kernels/vif_information.kc: the logarithm of a block's first number, and the number of
// the block at which the rounded logarithm steps up.
std::vector<std::uint16_t> log_steps() {
  constexpr std::uint32_t block = 8, first_number = 1 << 15;
  std::vector<std::uint16_t> steps;
  for (std::uint32_t first = first_number; first < 2 * first_number; first += block) {
    const std::int64_t log = log2_fixed(first);
    std::uint32_t at = 1;
    while (at < block && log2_fixed(first + at) == log) at++;
    steps.push_back(static_cast<std::uint16_t>((log - 2048 * 15) * 16 + at));
  }
  return steps;
}

class DeviceVif final : public DeviceFeature {
 public:
  DeviceVif(std::shared_ptr<Device> device, const DeviceLayout& layout, const OptionValues& options)
      : device_(std::move(device)),
        format_(layout.format),
        scores_(options, "integer_vif"),
        gain_limit_(options.number("vif_enhn_gain_limit")),
        steps_(log_steps()) {}

  Status open() {
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
      const std::string definitions = "#define VIF_SCALE " + std::to_string(scale) +
                                      "\n#define PICTURE_BITS " + std::to_string(format_.bits) +
                                      "u\n" + sample_definitions(format_);
      PENSTOCK_ASSIGN(programs_[scale],
                      tile_program(*device_, "vif_tiles", definitions, threads_of_tile));
      if (scale == 0) continue;
      PENSTOCK_ASSIGN(pairs_[scale],
                      device_->allocate(std::uint64_t{width(scale)} * height(scale) * 4));
    }
    const std::uint64_t bytes = steps_.size() * sizeof(steps_[0]);
    PENSTOCK_ASSIGN(logs_, device_->allocate(bytes));
    PENSTOCK_ASSIGN(const auto queue, device_->queue());
    PENSTOCK_TRY(queue->upload(*logs_, steps_.data(), bytes));
    return queue->finish();
  }

  std::uint32_t sum_count() const override { return sums_of_scale * vif_scale_count; }
  std::string_view variant() const override { return "vif_tiles"; }

  Status enqueue(Queue& queue, const DeviceFrame& frame) override {
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
      const Buffer& first = scale == 0 ? frame.reference : *pairs_[scale];
      const Buffer& second = scale == 0 ? frame.distorted : *pairs_[scale];
      const Buffer& next = scale + 1 < vif_scale_count ? *pairs_[scale + 1] : *pairs_[1];
      const std::uint64_t size = std::uint64_t{height(scale)} << 32 | width(scale);
      PENSTOCK_TRY(queue.launch(
          *programs_[scale].program, "vif_tiles",
          groups_of_tiles(programs_[scale], width(scale), height(scale), vif_taps[scale],
                          VIF_TILE_ROWS),
          {{Argument::of(first), Argument::of(second), Argument::of(next), Argument::of(*logs_),
            Argument::of(frame.sums), Argument::value(size), Argument::value(gain_limit_),
            Argument::value(frame.first_sum + sums_of_scale * scale)}}));
    }
    return {};
  }

  Status read(std::span<const std::uint64_t> sums, std::uint64_t frame, Scores& scores) override {
    std::array<VifFraction, vif_scale_count> fractions;
    for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
      const auto number = [&](std::uint32_t i) {
        return static_cast<std::int64_t>(sums[sums_of_scale * scale + i]);
      };
      fractions[scale] = VifSums{.numerator = number(0),
                                 .denominator = number(1),
                                 .small_squares = number(2),
                                 .small_count = number(3)}
                             .fraction();
    }
    scores_.set(fractions, frame, scores);
    return {};
  }

 private:
  std::uint32_t width(std::uint32_t scale) const { return format_.width >> scale; }
  std::uint32_t height(std::uint32_t scale) const { return format_.height >> scale; }

  std::shared_ptr<Device> device_;
  PictureFormat format_;
  VifScores scores_;
  double gain_limit_;
  std::vector<std::uint16_t> steps_;
  std::array<FrameProgram, vif_scale_count> programs_;
  std::array<std::shared_ptr<Buffer>, vif_scale_count> pairs_;  // images of the scales above 0
  std::shared_ptr<Buffer> logs_;
};

std::vector<kernel::VariantCase> view_of_vif(const Traits& traits) {
  return {view_of_tiles("vif_tiles", "frames", traits, threads_of_tile)};
}
const kernel::VariantTable table_of_vif(view_of_vif);

}  // namespace

Result<std::unique_ptr<DeviceFeature>> make_device_vif(const std::shared_ptr<Device>& device,
                                                       const DeviceLayout& layout,
                                                       const OptionValues& options) {
  if (!device->traits().has_f64)
    return Status(Code::unsupported, "vif needs 64-bit floating point, which " +
                                         device->traits().id + " does not have");
  PENSTOCK_TRY(check_vif_size("vif", layout.format));
  return device_feature<DeviceVif>(device, layout, options);
}

}  // namespace penstock::video
