// Converts sums of squared errors to PSNR scores, for host and devices.
#pragma once
#include <array>

#include "video/feature.hpp"

namespace penstock::video {

class PsnrScale {
 public:
  PsnrScale(const PictureFormat& format, const OptionValues& options);
  // Sets the scores of a frame's plane.
  void set(std::uint32_t plane, std::uint64_t squared_error, std::uint64_t frame, Scores& scores);
  void set_aggregate(std::uint32_t plane, std::uint64_t frame_count, Scores& scores) const;

 private:
  double samples(std::uint32_t plane) const;
  PictureFormat format_;
  bool has_mse_, has_apsnr_;
  double peak_ = 0;
  std::array<double, 3> caps_ = {};
  std::array<std::uint64_t, 3> squared_errors_ = {};  // of all frames
};

}  // namespace penstock::video
