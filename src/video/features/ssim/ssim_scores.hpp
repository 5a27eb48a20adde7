// Converts a frame's means, from loops or kernels, to the scores of float_ssim and float_ms_ssim.
#pragma once
#include "video/host/ssim_scale.hpp"

namespace penstock::video {

// The factor by which float_ssim decimates such pictures.
std::uint32_t ssim_factor(const PictureFormat& format, const OptionValues& options);
// Columns or rows of `size` that decimation by a box leaves.
constexpr std::uint32_t size_after_box(std::uint32_t size, std::uint32_t factor) {
  return factor > 1 ? size / factor + size % 2 : size;
}
// Code::invalid: the window does not fit into what decimation leaves.
Status check_ssim_size(const PictureFormat& format, const OptionValues& options);

class SsimScores {
 public:
  SsimScores(const PictureFormat& format, const OptionValues& options)
      : has_lcs_(options.flag("enable_lcs")), decibels_(format, options) {}
  bool has_lcs() const { return has_lcs_; }
  void set(const SsimMeans& means, std::uint64_t frame, Scores& scores) const;

 private:
  bool has_lcs_;
  Decibels decibels_;
};

constexpr std::uint32_t ms_ssim_levels = 5;
// Code::invalid: the window does not fit into the smallest level.
Status check_ms_ssim_size(const PictureFormat& format);

class MsSsimScores {
 public:
  MsSsimScores(const PictureFormat& format, const OptionValues& options)
      : has_lcs_(options.flag("enable_lcs")), decibels_(format, options) {}
  using Levels = std::array<SsimMeans, ms_ssim_levels>;  // their `ssim` is not used
  void set(const Levels& levels, std::uint64_t frame, Scores& scores) const;

 private:
  void set_terms(const Levels& levels, std::uint64_t frame, Scores& scores) const;
  bool has_lcs_;
  Decibels decibels_;
};

// The mean of `count` values, from the kernels' sum of the values or of 1 - value
// (kernels/ssim.kc).
float mean_of_sum(std::uint64_t sum, std::uint64_t count);
float mean_of_lacks(std::uint64_t sum, std::uint64_t count);

}  // namespace penstock::video
