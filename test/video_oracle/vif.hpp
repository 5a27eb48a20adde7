// VIF (Sheikh and Bovik 2006) as libvmaf's vif (integers) and float_vif.
#pragma once
#include "video_oracle/grid.hpp"

namespace penstock::video::oracle {

struct VifSums {
  float num = 0, den = 0;
};

using Wide = Grid<std::int64_t>;

inline const std::vector<std::int64_t>& vif_taps(int scale) {
  static const std::vector<std::int64_t> taps[4] = {
      {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935,
       489},
      {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244},
      {3571, 16004, 26386, 16004, 3571},
      {10904, 43728, 10904}};
  return taps[scale];
}

// Filters columns or rows and shifts the sum, rounded where it is shifted.
inline Wide shifted_filter(const Wide& in, int scale, bool is_vertical, int shift) {
  const auto& taps = vif_taps(scale);
  const int radius = static_cast<int>(taps.size()) / 2;
  Wide out(in.width, in.height);
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      std::int64_t sum = shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
      for (int k = -radius; k <= radius; k++)
        sum += taps[static_cast<std::size_t>(k + radius)] *
               (is_vertical ? in.at(x, reflect_101(y + k, in.height))
                            : in.at(reflect_101(x + k, in.width), y));
      out.at(x, y) = sum >> shift;
    }
  return out;
}

inline Wide vif_halved(const Wide& in, int scale, int bits) {
  const Wide smooth =
      shifted_filter(shifted_filter(in, scale, true, scale == 1 ? bits : 16), scale, false, 16);
  Wide out(in.width / 2, in.height / 2);
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++) out.at(x, y) = smooth.at(2 * x, 2 * y);
  return out;
}

inline Wide wide_product(const Wide& a, const Wide& b) {
  Wide out(a.width, a.height);
  for (std::size_t i = 0; i < a.size(); i++) out.values[i] = a.values[i] * b.values[i];
  return out;
}

// 2048 log2(t), from a table of the highest 16 bits.
inline std::int64_t log_2048(std::int64_t t) {
  int shift = 0;
  while (t >> shift > 65535) shift++;
  const float log = std::log2(static_cast<float>(t >> shift));
  return static_cast<std::int64_t>(std::round(log * 2048)) + 2048 * shift;
}

inline VifSums vif_sums(const Wide& r, const Wide& d, int scale, int bits, double gain_limit) {
  const int mean_shift = scale == 0 ? bits : 16, square_shift = scale == 0 ? 2 * (bits - 8) : 16;
  const auto mean = [&](const Wide& in) {
    return shifted_filter(shifted_filter(in, scale, true, mean_shift), scale, false, 0);
  };
  const auto square = [&](const Wide& a, const Wide& b) {
    return shifted_filter(shifted_filter(wide_product(a, b), scale, true, square_shift), scale,
                          false, 16);
  };
  const Wide m1 = mean(r), m2 = mean(d), rr = square(r, r), dd = square(d, d), rd = square(r, d);
  const auto sigma = [](std::int64_t squares, std::int64_t a, std::int64_t b) {
    // The product has 64 bits for white pixels.
    const auto product = static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
    return squares - static_cast<std::int64_t>((product + (std::uint64_t{1} << 31)) >> 32);
  };
  const std::int64_t noise = 131072;
  std::int64_t num_logs = 0, den_logs = 0, flat_num = 0, flat_count = 0;
  for (std::size_t i = 0; i < m1.size(); i++) {
    const std::int64_t s1 = sigma(rr.values[i], m1.values[i], m1.values[i]);
    const std::int64_t s2 =
        std::max<std::int64_t>(0, sigma(dd.values[i], m2.values[i], m2.values[i]));
    const std::int64_t s12 = sigma(rd.values[i], m1.values[i], m2.values[i]);
    if (s1 < noise) {
      flat_num += s2;
      flat_count++;
      continue;
    }
    den_logs += log_2048(noise + s1) - 2048 * 17;
    if (s12 <= 0 || s2 <= 0) continue;
    double g = static_cast<double>(s12) / (static_cast<double>(s1) + 65536e-10);
    const auto sv =
        std::max(0, static_cast<int>(static_cast<double>(s2) - g * static_cast<double>(s12)));
    g = std::min(g, gain_limit);
    num_logs += log_2048(static_cast<std::int64_t>(g * g * static_cast<double>(s1)) + sv + noise) -
                log_2048(sv + noise);
  }
  const double num =
      static_cast<double>(num_logs) / 2048 +
      (static_cast<double>(flat_count) - static_cast<double>(flat_num) / 16384 / 65025);
  const double den = static_cast<double>(den_logs) / 2048 + static_cast<double>(flat_count);
  return {static_cast<float>(num), static_cast<float>(den)};
}

// Adds the scores of a frame's four scales, and with `debug` the scores of all together.
inline void add_vif_scores(const std::array<VifSums, 4>& sums, const std::string& prefix,
                           bool has_float_scores, bool is_debug, Sheet& sheet) {
  double all_num = 0, all_den = 0;
  for (std::size_t scale = 0; scale < 4; scale++) {
    const std::string end = "_scale" + std::to_string(scale);
    const auto [num, den] = sums[scale];
    const double score = static_cast<double>(num) / den;
    sheet.scores[prefix + end].push_back(has_float_scores ? num / den : score);
    all_num += num;
    all_den += den;
    if (!is_debug) continue;
    sheet.scores[prefix + "_num" + end].push_back(num);
    sheet.scores[prefix + "_den" + end].push_back(den);
  }
  if (!is_debug) return;
  sheet.scores[prefix].push_back(all_num / all_den);
  sheet.scores[prefix + "_num"].push_back(all_num);
  sheet.scores[prefix + "_den"].push_back(all_den);
}

inline Sheet vif(const std::vector<Frame>& frames, const Options& options) {
  Sheet sheet;
  for (const Frame& frame : frames) {
    const int bits = static_cast<int>(frame.format.bits);
    const auto widened = [](const Grid<int>& in) {
      Wide out(in.width, in.height);
      std::copy(in.values.begin(), in.values.end(), out.values.begin());
      return out;
    };
    Wide r = widened(frame.reference[0]), d = widened(frame.distorted[0]);
    std::array<VifSums, 4> sums;
    for (int scale = 0; scale < 4; scale++) {
      if (scale > 0) {
        r = vif_halved(r, scale, bits);
        d = vif_halved(d, scale, bits);
      }
      sums[static_cast<std::size_t>(scale)] =
          vif_sums(r, d, scale, bits, number(options, "vif_enhn_gain_limit", 100));
    }
    add_vif_scores(sums, "integer_vif", true, flag(options, "debug"), sheet);
  }
  return sheet;
}

inline std::vector<float> gaussian_taps(int scale) {
  const int size = (1 << (4 - scale)) + 1;
  const double sigma = size / 5.0;
  std::vector<float> taps;
  float sum = 0;
  for (int i = 0; i < size; i++) {
    const double x = i - size / 2;
    taps.push_back(static_cast<float>(std::exp(-x * x / (2 * sigma * sigma))));
    sum += taps.back();
  }
  for (float& tap : taps) tap /= sum;
  return taps;
}

inline VifSums float_vif_sums(const Grid<float>& r, const Grid<float>& d, int scale,
                              float gain_limit) {
  const std::vector<float> taps = gaussian_taps(scale);
  const auto mean = [&](const Grid<float>& in) { return filtered(in, taps, reflect_101); };
  const auto square = [&](const Grid<float>& a, const Grid<float>& b) {
    Grid<float> out(a.width, a.height);
    for (std::size_t i = 0; i < a.size(); i++) out.values[i] = a.values[i] * b.values[i];
    return mean(out);
  };
  const Grid<float> m1 = mean(r), m2 = mean(d), rr = square(r, r), dd = square(d, d),
                    rd = square(r, d);
  const float epsilon = 1e-10f, noise = 2;
  double num_sum = 0, den_sum = 0;
  for (std::size_t i = 0; i < m1.size(); i++) {
    float s1 = std::max(0.0f, rr.values[i] - m1.values[i] * m1.values[i]);
    float s2 = std::max(0.0f, dd.values[i] - m2.values[i] * m2.values[i]);
    const float s12 = rd.values[i] - m1.values[i] * m2.values[i];
    float g = s12 / (s1 + epsilon), sv = s2 - g * s12;
    if (s1 < epsilon) g = 0, sv = s2, s1 = 0;
    if (s2 < epsilon) g = 0, sv = 0;
    if (g < 0) sv = s2, g = 0;
    sv = std::max(sv, epsilon);
    g = std::min(g, gain_limit);
    double num = std::log2(1 + g * g * s1 / (sv + noise)), den = std::log2(1 + s1 / noise);
    if (s12 < 0) num = 0;
    if (s1 < noise) num = 1 - s2 * 4 / 65025, den = 1;
    num_sum += num;
    den_sum += den;
  }
  return {static_cast<float>(num_sum), static_cast<float>(den_sum)};
}

inline Grid<float> gaussian_halved(const Grid<float>& in, int scale) {
  const Grid<float> smooth = filtered(in, gaussian_taps(scale), reflect_101);
  Grid<float> out(in.width / 2, in.height / 2);
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++) out.at(x, y) = smooth.at(2 * x, 2 * y);
  return out;
}

inline Sheet float_vif(const std::vector<Frame>& frames, const Options& options) {
  Sheet sheet;
  const float gain_limit = static_cast<float>(number(options, "vif_enhn_gain_limit", 100));
  for (const Frame& frame : frames) {
    Grid<float> r = scaled_luma(frame.reference[0], frame.format.bits, -128);
    Grid<float> d = scaled_luma(frame.distorted[0], frame.format.bits, -128);
    std::array<VifSums, 4> sums;
    for (int scale = 0; scale < 4; scale++) {
      if (scale > 0) {
        r = gaussian_halved(r, scale);
        d = gaussian_halved(d, scale);
      }
      sums[static_cast<std::size_t>(scale)] = float_vif_sums(r, d, scale, gain_limit);
    }
    add_vif_scores(sums, "vif", false, flag(options, "debug"), sheet);
  }
  return sheet;
}

}  // namespace penstock::video::oracle
