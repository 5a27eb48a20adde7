#include "video/features/motion/float_blur_fast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "video/host/reflect.hpp"
#include "video/host/sums.hpp"

namespace penstock::video {
namespace {

constexpr float offset = -128;
using Rows = std::array<const float*, 5>;

PENSTOCK_VECTOR_LOOP void blur_along_y(const Rows& rows, const float (&taps)[5], std::size_t count,
                                       float* __restrict out) {
  const Rows in = rows;
  for (std::size_t x = 0; x < count; x++) {
    float sum = 0;
    for (std::size_t i = 0; i < 5; i++) sum += taps[i] * in[i][x];
    out[x] = sum;
  }
}
PENSTOCK_VECTOR_LOOP void blur_along_x(const float* __restrict in, const float (&taps)[5],
                                       std::size_t count, float* __restrict out) {
  for (std::size_t x = 0; x < count; x++) {
    float sum = 0;
    for (std::size_t i = 0; i < 5; i++) sum += taps[i] * in[x + i];
    out[x] = sum;
  }
}

PENSTOCK_VECTOR_LOOP void set_distances(const float* __restrict a, const float* __restrict b,
                                        std::size_t count, float* __restrict out) {
  for (std::size_t x = 0; x < count; x++) out[x] = std::abs(a[x] - b[x]);
}

// Rows begin two columns before the first, and two rows before: `rows` of the distorted picture,
// but only the second to the fourth of the reference.
PENSTOCK_VECTOR_LOOP void set_squares(const Rows& reference, const Rows& distorted,
                                      const float (&of_reference)[9],
                                      const float (&of_distorted)[25], std::size_t count,
                                      double* __restrict signals, double* __restrict noises) {
  const Rows a = reference, b = distorted;
  for (std::size_t x = 0; x < count; x++) {
    float one = 0, other = 0;
    for (std::size_t v = 0; v < 3; v++)
      for (std::size_t u = 0; u < 3; u++) one += of_reference[v * 3 + u] * a[v + 1][x + u + 1];
    for (std::size_t v = 0; v < 5; v++)
      for (std::size_t u = 0; u < 5; u++) other += of_distorted[v * 5 + u] * b[v][x + u];
    const float difference = one - other;
    signals[x] += double{one} * one;
    noises[x] += double{difference} * difference;
  }
}

// The last five rows of a picture with two columns beyond each edge.
class LastRows {
 public:
  using Border = std::uint32_t (*)(std::int64_t index, std::uint32_t size);
  LastRows(const Picture& picture, Border border)
      : luma_(picture, offset), border_(border), rows_(5) {
    for (auto& row : rows_) row.resize(luma_.width() + 4);
  }
  // `y` grows by 1 from call to call.
  void push(std::int64_t y) {
    std::rotate(rows_.begin(), rows_.begin() + 1, rows_.end());
    float* const inside = rows_.back().data() + 2;
    const std::uint32_t width = luma_.width();
    luma_.at(border_(y, luma_.height()), 0, width, inside);
    for (const std::int64_t x :
         {std::int64_t{-2}, std::int64_t{-1}, std::int64_t{width}, std::int64_t{width} + 1})
      inside[x] = inside[border_(x, width)];
  }
  Rows rows() const {
    Rows all;
    for (std::size_t i = 0; i < 5; i++) all[i] = rows_[i].data();
    return all;
  }

 private:
  LumaRows luma_;
  Border border_;
  std::vector<std::vector<float>> rows_;
};

}  // namespace

double fast_blur(const Picture& picture, const float (&taps)[5], FloatPlane& out,
                 const FloatPlane* before) {
  const std::uint32_t width = picture.format.width;
  std::vector<double> sums(picture.format.height);
  in_parallel(picture.format.height, 16, [&](std::uint64_t first, std::uint64_t last) {
    LastRows rows(picture, reflect_101);
    std::vector<float> columns(width + 4), distances(width);
    auto next = static_cast<std::int64_t>(first) - 2;
    for (auto y = static_cast<std::uint32_t>(first); y < last; y++) {
      while (next <= std::int64_t{y} + 2) rows.push(next++);
      blur_along_y(rows.rows(), taps, width + 4, columns.data());
      blur_along_x(columns.data(), taps, width, out.row(y));
      if (!before) continue;
      set_distances(before->row(y), out.row(y), width, distances.data());
      sums[y] = sum_of(distances.data(), width);
    }
  });
  double sum = 0;
  for (const double row : sums) sum += row;
  return sum;
}

AnsnrSums fast_ansnr_sums(const Picture& reference, const Picture& distorted,
                          const float (&of_reference)[9], const float (&of_distorted)[25],
                          std::uint32_t (*border)(std::int64_t index, std::uint32_t size)) {
  constexpr std::uint32_t band = 32;  // rows with squares summed by column
  const std::uint32_t width = reference.format.width, height = reference.format.height;
  std::vector<AnsnrSums> sums((height + band - 1) / band);
  in_parallel(sums.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
    LastRows a(reference, border), b(distorted, border);
    std::vector<double> signals(width), noises(width);
    auto y = static_cast<std::uint32_t>(first) * band;
    std::int64_t next = std::int64_t{y} - 2;
    for (std::uint64_t i = first; i < last; i++) {
      for (const std::uint32_t end = std::min(y + band, height); y < end; y++) {
        for (; next <= std::int64_t{y} + 2; next++) a.push(next), b.push(next);
        set_squares(a.rows(), b.rows(), of_reference, of_distorted, width, signals.data(),
                    noises.data());
      }
      for (std::uint32_t x = 0; x < width; x++)
        sums[i].signal += signals[x], sums[i].noise += noises[x], signals[x] = noises[x] = 0;
    }
  });
  AnsnrSums all;
  for (const AnsnrSums& one : sums) all.signal += one.signal, all.noise += one.noise;
  return all;
}

}  // namespace penstock::video
