#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <mutex>

#include "base/parallel.hpp"
#include "video/features/cambi/cambi_pool.hpp"
#include "video/host/sums.hpp"
#include "video/host/vector_loop.hpp"

namespace penstock::video {
namespace {

// Contrasts above 0 are 1/2 or more. Bins of their bits: exponent and six bits of the mantissa.
constexpr std::uint32_t bin_shift = 17, first_bin = std::bit_cast<std::uint32_t>(0.5f) >> bin_shift;
constexpr std::uint32_t bin_count = 2048;

// Bin 0 has the zeros.
PENSTOCK_IN_VECTOR_LOOP std::uint32_t bin_of(float contrast) {
  const std::uint32_t bin = std::bit_cast<std::uint32_t>(contrast) >> bin_shift;
  return bin < first_bin ? 0 : std::min(bin - first_bin + 1, bin_count - 1);
}
// The least contrast of a bin above 0.
float begin_of(std::uint32_t bin) {
  return std::bit_cast<float>((bin + first_bin - 1) << bin_shift);
}

using Bins = std::array<std::uint32_t, bin_count>;

// Neighbours are in the same bin: four counts of it do not wait for each other.
void add_to_bins(const float* row, std::uint32_t count, std::array<Bins, 4>& bins) {
  std::uint32_t x = 0;
  for (; x + 4 <= count; x += 4)
    for (std::uint32_t i = 0; i < 4; i++) bins[i][bin_of(row[x + i])]++;
  for (; x < count; x++) bins[0][bin_of(row[x])]++;
}

PENSTOCK_VECTOR_LOOP double sum_from(const float* __restrict row, std::size_t count, float least) {
  constexpr std::size_t lanes = 16;
  double sums[lanes] = {};
  std::size_t x = 0;
  for (; x + lanes <= count; x += lanes)
    for (std::size_t i = 0; i < lanes; i++) sums[i] += row[x + i] >= least ? row[x + i] : 0.0f;
  double sum = 0;
  for (; x < count; x++) sum += row[x] >= least ? row[x] : 0.0f;
  for (const double lane : sums) sum += lane;
  return sum;
}

// Appends the contrasts of [least, end). Without branches: they come in no order.
void append_between(const float* row, std::uint32_t count, float least, float end,
                    std::vector<float>& to) {
  std::size_t size = to.size();
  to.resize(size + count);
  for (std::uint32_t x = 0; x < count; x++) {
    to[size] = row[x];
    size += static_cast<std::size_t>((row[x] >= least) & (row[x] < end));
  }
  to.resize(size);
}

}  // namespace

CambiPool::CambiPool(KeptImage<float>& image, double share, std::uint64_t max_count)
    : image_(image), row_sums_(image.height) {
  const auto count = std::int64_t{image.width} * image.height;
  const auto kept = static_cast<std::int64_t>(share * static_cast<double>(count));
  kept_ = static_cast<std::uint64_t>(std::clamp<std::int64_t>(kept, 1, count));
  selects_ = max_count > kept_;
}

void CambiPool::add(std::uint32_t y, const float* row) {
  if (selects_)
    std::memcpy(image_.row(y), row, image_.width * sizeof(float));
  else
    row_sums_[y] = sum_of(row, image_.width);
}

double CambiPool::mean() {
  double sum = selects_ ? sum_of_highest() : 0;
  for (const double row : row_sums_) sum += row;
  return sum / static_cast<double>(kept_);
}

// Sets the rows' sums over the bins that are kept whole, and returns the sum of the contrasts kept
// from the bin below.
double CambiPool::sum_of_highest() {
  std::mutex mutex;
  Bins bins = {};
  in_parallel(image_.height, 1, [&](std::uint64_t first, std::uint64_t last) {
    std::array<Bins, 4> four = {};
    for (std::uint64_t y = first; y < last; y++) add_to_bins(image_.row(y), image_.width, four);
    const std::lock_guard lock(mutex);
    for (const Bins& one : four)
      for (std::size_t i = 0; i < bin_count; i++) bins[i] += one[i];
  });
  std::uint32_t bin = bin_count - 1;
  std::uint64_t above = 0;
  while (bin > 0 && above + bins[bin] <= kept_) above += bins[bin--];
  const float least = bin == 0 ? 0 : begin_of(bin), end = begin_of(bin + 1);
  std::vector<float> between;
  in_parallel(image_.height, 1, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<float> found;
    for (std::uint64_t y = first; y < last; y++) {
      row_sums_[y] = sum_from(image_.row(y), image_.width, end);
      if (bin > 0) append_between(image_.row(y), image_.width, least, end, found);
    }
    const std::lock_guard lock(mutex);
    between.insert(between.end(), found.begin(), found.end());
  });
  const auto rest =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(kept_ - above, between.size()));
  std::nth_element(between.begin(), between.begin() + rest, between.end(), std::greater<>());
  double sum = 0;
  for (std::ptrdiff_t i = 0; i < rest; i++) sum += between[static_cast<std::size_t>(i)];
  return sum;
}

}  // namespace penstock::video
