#include "video/features/motion/motion_fast.hpp"

#include <array>
#include <atomic>
#include <vector>

#include "base/parallel.hpp"
#include "video/host/reflect.hpp"
#include "video/host/vector_loop.hpp"

namespace penstock::video {
namespace {

using Sample = std::uint16_t;
constexpr std::uint32_t blur[5] = {3571, 16004, 26386, 16004, 3571};  // sums to 2^16

using Rows = std::array<const Sample*, 5>;

// Blurs the difference along columns. The sums of either picture have 32 bits, their difference 33.
PENSTOCK_VECTOR_LOOP void blur_along_y(const Rows& before, const Rows& now, std::uint32_t bits,
                                       std::size_t count, std::int32_t* __restrict out) {
  const Rows a = before, b = now;
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  for (std::size_t x = 0; x < count; x++) {
    std::uint32_t sum_a = 0, sum_b = 0;
    for (std::size_t i = 0; i < 5; i++) sum_a += blur[i] * a[i][x], sum_b += blur[i] * b[i][x];
    out[x] = static_cast<std::int32_t>((std::int64_t{sum_a} - sum_b + half) >> bits);
  }
}
// The same where the difference has 32 bits: samples of 15 bits or fewer.
PENSTOCK_VECTOR_LOOP void blur_narrow_along_y(const Rows& before, const Rows& now,
                                              std::uint32_t bits, std::size_t count,
                                              std::int32_t* __restrict out) {
  const Rows a = before, b = now;
  const std::uint32_t half = 1u << (bits - 1);
  for (std::size_t x = 0; x < count; x++) {
    std::uint32_t sum = half;
    for (std::size_t i = 0; i < 5; i++)
      sum += blur[i] * static_cast<std::uint32_t>(a[i][x] - b[i][x]);
    out[x] = static_cast<std::int32_t>(sum) >> bits;
  }
}

// The sum of absolute values along a row, which begins two columns before the first. A value of 17
// bits is a high half of 0 or -1, and a low one, of which sums have 32 bits.
PENSTOCK_VECTOR_LOOP std::uint64_t blurred_sum(const std::int32_t* __restrict row,
                                               std::size_t count) {
  std::uint64_t total = 0;
  for (std::size_t x = 0; x < count; x++) {
    std::uint32_t low = 32768;
    std::int32_t high = 0;
    for (std::size_t i = 0; i < 5; i++) {
      low += blur[i] * (static_cast<std::uint32_t>(row[x + i]) & 0xFFFF);
      high += static_cast<std::int32_t>(blur[i]) * (row[x + i] >> 16);
    }
    const std::int32_t value = high + static_cast<std::int32_t>(low >> 16);
    total += static_cast<std::uint32_t>(value < 0 ? -value : value);
  }
  return total;
}

}  // namespace

std::uint64_t fast_blurred_difference(const KeptImage<Sample>& before, const KeptImage<Sample>& now,
                                      std::uint32_t bits) {
  const auto blur_rows = bits > 15 ? blur_along_y : blur_narrow_along_y;
  const std::uint32_t width = now.width;
  std::atomic<std::uint64_t> all = 0;
  in_parallel(now.height, 16, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::int32_t> row(width + 4);
    std::uint64_t sum = 0;
    for (auto y = static_cast<std::int64_t>(first); y < static_cast<std::int64_t>(last); y++) {
      Rows a, b;
      for (std::int64_t i = 0; i < 5; i++) {
        const std::uint32_t at = reflect_101(y + i - 2, now.height);
        a[static_cast<std::size_t>(i)] = before.row(at);
        b[static_cast<std::size_t>(i)] = now.row(at);
      }
      std::int32_t* const inside = row.data() + 2;
      blur_rows(a, b, bits, width, inside);
      for (std::int64_t i = 1; i <= 2; i++) {
        inside[-i] = inside[reflect_101(-i, width)];
        inside[width - 1 + i] = inside[reflect_101(width - 1 + i, width)];
      }
      sum += blurred_sum(row.data(), width);
    }
    all += sum;
  });
  return all;
}

}  // namespace penstock::video
