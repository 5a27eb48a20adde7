// CAMBI (Tandon et al. 2021), banding, as libvmaf's cambi: every count by a scan of the window.
#pragma once
#include <cstdio>
#include <cstdlib>

#include "video_oracle/grid.hpp"

namespace penstock::video::oracle {

struct CambiSetting {
  int width = 0, height = 0;  // of the picture as encoded
  int bits = 0;               // as encoded
  bool is_halved_first = false;
  int window = 0;
  int contrasts = 0;
  double topk = 0;
  std::array<int, 33> highest_visible = {};  // [d]: the highest level at which a step of d shows
  int darkest = 0;                           // the first level above cambi_vis_lum_threshold
};

inline double luminance(int sample, bool is_pq) {
  const double v = (std::clamp(sample, 64, 940) - 64) / 876.0;
  if (is_pq) {
    const double m1 = 0.1593017578125, m2 = 78.84375, c1 = 0.8359375, c2 = 18.8515625, c3 = 18.6875;
    const double p = std::pow(v, 1 / m2);
    return 10000 * std::pow(std::max(p - c1, 0.0) / (c2 - c3 * p), 1 / m1);
  }
  const double g = 2.4, white = std::pow(300, 1 / g), black = std::pow(0.01, 1 / g);
  return std::pow(white - black, g) * std::pow(std::max(v + black / (white - black), 0.0), g);
}

// Returns the highest level at which a step of `d` is visible.
inline int highest_visible_level(int d, double threshold, bool is_pq) {
  const auto is_visible = [&](int s) {
    const double y = luminance(s, is_pq);
    return luminance(s + d, is_pq) - y > threshold * y;
  };
  const int foot = 64, head = 940;
  if (!is_visible(foot)) return 0;
  if (!is_visible(foot + 1)) return foot;
  if (is_visible(head - d - 1) && is_visible(head - d)) return 1023;
  int low = foot, high = head - d - 1;
  while (!(is_visible(low) && !is_visible(low + 1))) {
    const int middle = low + (high - low) / 2;
    if (middle == low) break;
    if (is_visible(middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

inline CambiSetting cambi_setting(const PictureFormat& format, const Options& options,
                                  bool is_source) {
  CambiSetting setting;
  const int w = static_cast<int>(format.width), h = static_cast<int>(format.height);
  int enc_w = static_cast<int>(number(options, "enc_width", 0));
  int enc_h = static_cast<int>(number(options, "enc_height", 0));
  if (enc_w == 0 || enc_h == 0 || enc_w > w || enc_h > h) enc_w = w, enc_h = h;
  setting.width = enc_w;
  setting.height = enc_h;
  if (is_source) {
    setting.width = static_cast<int>(number(options, "src_width", 0));
    setting.height = static_cast<int>(number(options, "src_height", 0));
    if (setting.width == 0 || setting.height == 0) setting.width = w, setting.height = h;
  }
  setting.bits = static_cast<int>(number(options, "enc_bitdepth", 0));
  if (setting.bits == 0) setting.bits = static_cast<int>(format.bits);
  const int speedup = static_cast<int>(number(options, "cambi_high_res_speedup", 0));
  const std::int64_t area = static_cast<std::int64_t>(enc_w) * enc_h;
  setting.is_halved_first = (speedup == 1080 && area >= 1920 * 1080) ||
                            (speedup == 1440 && area >= 2560 * 1440) ||
                            (speedup == 2160 && area >= 3840 * 2160);
  setting.window = static_cast<int>(number(options, "window_size", 65)) *
                       (setting.width + setting.height) / 375 >>
                   4;
  if (setting.is_halved_first) setting.window = (setting.window + 1) >> 1;
  setting.window |= 1;
  setting.contrasts = 1 << static_cast<int>(number(options, "max_log_contrast", 2));
  setting.topk = number(options, "topk", 0.6);
  if (setting.topk == 0.6) setting.topk = number(options, "cambi_topk", 0.6);
  std::string eotf = text(options, "cambi_eotf", "bt1886");
  if (eotf == "bt1886") eotf = text(options, "eotf", "bt1886");
  for (int d = 1; d <= setting.contrasts; d++)
    setting.highest_visible[static_cast<std::size_t>(d)] =
        highest_visible_level(d, number(options, "tvi_threshold", 0.019), eotf == "pq");
  const double threshold = number(options, "cambi_vis_lum_threshold", 0);
  setting.darkest = 64;
  while (setting.darkest < 1023 && luminance(setting.darkest, eotf == "pq") < threshold)
    setting.darkest++;
  if (setting.darkest == 64) setting.darkest = 0;
  return setting;
}

// The samples that a nearest-neighbour scaler of libvmaf takes.
inline std::vector<int> nearest_indices(int in, int out) {
  const float ratio = static_cast<float>(in) / static_cast<float>(out);
  float position = ratio / 2 - 0.5f;
  std::vector<int> indices;
  for (int i = 0; i < out; i++, position += ratio)
    indices.push_back(static_cast<int>(position + 0.5f));
  return indices;
}

inline Grid<int> prepared_picture(const Grid<int>& luma, int bits, const CambiSetting& setting) {
  const std::vector<int> columns = nearest_indices(luma.width, setting.width);
  const std::vector<int> rows = nearest_indices(luma.height, setting.height);
  const int w = setting.width, h = setting.height;
  const bool is_resampled = w != luma.width || h != luma.height;
  Grid<int> ten(w, h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const int v = is_resampled ? luma.at(columns[static_cast<std::size_t>(x)],
                                           rows[static_cast<std::size_t>(y)])
                                 : luma.at(x, y);
      ten.at(x, y) = bits < 10    ? v << (10 - bits)
                     : bits == 10 ? v
                                  : (v + (1 << (bits - 11))) >> (bits - 10);
    }
  if (setting.bits >= 10) return ten;
  Grid<int> smooth(w, h);  // what undoes the dither of encoders
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const bool has_right = x + 1 < w, has_below = y + 1 < h;
      int v = ten.at(x, y);
      if (has_right && has_below)
        v = (v + ten.at(x + 1, y) + ten.at(x, y + 1) + ten.at(x + 1, y + 1)) >> 2;
      else if (has_below)
        v = (v + ten.at(x, y + 1)) >> 1;
      else if (has_right)
        v = (v + ten.at(x + 1, y)) >> 1;
      smooth.at(x, y) = v;
    }
  return smooth;
}

inline int ceiling_log2(int n) {
  int log = 0;
  while (n > 0 && (1 << log) < n) log++;
  return log;
}

// Marks pixels around which enough others equal their right and lower neighbours.
inline Grid<int> flat_mask(const Grid<int>& image) {
  const int w = image.width, h = image.height;
  Grid<int> equal(w, h), mask(w, h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      equal.at(x, y) = (x == w - 1 || image.at(x, y) == image.at(x + 1, y)) &&
                       (y == h - 1 || image.at(x, y) == image.at(x, y + 1));
  const int threshold = (49 + 3 * (ceiling_log2((w >> 6) * (h >> 6)) - 11) - 1) >> 1;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int sum = 0;
      for (int v = std::max(0, y - 3); v <= std::min(h - 1, y + 3); v++)
        for (int u = std::max(0, x - 3); u <= std::min(w - 1, x + 3); u++) sum += equal.at(u, v);
      mask.at(x, y) = sum > threshold;
    }
  return mask;
}

inline Grid<int> every_other(const Grid<int>& in) {
  Grid<int> out((in.width + 1) >> 1, (in.height + 1) >> 1);
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++) out.at(x, y) = in.at(2 * x, 2 * y);
  return out;
}

inline int mode_of(int a, int b, int c) {
  if (a == b || a == c) return a;
  return b == c ? b : std::min({a, b, c});
}
inline Grid<int> mode_filtered(const Grid<int>& in) {
  Grid<int> rows = in;
  for (int y = 0; y < in.height; y++)
    for (int x = 1; x + 1 < in.width; x++)
      rows.at(x, y) = mode_of(in.at(x - 1, y), in.at(x, y), in.at(x + 1, y));
  Grid<int> out = in;  // the first and the last row keep what no filter saw
  for (int y = 1; y + 1 < in.height; y++)
    for (int x = 0; x < in.width; x++)
      out.at(x, y) = mode_of(rows.at(x, y - 1), rows.at(x, y), rows.at(x, y + 1));
  return out;
}

// 1 / i as libvmaf's table has it: read back from nine digits.
inline float reciprocal(int i) {
  if (i == 0) return 0;
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.9g", 1.0 / i);
  return std::strtof(digits, nullptr);
}

inline float contrast_at(const Grid<int>& image, const Grid<int>& mask, int x, int y,
                         const CambiSetting& setting) {
  static const int weights[33] = {0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
                                  8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  const int pad = setting.window >> 1, most = setting.contrasts, v0 = image.at(x, y);
  std::vector<int> counts(static_cast<std::size_t>(2 * most + 1));
  for (int v = std::max(0, y - pad); v <= std::min(image.height - 1, y + pad); v++)
    for (int u = std::max(0, x - pad); u <= std::min(image.width - 1, x + pad); u++) {
      const int difference = image.at(u, v) - v0;
      if (mask.at(u, v) && std::abs(difference) <= most)
        counts[static_cast<std::size_t>(difference + most)]++;
    }
  float contrast = 0;
  const int p0 = counts[static_cast<std::size_t>(most)];
  for (int d = 1; d <= most; d++) {
    if (v0 > setting.highest_visible[static_cast<std::size_t>(d)] ||
        v0 + most + d <= setting.darkest)
      continue;
    const int pm = std::max(counts[static_cast<std::size_t>(most + d)],
                            counts[static_cast<std::size_t>(most - d)]);
    contrast = std::max(contrast, static_cast<float>(weights[d] * p0 * pm) * reciprocal(p0 + pm));
  }
  return contrast;
}

inline double cambi_of(const Grid<int>& luma, int bits, const CambiSetting& setting) {
  Grid<int> image = prepared_picture(luma, bits, setting), mask = flat_mask(image);
  double score = 0;
  for (int scale = 0; scale < 5; scale++) {
    if (scale > 0 || setting.is_halved_first) {
      image = every_other(image);
      mask = every_other(mask);
    }
    image = mode_filtered(image);
    std::vector<float> contrasts;
    for (int y = 0; y < image.height; y++)
      for (int x = 0; x < image.width; x++)
        contrasts.push_back(mask.at(x, y) ? contrast_at(image, mask, x, y, setting) : 0);
    std::sort(contrasts.begin(), contrasts.end(), std::greater<>());
    const int pixels = static_cast<int>(contrasts.size());
    const int count = std::clamp(static_cast<int>(setting.topk * pixels), 1, pixels);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += contrasts[static_cast<std::size_t>(i)];
    score += (16 >> scale) * (sum / count);
  }
  return score / (setting.window * setting.window);
}

inline Sheet cambi(const std::vector<Frame>& frames, const Options& options) {
  Sheet sheet;
  const double highest = number(options, "cambi_max_val", 1000);
  for (const Frame& frame : frames) {
    const int bits = static_cast<int>(frame.format.bits);
    const double distorted =
        cambi_of(frame.distorted[0], bits, cambi_setting(frame.format, options, false));
    sheet.scores["cambi"].push_back(std::min(distorted, highest));
    if (!flag(options, "full_ref")) continue;
    const double source =
        cambi_of(frame.reference[0], bits, cambi_setting(frame.format, options, true));
    sheet.scores["cambi_source"].push_back(std::min(source, highest));
    sheet.scores["cambi_full_reference"].push_back(
        std::min(std::max(0.0, distorted - source), highest));
  }
  return sheet;
}

}  // namespace penstock::video::oracle
