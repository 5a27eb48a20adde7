#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "video/features/vif/vif_fast.hpp"
#include "video/host/reflect.hpp"
#include "video/host/vector_loop.hpp"

namespace penstock::video {
namespace {

using Sample = std::uint16_t;
constexpr std::uint32_t most_reach = 4;  // of the filters of scales above 0

PENSTOCK_VECTOR_LOOP void add_tap(const Sample* __restrict row, std::size_t count,
                                  std::uint32_t tap, std::uint32_t* __restrict sums) {
  for (std::size_t x = 0; x < count; x++) sums[x] += tap * row[x];
}

PENSTOCK_VECTOR_LOOP void shift(const std::uint32_t* __restrict sums, std::size_t count,
                                std::uint32_t bits, Sample* __restrict out) {
  const std::uint32_t half = 1u << (bits - 1);
  for (std::size_t x = 0; x < count; x++) out[x] = static_cast<Sample>((sums[x] + half) >> bits);
}

// Every second position. `in` begins at the first tap of the first.
template <std::uint32_t scale>
PENSTOCK_VECTOR_LOOP void filter_along_x(const Sample* __restrict in, std::size_t count,
                                         Sample* __restrict out) {
  for (std::size_t x = 0; x < count; x++) {
    std::uint32_t sum = 32768;
    for (std::uint32_t i = 0; i < vif_taps[scale]; i++)
      sum += vif_filters[scale][i] * in[2 * x + i];
    out[x] = static_cast<Sample>(sum >> 16);
  }
}

}  // namespace

void fast_vif_decimate(const VifImage& image, std::uint32_t scale, std::uint32_t first_bits,
                       VifImage& out) {
  constexpr decltype(&filter_along_x<1>) loops[] = {nullptr, filter_along_x<1>, filter_along_x<2>,
                                                    filter_along_x<3>};
  const std::uint32_t taps = vif_taps[scale], width = image.width;
  const std::int64_t reach = taps / 2;
  in_parallel(out.height, 1, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> sums(width);
    std::vector<Sample> row(width + 2 * most_reach);
    Sample* const inside = row.data() + reach;
    for (auto y = static_cast<std::uint32_t>(first); y < last; y++) {
      std::fill(sums.begin(), sums.end(), 0u);
      for (std::uint32_t i = 0; i < taps; i++)
        add_tap(image.row(reflect_101(2 * std::int64_t{y} + i - reach, image.height)), width,
                vif_filters[scale][i], sums.data());
      shift(sums.data(), width, first_bits, inside);
      for (std::int64_t i = 1; i <= reach; i++) {
        inside[-i] = inside[reflect_101(-i, width)];
        inside[width - 1 + i] = inside[reflect_101(width - 1 + i, width)];
      }
      loops[scale](row.data(), out.width, out.row(y));
    }
  });
}

}  // namespace penstock::video
