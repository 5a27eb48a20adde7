// The foundation of the oracle of videos: planes as plain grids, borders, options and sheets of
// scores.
//
// The oracle follows libvmaf 3.2.0's definitions in the simplest loops that there are. It shares no
// code with src/video: it is slow, and its mistakes are not likely to be the library's.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "penstock/video.hpp"

namespace penstock::video::oracle {

template <class T> struct Grid {
  int width = 0, height = 0;
  std::vector<T> values = {};
  Grid() = default;
  Grid(int w, int h) : width(w), height(h), values(static_cast<std::size_t>(w) * h) {}
  T& at(int x, int y) { return values[static_cast<std::size_t>(y) * width + x]; }
  const T& at(int x, int y) const { return values[static_cast<std::size_t>(y) * width + x]; }
  std::size_t size() const { return values.size(); }
};

// The planes of one frame of both videos.
struct Frame {
  PictureFormat format;
  std::array<Grid<int>, 3> reference = {}, distorted = {};
};

// Reflects without repeating the edge, as often as a small plane needs.
inline int reflect_101(int i, int n) {
  if (n == 1) return 0;
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * n - 2 - i;
  return i;
}
// Reflects with the edge repeated.
inline int reflect_symmetric(int i, int n) {
  while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
  return i;
}
// Reflects as libvmaf's ANSNR does: without the edge on the left, with it on the right.
inline int reflect_mixed(int i, int n) {
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * n - 1 - i;
  return i;
}

// Samples as libvmaf's float features read them, in the range of 8 bits.
inline Grid<float> scaled_luma(const Grid<int>& luma, std::uint32_t bits, float offset) {
  const float divisor = static_cast<float>(1 << (bits - 8));
  Grid<float> scaled(luma.width, luma.height);
  for (std::size_t i = 0; i < luma.size(); i++)
    scaled.values[i] = static_cast<float>(luma.values[i]) / divisor + offset;
  return scaled;
}

// Filters columns, then rows, and stores floats in between.
template <class Reflect>
Grid<float> filtered(const Grid<float>& in, const std::vector<float>& taps, Reflect reflect) {
  const int radius = static_cast<int>(taps.size()) / 2;
  Grid<float> columns(in.width, in.height), out(in.width, in.height);
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      float sum = 0;
      for (int k = -radius; k <= radius; k++)
        sum += taps[k + radius] * in.at(x, reflect(y + k, in.height));
      columns.at(x, y) = sum;
    }
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      float sum = 0;
      for (int k = -radius; k <= radius; k++)
        sum += taps[k + radius] * columns.at(reflect(x + k, in.width), y);
      out.at(x, y) = sum;
    }
  return out;
}

using Options = std::map<std::string, std::string>;
inline double number(const Options& options, const char* name, double otherwise) {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : std::stod(found->second);
}
inline std::string text(const Options& options, const char* name, const char* otherwise) {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : found->second;
}
inline bool flag(const Options& options, const char* name, bool otherwise = false) {
  return text(options, name, otherwise ? "true" : "false") == "true";
}

// Scores by libvmaf's name, without what options append: one of each frame, or one of the video.
struct Sheet {
  std::map<std::string, std::vector<double>> scores = {};
  std::map<std::string, double> aggregates = {};
};

}  // namespace penstock::video::oracle
