// Sums over rows of samples.
#pragma once
#include "video/host/sample_rows.hpp"

namespace penstock::video {

// The sum of squared differences of a plane's samples, by threads.
std::uint64_t squared_error(const Picture& one, const Picture& other, std::uint32_t plane);

// The sum of luma samples and of their squares, by threads.
struct SampleSums {
  std::uint64_t sum = 0, squares = 0;
};
SampleSums luma_sums(const Picture& picture);

}  // namespace penstock::video
