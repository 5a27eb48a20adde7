// The filters of VIF. Sheikh, Bovik: "Image information and visual quality", 2006.
#pragma once
#include <cstdint>
#include <span>

namespace penstock::video {

constexpr std::uint32_t vif_scale_count = 4;
constexpr std::uint32_t vif_taps[vif_scale_count] = {17, 9, 5, 3};
// Gaussians of each scale as integers that sum to 2^16.
constexpr std::uint32_t vif_filters[vif_scale_count][17] = {
    {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935,
     489},
    {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244},
    {3571, 16004, 26386, 16004, 3571},
    {10904, 43728, 10904}};

}  // namespace penstock::video
