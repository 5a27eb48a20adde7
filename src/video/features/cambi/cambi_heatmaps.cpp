#include "video/features/cambi/cambi_heatmaps.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace penstock::video {
namespace {

constexpr std::uint32_t highest_sample = 65535;

// The contrast that becomes 65535, as an integer: half of the window has one level, half another.
std::uint32_t highest_contrast(const CambiPlan& plan) {
  const std::uint32_t weight =
      *std::max_element(cambi_weights.begin(), cambi_weights.begin() + plan.difference_count);
  return weight * plan.distorted.window * plan.distorted.window / 4;
}

}  // namespace

// Libvmaf names the files by the size that was encoded, halved for each scale, also where
// cambi_high_res_speedup halves the first scale too.
Result<std::unique_ptr<CambiHeatmaps>> CambiHeatmaps::create(const CambiPlan& plan,
                                                             const std::string& folder) {
  if (folder.empty()) return std::unique_ptr<CambiHeatmaps>();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Status(Code::io, folder + ": " + error.message());
  auto maps = std::make_unique<CambiHeatmaps>();
  // A window of one sample has no contrasts.
  const std::uint32_t highest = std::max(highest_contrast(plan), 1u);
  maps->units_ = static_cast<double>(highest_sample) / highest;
  std::uint32_t width = plan.distorted.width, height = plan.distorted.height;
  for (std::uint32_t scale = 0; scale < cambi_scale_count; scale++) {
    const std::string path = folder + "/cambi_heatmap_scale_" + std::to_string(scale) + "_" +
                             std::to_string(width) + "x" + std::to_string(height) + "_16b.gray";
    maps->files_.push_back(std::make_unique<File>(path, O_WRONLY | O_CREAT | O_TRUNC, 0666));
    if (!*maps->files_.back()) return Status(Code::io, path + ": " + std::strerror(errno));
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
  return maps;
}

Status CambiHeatmaps::write(std::uint32_t scale, const float* contrasts, std::size_t stride,
                            std::uint32_t width, std::uint32_t height) {
  std::vector<std::uint16_t> samples(std::size_t{width} * height);
  for (std::uint32_t y = 0; y < height; y++)
    for (std::uint32_t x = 0; x < width; x++) {
      const double sample = units_ * double{contrasts[y * stride + x]};
      samples[std::size_t{y} * width + x] =
          static_cast<std::uint16_t>(std::min(sample, double{highest_sample}));
    }
  if (!files_[scale]->write_all(samples.data(), samples.size() * sizeof samples[0]))
    return {Code::io, std::string("a heat map of cambi: ") + std::strerror(errno)};
  return {};
}

}  // namespace penstock::video
