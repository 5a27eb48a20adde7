#include "video/host/sums.hpp"

#include "video/host/vector_loop.hpp"

namespace penstock::video {

PENSTOCK_VECTOR_LOOP double sum_of(const float* values, std::size_t count) {
  constexpr std::size_t lanes = 16;
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; lane++) sums[lane] += values[i + lane];
  double sum = 0;
  for (; i < count; i++) sum += values[i];
  for (const double lane : sums) sum += lane;
  return sum;
}

}  // namespace penstock::video
