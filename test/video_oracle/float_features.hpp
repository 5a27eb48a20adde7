// libvmaf's float_psnr, float_moment and float_ansnr.
#pragma once
#include "video_oracle/grid.hpp"

namespace penstock::video::oracle {

inline double float_peak(std::uint32_t bits) { return 256 - 1.0 / (1 << (bits - 8)); }
inline double float_cap(std::uint32_t bits) { return 6.0 * bits + 12; }

inline Sheet float_psnr(const std::vector<Frame>& frames, const Options&) {
  Sheet sheet;
  for (const Frame& frame : frames) {
    const Grid<float> r = scaled_luma(frame.reference[0], frame.format.bits, 0);
    const Grid<float> d = scaled_luma(frame.distorted[0], frame.format.bits, 0);
    double noise = 0;
    for (std::size_t i = 0; i < r.size(); i++) {
      const double difference = r.values[i] - d.values[i];
      noise += difference * difference;
    }
    noise = std::max(noise / static_cast<double>(r.size()), 1e-10);
    const double peak = float_peak(frame.format.bits);
    sheet.scores["float_psnr"].push_back(
        std::min(10 * std::log10(peak * peak / noise), float_cap(frame.format.bits)));
  }
  return sheet;
}

inline Sheet float_moment(const std::vector<Frame>& frames, const Options&) {
  Sheet sheet;
  for (const Frame& frame : frames)
    for (const bool is_reference : {true, false}) {
      const Grid<float> in =
          scaled_luma(is_reference ? frame.reference[0] : frame.distorted[0], frame.format.bits, 0);
      double first = 0, second = 0;
      for (const float v : in.values) {
        first += v;
        second += static_cast<double>(v) * v;
      }
      const std::string prefix = is_reference ? "float_moment_ref" : "float_moment_dis";
      sheet.scores[prefix + "1st"].push_back(first / static_cast<double>(in.size()));
      sheet.scores[prefix + "2nd"].push_back(second / static_cast<double>(in.size()));
    }
  return sheet;
}

// Filters with a square of weights that add up to `divisor`.
inline Grid<float> square_filtered(const Grid<float>& in, const std::vector<int>& weights,
                                   float divisor) {
  const int size = static_cast<int>(std::lround(std::sqrt(weights.size()))), radius = size / 2;
  Grid<float> out(in.width, in.height);
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      float sum = 0;
      for (int v = -radius; v <= radius; v++)
        for (int u = -radius; u <= radius; u++)
          sum += static_cast<float>(
                     weights[static_cast<std::size_t>((v + radius) * size + u + radius)]) /
                 divisor * in.at(reflect_mixed(x + u, in.width), reflect_mixed(y + v, in.height));
      out.at(x, y) = sum;
    }
  return out;
}

inline Sheet float_ansnr(const std::vector<Frame>& frames, const Options&) {
  static const std::vector<int> three = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  static const std::vector<int> five = {2,  7,  12, 7,  2,  7,  31, 52, 31, 7,  12, 52, 127,
                                        52, 12, 7,  31, 52, 31, 7,  2,  7,  12, 7,  2};
  Sheet sheet;
  for (const Frame& frame : frames) {
    const std::uint32_t bits = frame.format.bits;
    const Grid<float> r = square_filtered(scaled_luma(frame.reference[0], bits, -128), three, 16);
    const Grid<float> d = square_filtered(scaled_luma(frame.distorted[0], bits, -128), five, 571);
    double signal = 0, noise = 0;
    for (std::size_t i = 0; i < r.size(); i++) {
      const double difference = r.values[i] - d.values[i];
      signal += static_cast<double>(r.values[i]) * r.values[i];
      noise += difference * difference;
    }
    const double peak = float_peak(bits), cap = float_cap(bits);
    sheet.scores["float_ansnr"].push_back(noise == 0 ? cap : 10 * std::log10(signal / noise));
    sheet.scores["float_anpsnr"].push_back(std::min(
        10 * std::log10(peak * peak * static_cast<double>(r.size()) / std::max(noise, 1e-10)),
        cap));
  }
  return sheet;
}

}  // namespace penstock::video::oracle
