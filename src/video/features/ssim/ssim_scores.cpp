#include "video/features/ssim/ssim_scores.hpp"

#include <algorithm>
#include <cmath>

#include "video/device/device_picture.hpp"

namespace penstock::video {
namespace {

// Floats, as in libvmaf.
constexpr float exponents[ms_ssim_levels] = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};

}  // namespace

std::uint32_t ssim_factor(const PictureFormat& format, const OptionValues& options) {
  if (options.integer("scale") > 0) return static_cast<std::uint32_t>(options.integer("scale"));
  const float sides = static_cast<float>(std::min(format.width, format.height)) / 256.0f;
  return std::max(1u, static_cast<std::uint32_t>(std::floor(sides + 0.5f)));
}

Status check_ssim_size(const PictureFormat& format, const OptionValues& options) {
  const std::uint32_t factor = ssim_factor(format, options);
  if (size_after_box(format.width, factor) < ssim_window.size() ||
      size_after_box(format.height, factor) < ssim_window.size())
    return {Code::invalid, "float_ssim needs 11 rows and columns at its scale"};
  return {};
}

void SsimScores::set(const SsimMeans& means, std::uint64_t frame, Scores& scores) const {
  scores.set("float_ssim", frame, decibels_(means.ssim));
  if (!has_lcs_) return;
  scores.set("float_ssim_l", frame, means.luminance);
  scores.set("float_ssim_c", frame, means.contrast);
  scores.set("float_ssim_s", frame, means.structure);
}

Status check_ms_ssim_size(const PictureFormat& format) {
  constexpr std::uint32_t min_size = std::uint32_t{ssim_window.size()} << (ms_ssim_levels - 1);
  if (format.width >= min_size && format.height >= min_size) return {};
  return {Code::invalid, "float_ms_ssim needs " + std::to_string(min_size) + " rows and columns"};
}

void MsSsimScores::set(const Levels& levels, std::uint64_t frame, Scores& scores) const {
  const auto power = [](float mean, float exponent) {
    return std::pow(double{mean}, double{exponent});
  };
  double score = 1;
  for (std::uint32_t level = 0; level < ms_ssim_levels; level++) {
    const bool is_last = level + 1 == ms_ssim_levels;
    score *= power(levels[level].luminance, is_last ? exponents[level] : 0) *
             power(levels[level].contrast, exponents[level]) *
             power(levels[level].structure, exponents[level]);
  }
  scores.set("float_ms_ssim", frame, decibels_(score));
  if (has_lcs_) set_terms(levels, frame, scores);
}

void MsSsimScores::set_terms(const Levels& levels, std::uint64_t frame, Scores& scores) const {
  const auto set = [&](const char* term, float SsimMeans::* mean) {
    for (std::uint32_t level = 0; level < ms_ssim_levels; level++)
      scores.set("float_ms_ssim_" + std::string(term) + "_scale" + std::to_string(level), frame,
                 levels[level].*mean);
  };
  set("l", &SsimMeans::luminance);
  set("c", &SsimMeans::contrast);
  set("s", &SsimMeans::structure);
}

float mean_of_sum(std::uint64_t sum, std::uint64_t count) {
  return static_cast<float>(number_of_sum(sum) / static_cast<double>(count));
}
float mean_of_lacks(std::uint64_t sum, std::uint64_t count) {
  return static_cast<float>(1 - number_of_sum(sum) / static_cast<double>(count));
}

}  // namespace penstock::video
