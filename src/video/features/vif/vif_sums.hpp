// Adds the positions of a row to a scale's sums.
#pragma once
#include "video/features/vif/vif.hpp"

namespace penstock::video {

// Filtered means and squares of positions.
constexpr std::size_t vif_strip = 256;  // columns at most
struct VifMoments {
  std::uint32_t mean1[vif_strip], mean2[vif_strip], square1[vif_strip], square2[vif_strip],
      product[vif_strip];
};

// Adds what each position has to the sums of its scale.
void add_positions(const VifMoments& moments, std::size_t count, double gain_limit, VifSums& sums);

}  // namespace penstock::video
