// SSIM (Wang et al. 2004) and MS-SSIM (Wang et al. 2003) as libvmaf's float_ssim and float_ms_ssim.
#pragma once
#include <cstdlib>

#include "video_oracle/grid.hpp"

namespace penstock::video::oracle {

struct SsimMeans {
  double score = 0, l = 0, c = 0, s = 0;
};

// Sums the window's 11 by 11 samples where it lies wholly inside.
inline Grid<float> windowed(const Grid<float>& in) {
  static const float taps[11] = {0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f,
                                 0.213006f, 0.109361f, 0.036001f, 0.007599f, 0.001028f};
  Grid<float> rows(in.width - 10, in.height), out(in.width - 10, in.height - 10);
  for (int y = 0; y < rows.height; y++)
    for (int x = 0; x < rows.width; x++) {
      double sum = 0;
      for (int k = 0; k < 11; k++) sum += in.at(x + k, y) * taps[k];
      rows.at(x, y) = static_cast<float>(sum);
    }
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++) {
      double sum = 0;
      for (int k = 0; k < 11; k++) sum += rows.at(x, y + k) * taps[k];
      out.at(x, y) = static_cast<float>(sum);
    }
  return out;
}

inline Grid<float> product(const Grid<float>& a, const Grid<float>& b) {
  Grid<float> out(a.width, a.height);
  for (std::size_t i = 0; i < a.size(); i++) out.values[i] = a.values[i] * b.values[i];
  return out;
}

inline SsimMeans ssim_means(const Grid<float>& r, const Grid<float>& d) {
  const float c1 = 0.01f * 255 * (0.01f * 255), c2 = 0.03f * 255 * (0.03f * 255), c3 = c2 / 2;
  const Grid<float> r_mean = windowed(r), d_mean = windowed(d), rr = windowed(product(r, r)),
                    dd = windowed(product(d, d)), rd = windowed(product(r, d));
  SsimMeans sums;
  for (std::size_t i = 0; i < r_mean.size(); i++) {
    const float m1 = r_mean.values[i], m2 = d_mean.values[i];
    const float s1 = std::max(0.0f, rr.values[i] - m1 * m1);
    const float s2 = std::max(0.0f, dd.values[i] - m2 * m2);
    float cov = rd.values[i] - m1 * m2;
    const float sg = std::sqrt(s1 * s2);
    if (cov < 0 && sg <= 0) cov = 0;
    // libvmaf's factor 2 is a double: these numerators are not rounded, their denominators are.
    const double l = (2.0 * m1 * m2 + c1) / (m1 * m1 + m2 * m2 + c1);
    const double c = (2.0 * sg + c2) / (s1 + s2 + c2), s = (cov + c3) / (sg + c3);
    sums.score += l * c * s;
    sums.l += l;
    sums.c += c;
    sums.s += s;
  }
  const auto mean = [&](double sum) {
    return static_cast<double>(static_cast<float>(sum / static_cast<double>(r_mean.size())));
  };
  return {mean(sums.score), mean(sums.l), mean(sums.c), mean(sums.s)};
}

inline Grid<float> box_decimated(const Grid<float>& in, int f) {
  if (f <= 1) return in;
  Grid<float> out(in.width / f + (in.width & 1), in.height / f + (in.height & 1));
  const int first = -(f / 2), last = f / 2 - (f % 2 == 0 ? 1 : 0);
  const float weight = 1.0f / static_cast<float>(f * f);
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++) {
      double sum = 0;
      for (int v = first; v <= last; v++)
        for (int u = first; u <= last; u++)
          sum += in.at(reflect_symmetric(x * f + u, in.width),
                       reflect_symmetric(y * f + v, in.height)) *
                 weight;
      out.at(x, y) = static_cast<float>(sum);
    }
  return out;
}

// Halves with the 9/7 wavelet's low-pass. libvmaf has six decimals of the filter's products, and
// two are not rounded like the rest: [2][3] and [2][4]. Thus the filter is not quite separable.
inline Grid<float> low_pass_halved(const Grid<float>& in) {
  static const float products[5][5] = {{0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f},
                                       {-0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f},
                                       {-0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f},
                                       {0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f},
                                       {0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f}};
  Grid<float> out(in.width / 2 + (in.width & 1), in.height / 2 + (in.height & 1));
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++) {
      double sum = 0;
      for (int v = -4; v <= 4; v++)
        for (int u = -4; u <= 4; u++)
          sum += products[4 - std::abs(v)][4 - std::abs(u)] *
                 in.at(reflect_symmetric(2 * x + u, in.width),
                       reflect_symmetric(2 * y + v, in.height));
      out.at(x, y) = static_cast<float>(sum);
    }
  return out;
}

// A score as enable_db and clip_db change it.
inline double in_decibels(double score, const PictureFormat& format, const Options& options) {
  if (!flag(options, "enable_db")) return score;
  double highest = std::numeric_limits<double>::infinity();
  if (flag(options, "clip_db")) {
    const double peak = (1 << format.bits) - 1;
    const double least = 0.5 / (static_cast<double>(format.width) * format.height);
    highest = std::ceil(10 * std::log10(peak * peak / least));
  }
  return std::min(-10 * std::log10(1 - score), highest);
}

inline Sheet float_ssim(const std::vector<Frame>& frames, const Options& options) {
  Sheet sheet;
  for (const Frame& frame : frames) {
    const Grid<float> r = scaled_luma(frame.reference[0], frame.format.bits, 0);
    const Grid<float> d = scaled_luma(frame.distorted[0], frame.format.bits, 0);
    int scale = static_cast<int>(number(options, "scale", 0));
    if (scale == 0)
      scale = std::max(1, static_cast<int>(std::floor(
                              static_cast<float>(std::min(r.width, r.height)) / 256.0f + 0.5f)));
    const SsimMeans means = ssim_means(box_decimated(r, scale), box_decimated(d, scale));
    sheet.scores["float_ssim"].push_back(in_decibels(means.score, frame.format, options));
    if (!flag(options, "enable_lcs")) continue;
    sheet.scores["float_ssim_l"].push_back(means.l);
    sheet.scores["float_ssim_c"].push_back(means.c);
    sheet.scores["float_ssim_s"].push_back(means.s);
  }
  return sheet;
}

inline Sheet float_ms_ssim(const std::vector<Frame>& frames, const Options& options) {
  static const float exponents[5] = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};
  Sheet sheet;
  for (const Frame& frame : frames) {
    Grid<float> r = scaled_luma(frame.reference[0], frame.format.bits, 0);
    Grid<float> d = scaled_luma(frame.distorted[0], frame.format.bits, 0);
    double score = 1;
    for (int scale = 0; scale < 5; scale++) {
      if (scale > 0) {
        r = low_pass_halved(r);
        d = low_pass_halved(d);
      }
      const SsimMeans means = ssim_means(r, d);
      score *= std::pow(means.l, scale == 4 ? exponents[4] : 0) *
               std::pow(means.c, exponents[scale]) * std::pow(means.s, exponents[scale]);
      if (!flag(options, "enable_lcs")) continue;
      const std::string end = "_scale" + std::to_string(scale);
      sheet.scores["float_ms_ssim_l" + end].push_back(means.l);
      sheet.scores["float_ms_ssim_c" + end].push_back(means.c);
      sheet.scores["float_ms_ssim_s" + end].push_back(means.s);
    }
    sheet.scores["float_ms_ssim"].push_back(in_decibels(score, frame.format, options));
  }
  return sheet;
}

}  // namespace penstock::video::oracle
