// CIEDE2000 in vectors of float. Colours differ little, so that what the formula takes from angles
// follows from differences: no angle is computed.
//
// Powers are Newton's iterations from a guess by the exponent's bits; exponential function and sine
// are polynomials, fitted to 1e-7 and better in their ranges.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "video/features/ciede/ciede.hpp"
#include "video/host/sample_rows.hpp"
#include "video/host/sums.hpp"

namespace penstock::video {
namespace {

constexpr std::size_t strip = 256;  // columns: their data stays in the first cache
constexpr float tiny = 1e-30f;

PENSTOCK_IN_VECTOR_LOOP float at_least(float value, float least) {
  return value > least ? value : least;
}

// Returns a guess of value^(-1/root), off by 4 % at most. The exponent's bits are divided.
PENSTOCK_IN_VECTOR_LOOP float guessed_root(float value, float negative_share, float offset) {
  const auto bits = static_cast<float>(std::bit_cast<std::int32_t>(value));
  return std::bit_cast<float>(static_cast<std::int32_t>(bits * negative_share + offset));
}

// Returns value^2.4 of 0.05 to 2, as (value * value^(-1/5))^3.
PENSTOCK_IN_VECTOR_LOOP float power_2_4(float value) {
  float root = guessed_root(value, -1.0f / 5, 1.2f * 0x3F7A3C00);
  for (int i = 0; i < 3; i++) {
    const float square = root * root, power5 = square * square * root;
    root += root * (0.2f * (1 - value * power5));
  }
  const float power = value * root;
  return power * power * power;
}

// Returns the cube root of 0.001 to 10.
PENSTOCK_IN_VECTOR_LOOP float cube_root(float value) {
  float inverse = guessed_root(value, -1.0f / 3, 4.0f / 3 * 0x3F7A3C00);
  for (int i = 0; i < 2; i++)
    inverse *= 4.0f / 3 - 1.0f / 3 * value * (inverse * inverse * inverse);
  const float square = inverse * inverse, root = value * square;
  return root - (root * root * root - value) * (1.0f / 3) * square;
}

// BT.709's transfer function and Lab's cube root, each with its line near 0.
PENSTOCK_IN_VECTOR_LOOP float linear(float value) {
  const float power = power_2_4(at_least((value + 0.055f) * (1 / 1.055f), 0.05f));
  return value > 10.0f / 255 ? power : value * (1 / 12.92f);
}
PENSTOCK_IN_VECTOR_LOOP float lab_root(float value) {
  const float root = cube_root(at_least(value, 0.001f));
  return value > 216.0f / 24389 ? root : value * (24389.0f / 27 / 116) + 16.0f / 116;
}

// The shares of chroma in red, green and blue; Lab of pixels.
struct Colours {
  float red[strip + 1], green[strip + 1], blue[strip + 1];
  float l[strip], a[strip], b[strip];
};

struct Scale {
  float black, luma, grey, chroma;  // (y - black) * luma, (u - grey) * chroma
};

template <class Samples>
PENSTOCK_IN_VECTOR_LOOP void chroma_terms(const std::byte* u_row, const std::byte* v_row,
                                          const Scale& scale, std::size_t x, float& red,
                                          float& green, float& blue) {
  const float u = (static_cast<float>(Samples::at(u_row, x)) - scale.grey) * scale.chroma;
  const float v = (static_cast<float>(Samples::at(v_row, x)) - scale.grey) * scale.chroma;
  red = 1.28033f * v, green = -0.21482f * u - 0.38059f * v, blue = 2.12798f * u;
}

template <class Samples>
PENSTOCK_VECTOR_LOOP void set_chroma(const std::byte* __restrict u_row,
                                     const std::byte* __restrict v_row, std::size_t first,
                                     std::size_t count, const Scale& scale_of,
                                     Colours& __restrict out) {
  const Scale scale = scale_of;
  for (std::size_t x = 0; x < count; x++)
    chroma_terms<Samples>(u_row, v_row, scale, first + x, out.red[x], out.green[x], out.blue[x]);
}

// The same where each chroma sample is that of two columns. `first` is even.
template <class Samples>
PENSTOCK_VECTOR_LOOP void set_halved_chroma(const std::byte* __restrict u_row,
                                            const std::byte* __restrict v_row, std::size_t first,
                                            std::size_t count, const Scale& scale_of,
                                            Colours& __restrict out) {
  const Scale scale = scale_of;
  for (std::size_t x = 0; x < (count + 1) / 2; x++) {
    float red, green, blue;
    chroma_terms<Samples>(u_row, v_row, scale, first / 2 + x, red, green, blue);
    out.red[2 * x] = red, out.red[2 * x + 1] = red;
    out.green[2 * x] = green, out.green[2 * x + 1] = green;
    out.blue[2 * x] = blue, out.blue[2 * x + 1] = blue;
  }
}

template <class Samples>
PENSTOCK_VECTOR_LOOP void set_lab(const std::byte* __restrict y_row, std::size_t first,
                                  std::size_t count, const Scale& scale_of,
                                  Colours& __restrict out) {
  const Scale scale = scale_of;
  for (std::size_t i = 0; i < count; i++) {
    const float y = (static_cast<float>(Samples::at(y_row, first + i)) - scale.black) * scale.luma;
    const float r = linear(y + out.red[i]), g = linear(y + out.green[i]),
                b = linear(y + out.blue[i]);
    const float x = (0.412456439f / 0.95047f) * r + (0.357576078f / 0.95047f) * g +
                    (0.180437483f / 0.95047f) * b;
    const float luminance = 0.212672851f * r + 0.715152155f * g + 0.0721749933f * b;
    const float z = (0.0193338956f / 1.08883f) * r + (0.119192026f / 1.08883f) * g +
                    (0.950304079f / 1.08883f) * b;
    const float fx = lab_root(x), fy = lab_root(luminance), fz = lab_root(z);
    out.l[i] = 116 * fy - 16, out.a[i] = 500 * (fx - fy), out.b[i] = 200 * (fy - fz);
  }
}

PENSTOCK_IN_VECTOR_LOOP float length(float x, float y) { return std::sqrt(x * x + y * y); }

// The share of chroma that G and R_T take: sqrt(c^7 / (c^7 + 25^7)).
PENSTOCK_IN_VECTOR_LOOP float chroma_share(float c) {
  const float c3 = c * c * c, c7 = c3 * c3 * c;
  return std::sqrt(c7 / (c7 + 6103515625.0f));
}

// T, from the mean hue's cosine and sine, through cosines and sines of its multiples.
PENSTOCK_IN_VECTOR_LOOP float weight_of_hue(float c, float s) {
  const float c2 = c * c - s * s, s2 = 2 * s * c;
  const float c3 = c2 * c - s2 * s, s3 = s2 * c + c2 * s;
  const float c4 = c2 * c2 - s2 * s2, s4 = 2 * s2 * c2;
  return 1 - (0.17f * 0.866025404f * c + 0.17f * 0.5f * s) + 0.24f * c2 +
         (0.32f * 0.994521895f * c3 - 0.32f * 0.104528463f * s3) -
         (0.20f * 0.453990500f * c4 + 0.20f * 0.891006524f * s4);
}

// Returns e^-value of 0 to 80.
PENSTOCK_IN_VECTOR_LOOP float exp_minus(float value) {
  constexpr float to_integer = 12582912;  // 1.5 * 2^23: a sum with it is rounded to an integer
  const float power = value * -1.44269504f, shifted = power + to_integer;
  const float rest = power - (shifted - to_integer);
  float sum = 0.00132764668f;
  sum = sum * rest + 0.00967554129f;
  sum = sum * rest + 0.0555071329f;
  sum = sum * rest + 0.240221197f;
  sum = sum * rest + 0.693146967f;
  sum = sum * rest + 1;
  const std::int32_t steps = std::bit_cast<std::int32_t>(shifted) - 0x4B400000;
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(sum) + (steps << 23));
}

// R_T. The square of (hue - 275 degrees) / 25 is a function of the cosine of hue - 275 degrees.
// Further away than 107 degrees e^-square is below 1e-8.
PENSTOCK_IN_VECTOR_LOOP float rotation(float c, float s, float mean_chroma) {
  const float away = 1 - (0.0871557427f * c - 0.996194698f * s);
  const float v = at_least(away < 1.3f ? away : 1.3f, 0);
  float square = 0.0470444090f;
  square = square * v + 0.0318967403f;
  square = square * v + 0.157262791f;
  square = square * v + 0.465803321f;
  square = square * v + 1.75089747f;
  square = (square * v + 10.5049791f) * v;
  const float angle = 1.04719755f * exp_minus(square), angle2 = angle * angle;
  float sine = -0.000192454140f;
  sine = sine * angle2 + 0.00832927f;
  sine = sine * angle2 - 0.166665778f;
  sine = (sine * angle2 + 1) * angle;
  return -2 * chroma_share(mean_chroma) * sine;
}

struct Hues {
  float cosine, sine;  // of the mean: the bisector. A grey pixel has hue 0.
};
PENSTOCK_IN_VECTOR_LOOP Hues mean_hue(float a1, float b1, float c1, float a2, float b2, float c2) {
  const float x1 = c1 > 0 ? a1 : 1, length1 = c1 > 0 ? c1 : 1;
  const float x2 = c2 > 0 ? a2 : 1, length2 = c2 > 0 ? c2 : 1;
  const float x = x1 * length2 + x2 * length1, y = b1 * length2 + b2 * length1;
  const float scale = 1 / at_least(length(x, y), tiny);
  return {x * scale, y * scale};
}

PENSTOCK_VECTOR_LOOP void set_differences(const Colours& __restrict one,
                                          const Colours& __restrict other, std::size_t count,
                                          float* __restrict out) {
  for (std::size_t i = 0; i < count; i++) {
    const float da = other.a[i] - one.a[i], b1 = one.b[i], b2 = other.b[i], db = b2 - b1;
    const float c1 = length(one.a[i], b1), c2 = length(other.a[i], b2);
    const float stretch = 1.5f - 0.5f * chroma_share((c1 + c2) * 0.5f);
    const float a1 = one.a[i] * stretch, a2 = other.a[i] * stretch, da_stretched = da * stretch;
    const float chroma1 = length(a1, b1), chroma2 = length(a2, b2), both = chroma1 + chroma2;
    // The difference of chromas by that of their squares; that of hues, 2 sqrt(C1 C2) sin(dh / 2),
    // by the cross and dot product of (a1, b1) and (a2, b2).
    const float of_squares = da_stretched * (a1 + a2) + db * (b1 + b2);
    const float product = chroma1 * chroma2, dot = a1 * a2 + b1 * b2;
    const float cross = a1 * db - b1 * da_stretched;
    const bool is_near = dot >= 0;
    const float root =
        std::sqrt(at_least(is_near ? (product + dot) * 0.5f : (product - dot) * 2, tiny));
    const Hues hue = mean_hue(a1, b1, chroma1, a2, b2, chroma2);
    const float mean_c = both * 0.5f, mean_l = (one.l[i] + other.l[i]) * 0.5f;
    const float from_50 = (mean_l - 50) * (mean_l - 50), root_l = std::sqrt(20 + from_50);
    const float sh4 = 4 + 0.06f * mean_c * weight_of_hue(hue.cosine, hue.sine);
    const float l = (other.l[i] - one.l[i]) * root_l / (0.65f * root_l + 0.00975f * from_50);
    const float c = of_squares / at_least(both * (1 + 0.045f * mean_c), tiny);
    const float h = (is_near ? cross : (cross < 0 ? -root : root)) / (is_near ? root * sh4 : sh4);
    const float square = l * l + c * c + h * h + rotation(hue.cosine, hue.sine, mean_c) * c * h;
    out[i] = std::sqrt(at_least(square, 0));
  }
}

// The sum over a row's pixels.
template <class Samples> class RowSum {
 public:
  explicit RowSum(const PictureFormat& format) : format_(format) {
    const auto step = static_cast<float>(1u << (format.bits - 8));
    scale_ = {16 * step, 1 / (219 * step), 128 * step, 1 / (224 * step)};
  }
  double operator()(const Picture& one, const Picture& other, std::uint32_t y) {
    double sum = 0;
    for (std::size_t first = 0; first < format_.width; first += strip) {
      const std::size_t count = std::min<std::size_t>(strip, format_.width - first);
      set(one, y, first, count, one_);
      set(other, y, first, count, other_);
      set_differences(one_, other_, count, differences_);
      sum += sum_of(differences_, count);
    }
    return sum;
  }

 private:
  void set(const Picture& picture, std::uint32_t y, std::size_t first, std::size_t count,
           Colours& out) {
    const std::uint32_t chroma_y = format_.chroma == Chroma::c420 ? y / 2 : y;
    const auto set_columns =
        format_.chroma == Chroma::c444 ? set_chroma<Samples> : set_halved_chroma<Samples>;
    set_columns(row_of(picture, 1, chroma_y), row_of(picture, 2, chroma_y), first, count, scale_,
                out);
    set_lab<Samples>(row_of(picture, 0, y), first, count, scale_, out);
  }
  PictureFormat format_;
  Scale scale_;
  Colours one_, other_;
  float differences_[strip];
};

class HostCiede final : public HostFeature {
 public:
  HostCiede(const PictureFormat& format, const OptionValues&)
      : format_(format), row_sums_(format.height) {}

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    format_.bits > 8 ? add_rows<WordSamples>(reference, distorted)
                     : add_rows<ByteSamples>(reference, distorted);
    double sum = 0;
    for (const double row : row_sums_) sum += row;
    const double mean = sum / (double{1} * format_.width * format_.height);
    scores.set("ciede2000", frame, 45 - 20 * std::log10(mean));
    return {};
  }

 private:
  template <class Samples> void add_rows(const Picture& reference, const Picture& distorted) {
    in_parallel(format_.height, 1, [&](std::uint64_t first, std::uint64_t last) {
      RowSum<Samples> row_sum(format_);
      for (std::uint64_t y = first; y < last; y++)
        row_sums_[y] = row_sum(reference, distorted, static_cast<std::uint32_t>(y));
    });
  }
  PictureFormat format_;
  std::vector<double> row_sums_;
};

}  // namespace

Result<std::unique_ptr<HostFeature>> make_host_ciede(const PictureFormat& format,
                                                     const OptionValues& options) {
  if (format.chroma == Chroma::none) return Status(Code::invalid, "ciede needs chroma planes");
  return host_feature<HostCiede>(format, options);
}

}  // namespace penstock::video
