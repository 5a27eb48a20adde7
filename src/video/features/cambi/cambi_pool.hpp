// The mean of the highest share of an image's contrasts. All sums are of floats in double: exact
// for images of all sizes in use.
#pragma once
#include <vector>

#include "video/host/kept_image.hpp"

namespace penstock::video {

class CambiPool {
 public:
  // `image` is where the contrasts are kept. No more than `max_count` are above 0.
  CambiPool(KeptImage<float>& image, double share, std::uint64_t max_count);
  // Each row once, by any thread.
  void add(std::uint32_t y, const float* row);
  double mean();

 private:
  double sum_of_highest();
  KeptImage<float>& image_;
  std::uint64_t kept_;  // how many are averaged
  bool selects_;        // more may be above 0
  std::vector<double> row_sums_;
};

}  // namespace penstock::video
