// CIEDE2000 (Sharma et al. 2005) as libvmaf's ciede, and PSNR.
#pragma once
#include <numbers>

#include "video_oracle/grid.hpp"

namespace penstock::video::oracle {

struct Lab {
  float l = 0, a = 0, b = 0;
};

inline Lab lab_of(int luma, int cb, int cr, std::uint32_t bits) {
  const double s = 1 << (bits - 8);
  const double y = (luma - 16 * s) / (219 * s);
  const double u = (cb - 128 * s) / (224 * s), v = (cr - 128 * s) / (224 * s);
  const auto linear = [](double c) {
    return c > 10 / 255.0 ? std::pow((c + 0.055) / 1.055, 2.4) : c / 12.92;
  };
  const double r = linear(y + 1.28033 * v), g = linear(y - 0.21482 * u - 0.38059 * v);
  const double b = linear(y + 2.12798 * u);
  const double x = 0.4124564390896921 * r + 0.357576077643909 * g + 0.18043748326639894 * b;
  const double yy = 0.21267285140562248 * r + 0.715152155287818 * g + 0.07217499330655958 * b;
  const double z = 0.019333895582329317 * r + 0.119192025881303 * g + 0.9503040785363677 * b;
  const auto f = [](double t) {
    return static_cast<float>(t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116);
  };
  const double fx = f(x / 0.95047), fy = f(yy), fz = f(z / 1.08883);
  return {static_cast<float>(116 * fy - 16), static_cast<float>(500 * (fx - fy)),
          static_cast<float>(200 * (fy - fz))};
}

inline float hue_of(float b, float a) {
  if (a == 0 && b == 0) return 0;
  const float hue = std::atan2(b, a);
  return hue < 0 ? static_cast<float>(hue + 2 * std::numbers::pi) : hue;
}
inline float cosine(double angle) { return std::cos(static_cast<float>(angle)); }
inline double square(double value) { return value * value; }
inline float root(double value) { return static_cast<float>(std::sqrt(value)); }

inline float hue_difference(float h1, float h2) {
  const float difference = h2 - h1;
  if (std::abs(difference) <= std::numbers::pi) return difference;
  return static_cast<float>(difference + (h2 <= h1 ? 2 : -2) * std::numbers::pi);
}

inline float rotation(float c, float h) {
  const float turn =
      static_cast<float>((static_cast<float>(h * (180 / std::numbers::pi)) - 275.0) * (1 / 25.0));
  const float c7 = std::pow(c, 7.0f), pow25 = std::pow(25.0f, 7.0f);
  const float degrees = static_cast<float>(60.0 * std::exp(-static_cast<double>(turn * turn)));
  return static_cast<float>(-2.0 * std::sqrt(c7 / (c7 + pow25)) *
                            std::sin(static_cast<float>(degrees * (std::numbers::pi / 180))));
}

inline float delta_e(const Lab& one, const Lab& two) {
  const double pi = std::numbers::pi;
  const float c1 = root(square(one.a) + square(one.b)), c2 = root(square(two.a) + square(two.b));
  const double mean7 = std::pow((c1 + c2) / 2, 7.0);
  const double lack = 1 - std::sqrt(mean7 / (mean7 + std::pow(25.0, 7)));
  const float a1 = static_cast<float>(one.a + one.a / 2 * lack);
  const float a2 = static_cast<float>(two.a + two.a / 2 * lack);
  const float p1 = root(square(a1) + square(one.b)), p2 = root(square(a2) + square(two.b));
  const float h1 = hue_of(one.b, a1), h2 = hue_of(two.b, a2);
  const float dh = c1 == 0 || c2 == 0 ? 0 : hue_difference(h1, h2);
  const float dl = two.l - one.l, l = (one.l + two.l) / 2, dc = p2 - p1, c = (p1 + p2) / 2;
  const float dhh = static_cast<float>(2.0 * std::sqrt(p1 * p2) * std::sin(dh / 2));
  const float h =
      static_cast<float>(std::abs(h1 - h2) > pi ? (h1 + h2 + 2 * pi) / 2 : (h1 + h2) / 2.0);
  const float t =
      static_cast<float>(1 - 0.17 * cosine(h - pi / 6) + 0.24 * cosine(2.0 * h) +
                         0.32 * cosine(3.0 * h + pi / 30) - 0.20 * cosine(4.0 * h - 7 * pi / 20));
  const double l50 = square(l - 50);
  const float s_l = static_cast<float>(1 + 0.015 * l50 / std::sqrt(20 + l50));
  const float s_c = static_cast<float>(1 + 0.045 * c), s_h = static_cast<float>(1 + 0.015 * c * t);
  const float el = dl / (0.65f * s_l), ec = dc / s_c, eh = dhh / (4 * s_h);
  return root(square(el) + square(ec) + square(eh) + rotation(c, h) * ec * eh);
}

inline double mean_delta_e(const Frame& frame) {
  const int across = frame.format.chroma == Chroma::c444 ? 0 : 1;
  const int down = frame.format.chroma == Chroma::c420 ? 1 : 0;
  double sum = 0;
  const auto lab = [&](const std::array<Grid<int>, 3>& planes, int x, int y) {
    return lab_of(planes[0].at(x, y), planes[1].at(x >> across, y >> down),
                  planes[2].at(x >> across, y >> down), frame.format.bits);
  };
  const int w = frame.reference[0].width, h = frame.reference[0].height;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      sum += delta_e(lab(frame.reference, x, y), lab(frame.distorted, x, y));
  return sum / (static_cast<double>(w) * h);
}

inline Sheet ciede(const std::vector<Frame>& frames, const Options&) {
  Sheet sheet;
  for (const Frame& frame : frames)
    sheet.scores["ciede2000"].push_back(45 - 20 * std::log10(mean_delta_e(frame)));
  return sheet;
}

inline std::uint64_t squared_error(const Grid<int>& a, const Grid<int>& b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    const std::int64_t difference = a.values[i] - b.values[i];
    sum += static_cast<std::uint64_t>(difference * difference);
  }
  return sum;
}

inline Sheet psnr(const std::vector<Frame>& frames, const Options& options) {
  static const char* const planes[] = {"y", "cb", "cr"};
  Sheet sheet;
  if (frames.empty()) return sheet;
  const PictureFormat& format = frames[0].format;
  const int bits = static_cast<int>(format.bits);
  const double peak = flag(options, "reduced_hbd_peak") ? 255 << (bits - 8) : (1 << bits) - 1;
  const double min_sse = number(options, "min_sse", 0);
  const bool has_chroma = flag(options, "enable_chroma", true) && format.chroma != Chroma::none;
  for (std::size_t plane = 0; plane < (has_chroma ? 3 : 1); plane++) {
    std::uint64_t sse_of_all = 0;
    const double pixels = static_cast<double>(frames[0].reference[plane].size());
    double cap = 6 * bits + 12;
    if (min_sse > 0) cap = std::ceil(10 * std::log10(peak * peak / (min_sse / pixels)));
    for (const Frame& frame : frames) {
      const std::uint64_t sse = squared_error(frame.reference[plane], frame.distorted[plane]);
      const double mse = static_cast<double>(sse) / pixels;
      sse_of_all += sse;
      sheet.scores[std::string("psnr_") + planes[plane]].push_back(
          std::min(10 * std::log10(peak * peak / std::max(mse, 1e-16)), cap));
      if (flag(options, "enable_mse"))
        sheet.scores[std::string("mse_") + planes[plane]].push_back(mse);
    }
    if (!flag(options, "enable_apsnr")) continue;
    const double n = pixels * static_cast<double>(frames.size());
    sheet.aggregates[std::string("apsnr_") + planes[plane]] =
        std::min(10 * (std::log10(peak * peak) + std::log10(n) -
                       std::log10(static_cast<double>(sse_of_all))),
                 std::ceil(10 * std::log10(peak * peak * n * 2)));
  }
  return sheet;
}

}  // namespace penstock::video::oracle
