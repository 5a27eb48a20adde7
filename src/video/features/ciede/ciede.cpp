// CIEDE2000: the difference of colours as people see it. Sharma, Wu, Dalal: "The CIEDE2000
// color-difference formula", 2005; weights of Yang, Ming, Yu (kL 0.65, kC 1, kH 4).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "video/features/ciede/ciede.hpp"
#include "video/host/image.hpp"

namespace penstock::video {
namespace {

constexpr double pi = std::numbers::pi;

struct Lab {
  float l, a, b;
};

double linear(double value) {
  return value > 10.0 / 255 ? std::pow((value + 0.055) / 1.055, 2.4) : value / 12.92;
}

// The cube root of CIE Lab, with a line near 0.
float lab_root(double value) {
  constexpr double kappa = 24389.0 / 27, epsilon = 216.0 / 24389;
  return static_cast<float>(value > epsilon ? std::cbrt(value) : (kappa * value + 16) / 116);
}

// BT.709 in limited range to linear RGB, XYZ of D65, and Lab.
Lab lab_of(double y, double u, double v) {
  const double r = linear(y + 1.28033 * v), g = linear(y - 0.21482 * u - 0.38059 * v),
               b = linear(y + 2.12798 * u);
  const double x = 0.4124564390896921 * r + 0.357576077643909 * g + 0.18043748326639894 * b;
  const double luminance =
      0.21267285140562248 * r + 0.715152155287818 * g + 0.07217499330655958 * b;
  const double z = 0.019333895582329317 * r + 0.119192025881303 * g + 0.9503040785363677 * b;
  const double fx = lab_root(x / 0.95047), fy = lab_root(luminance), fz = lab_root(z / 1.08883);
  return {static_cast<float>(116 * fy - 16), static_cast<float>(500 * (fx - fy)),
          static_cast<float>(200 * (fy - fz))};
}

float hue_of(float a, float b) {
  if (a == 0 && b == 0) return 0;
  const float hue = std::atan2(b, a);
  return hue < 0 ? hue + static_cast<float>(2 * pi) : hue;
}

float power7(float value) { return std::pow(value, 7.0f); }

// The difference of hues, and their mean.
struct Hues {
  float difference, mean;
};
Hues hues_of(float h1, float h2, bool is_grey) {
  const auto full = static_cast<float>(2 * pi);
  float difference = is_grey ? 0 : h2 - h1;
  if (difference > static_cast<float>(pi)) difference -= full;
  if (difference < -static_cast<float>(pi)) difference += full;
  const bool is_wrapped = std::abs(h1 - h2) > static_cast<float>(pi);
  return {difference, is_wrapped ? (h1 + h2 + full) / 2 : (h1 + h2) / 2};
}

float weight_of_hue(float mean) {
  return 1 - 0.17f * std::cos(mean - static_cast<float>(pi / 6)) + 0.24f * std::cos(2 * mean) +
         0.32f * std::cos(3 * mean + static_cast<float>(pi / 30)) -
         0.20f * std::cos(4 * mean - static_cast<float>(63 * pi / 180));
}

float rotation(float mean_hue, float mean_chroma) {
  const float turn = (mean_hue * static_cast<float>(180 / pi) - 275) / 25;
  const float angle = static_cast<float>(30 * pi / 180) * std::exp(-turn * turn);
  const float c7 = power7(mean_chroma);
  return -2 * std::sqrt(c7 / (c7 + power7(25))) * std::sin(2 * angle);
}

float difference(const Lab& one, const Lab& other) {
  const float c1 = std::hypot(one.a, one.b), c2 = std::hypot(other.a, other.b);
  const float c7 = power7((c1 + c2) / 2);
  const float g = 0.5f * (1 - std::sqrt(c7 / (c7 + power7(25))));
  const float a1 = one.a * (1 + g), a2 = other.a * (1 + g);
  const float chroma1 = std::hypot(a1, one.b), chroma2 = std::hypot(a2, other.b);
  const Hues hues = hues_of(hue_of(a1, one.b), hue_of(a2, other.b), c1 == 0 || c2 == 0);
  const float mean_l = (one.l + other.l) / 2, mean_c = (chroma1 + chroma2) / 2;
  const float from_50 = (mean_l - 50) * (mean_l - 50);
  const float sl = 1 + 0.015f * from_50 / std::sqrt(20 + from_50);
  const float sc = 1 + 0.045f * mean_c, sh = 1 + 0.015f * mean_c * weight_of_hue(hues.mean);
  const float l = (other.l - one.l) / (0.65f * sl), c = (chroma2 - chroma1) / sc;
  const float h = 2 * std::sqrt(chroma1 * chroma2) * std::sin(hues.difference / 2) / (4 * sh);
  return std::sqrt(l * l + c * c + h * h + rotation(hues.mean, mean_c) * c * h);
}

// A picture's planes, chroma taken from the nearest sample.
class Colours {
 public:
  explicit Colours(const Picture& picture)
      : format_(picture.format),
        y_(samples_of(picture, 0)),
        u_(samples_of(picture, 1)),
        v_(samples_of(picture, 2)) {}
  Lab at(std::uint32_t x, std::uint32_t y) const {
    const double scale = 1u << (format_.bits - 8);
    const std::uint32_t cx = format_.chroma == Chroma::c444 ? x : x / 2;
    const std::uint32_t cy = format_.chroma == Chroma::c420 ? y / 2 : y;
    return lab_of((y_.at(x, y) - 16 * scale) / (219 * scale),
                  (u_.at(cx, cy) - 128 * scale) / (224 * scale),
                  (v_.at(cx, cy) - 128 * scale) / (224 * scale));
  }

 private:
  PictureFormat format_;
  Image<std::uint16_t> y_, u_, v_;
};

class HostCiede final : public HostFeature {
 public:
  HostCiede(const PictureFormat& format, const OptionValues&) : format_(format) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    const Colours a(reference), b(distorted);
    double sum = 0;
    for (std::uint32_t y = 0; y < format_.height; y++)
      for (std::uint32_t x = 0; x < format_.width; x++) sum += difference(a.at(x, y), b.at(x, y));
    const double mean = sum / (double{1} * format_.width * format_.height);
    scores.set("ciede2000", frame, 45 - 20 * std::log10(mean));
    return {};
  }

 private:
  PictureFormat format_;
};

Result<std::unique_ptr<HostFeature>> make_host_ciede(const PictureFormat& format,
                                                     const OptionValues& options) {
  if (format.chroma == Chroma::none) return Status(Code::invalid, "ciede needs chroma planes");
  return host_feature<HostCiede>(format, options);
}

}  // namespace

const FeatureRow ciede_row = {.name = "ciede",
                              .summary = "CIEDE2000, the difference of colours",
                              .options = {},
                              .host = make_host_ciede,
                              .device = make_device_ciede,
                              .fast_host = make_fast_ciede};

}  // namespace penstock::video
