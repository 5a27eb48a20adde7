#include "fuse/variants/distinct_sketch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace penstock::plan {
namespace {

constexpr double count = DistinctSketch::registers;

// Estimates from runs: a register's rank is the longest run.
double distinct(std::span<const std::uint32_t> runs) {
  double sum = 0, empty = 0;
  for (const std::uint32_t word : runs) {
    sum += std::ldexp(1.0, -std::bit_width(word));
    empty += word == 0;
  }
  const double estimate = 0.7213 / (1 + 1.079 / count) * count * count / sum;
  // Few keys leave registers empty; the number of empty ones is then more exact.
  return empty > 0 && estimate <= 2.5 * count ? count * std::log(count / empty) : estimate;
}

}  // namespace

void DistinctSketch::add(std::span<const std::uint32_t> sketches) {
  for (std::size_t i = 0; i < sketches.size() && i < runs_.size(); i++) runs_[i] |= sketches[i];
}

// Rows that meet each of n keys equally often have n * (1 - e^-t) of them, and t grows with the
// rows. Both halves have 1 + e^-(t/2) times the keys of one.
double DistinctSketch::expected(std::uint64_t stride) const {
  const std::span<const std::uint32_t> all = runs_, even = all.first(registers),
                                       odd = all.subspan(registers);
  std::array<std::uint32_t, registers> joined;
  for (std::size_t i = 0; i < registers; i++) joined[i] = even[i] | odd[i];
  const double both = distinct(joined), half = (distinct(even) + distinct(odd)) / 2,
               times = static_cast<double>(stride);
  if (stride <= 1 || half <= 0) return both;
  constexpr double least = 1e-3, most = 0.95;  // beyond, errors of the sketches decide
  const double is_new = std::max(both / half - 1, least);
  if (is_new >= most) return both * times;
  const double t = -2 * std::log(is_new);
  return both * -std::expm1(-t * times) / -std::expm1(-t);
}

}  // namespace penstock::plan
