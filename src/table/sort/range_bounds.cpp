#include "table/sort/range_bounds.hpp"

#include <numeric>

namespace penstock::plan {

std::vector<std::size_t> range_bounds(const std::vector<double>& weights, std::size_t range_count) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto ranges = static_cast<double>(range_count);
  std::vector<std::size_t> bounds;
  double before = 0;
  for (std::size_t sample = 0; sample < weights.size(); sample++) {
    while (bounds.size() + 1 < range_count &&
           before * ranges >= total * static_cast<double>(bounds.size() + 1))
      bounds.push_back(sample);
    before += weights[sample];
  }
  bounds.resize(range_count - 1, weights.size() - 1);
  return bounds;
}

}  // namespace penstock::plan
