#include "video/features/cambi/cambi_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace penstock::video {
namespace {

// Luma of 10 bits in limited range.
constexpr int lowest = 64, highest = 940;

// The candela per square metre of a level.
double bt1886(double value) {
  constexpr double gamma = 2.4, white = 300, black = 0.01;
  const double high = std::pow(white, 1 / gamma), low = std::pow(black, 1 / gamma);
  return std::pow(high - low, gamma) * std::pow(std::max(value + low / (high - low), 0.0), gamma);
}

double pq(double value) {  // SMPTE ST 2084
  constexpr double m1 = 0.1593017578125, m2 = 78.84375, c1 = 0.8359375, c2 = 18.8515625,
                   c3 = 18.6875;
  const double power = std::pow(value, 1 / m2);
  return 10000 * std::pow(std::max(power - c1, 0.0) / (c2 - c3 * power), 1 / m1);
}

class Visibility {
 public:
  Visibility(bool is_pq, double threshold) : is_pq_(is_pq), threshold_(threshold) {}
  double luminance(int level) const {
    const double value =
        static_cast<double>(std::clamp(level, lowest, highest) - lowest) / (highest - lowest);
    return is_pq_ ? pq(value) : bt1886(value);
  }
  // The highest level at which `difference` is seen; 0: at none, 1023: at all.
  std::uint32_t max_level(int difference) const {
    int low = lowest, high = highest - difference - 1;
    if (!is_seen(low, difference)) return 0;
    if (is_seen(high, difference) && is_seen(high + 1, difference)) return 1023;
    if (is_last(high, difference)) return static_cast<std::uint32_t>(high);
    while (!is_last(low, difference)) {
      const int middle = low + (high - low) / 2;
      if (is_last(middle, difference)) return static_cast<std::uint32_t>(middle);
      (is_seen(middle, difference) ? low : high) = middle;
    }
    return static_cast<std::uint32_t>(low);
  }
  std::uint32_t min_luma(double luminance_seen) const {
    int level = lowest;
    while (level < highest && luminance(level) < luminance_seen) level++;
    return level == lowest ? 0 : static_cast<std::uint32_t>(level);
  }

 private:
  bool is_seen(int level, int difference) const {
    const double base = luminance(level);
    return luminance(level + difference) - base > threshold_ * base;
  }
  bool is_last(int level, int difference) const {
    return is_seen(level, difference) && !is_seen(level + 1, difference);
  }
  bool is_pq_;
  double threshold_;
};

// Positions are summed in float, one after the other, as libvmaf does.
std::vector<std::uint32_t> nearest(std::uint32_t in, std::uint32_t out) {
  std::vector<std::uint32_t> indices(out);
  const float ratio = static_cast<float>(in) / static_cast<float>(out);
  float position = in == out ? 0 : ratio / 2 - 0.5f;
  for (std::uint32_t& index : indices) {
    index = std::min(static_cast<std::uint32_t>(position + 0.5f), in - 1);
    position += ratio;
  }
  return indices;
}

int ceil_log2(std::uint32_t value) { return value == 0 ? 0 : std::bit_width(value - 1); }

std::uint32_t mask_threshold(std::uint32_t width, std::uint32_t height) {
  const int bits = ceil_log2((width >> 6) * (height >> 6));
  return static_cast<std::uint32_t>((49 + 3 * (bits - 11) - 1) >> 1);
}

CambiSide side_of(const PictureFormat& format, std::uint32_t width, std::uint32_t height,
                  std::uint32_t window, bool halves_first) {
  std::uint32_t size = (window * (width + height) / 375) >> 4;
  if (halves_first) size = (size + 1) >> 1;
  return {width,
          height,
          size | 1,
          nearest(format.width, width),
          nearest(format.height, height),
          mask_threshold(width, height)};
}

bool is_too_small(std::uint32_t width, std::uint32_t height) { return width < 216 && height < 216; }

bool halves_first(std::int64_t speedup, std::uint64_t samples) {
  if (speedup == 1080) return samples >= 1920 * 1080;
  if (speedup == 1440) return samples >= 2560 * 1440;
  return speedup == 2160 && samples >= 3840 * 2160;
}

struct Size {
  std::uint32_t width, height;
};
Size size_of(const OptionValues& options, const std::string& side, const PictureFormat& format) {
  const auto width = static_cast<std::uint32_t>(options.integer(side + "_width"));
  const auto height = static_cast<std::uint32_t>(options.integer(side + "_height"));
  if (width == 0 || height == 0) return {format.width, format.height};
  return {width, height};
}

Status check(const Size& encoded, const Size& source) {
  if (is_too_small(encoded.width, encoded.height) || is_too_small(source.width, source.height))
    return {Code::invalid, "cambi needs 216 rows or columns"};
  const bool is_across = (source.width > encoded.width && source.height < encoded.height) ||
                         (source.width < encoded.width && source.height > encoded.height);
  if (is_across)
    return {Code::invalid,
            "cambi's source is wider and lower than what was encoded, or the reverse"};
  return {};
}

Status check_texts(const OptionValues& options) {
  for (const char* name : {"eotf", "cambi_eotf"})
    if (options.text(name) != "bt1886" && options.text(name) != "pq")
      return {Code::invalid,
              std::string("option '") + name + "' of feature 'cambi' is bt1886 or pq"};
  const std::int64_t speedup = options.integer("cambi_high_res_speedup");
  if (speedup != 0 && speedup != 1080 && speedup != 1440 && speedup != 2160)
    return {Code::invalid,
            "option 'cambi_high_res_speedup' of feature 'cambi' is 0, 1080, 1440 or 2160"};
  return {};
}

std::vector<float> reciprocal_table(std::uint32_t count) {
  std::vector<float> table(count + 1);
  char text[32];
  for (std::uint32_t i = 1; i <= count; i++) {
    std::snprintf(text, sizeof text, "%.9g", 1.0 / i);
    table[i] = std::strtof(text, nullptr);
  }
  return table;
}

void set_thresholds(const OptionValues& options, CambiPlan& plan) {
  const bool is_pq = options.text("cambi_eotf") == "pq" || options.text("eotf") == "pq";
  const Visibility visibility(is_pq, options.number("tvi_threshold"));
  for (std::uint32_t d = 1; d <= plan.difference_count; d++)
    plan.max_level[d] = visibility.max_level(static_cast<int>(d));
  plan.min_luma = visibility.min_luma(options.number("cambi_vis_lum_threshold"));
}

}  // namespace

Result<CambiPlan> CambiPlan::make(const PictureFormat& format, const OptionValues& options) {
  PENSTOCK_TRY(check_texts(options));
  Size encoded = size_of(options, "enc", format);
  if (encoded.width > format.width || encoded.height > format.height)
    encoded = {format.width, format.height};
  const Size source = size_of(options, "src", format);
  PENSTOCK_TRY(check(encoded, source));
  CambiPlan plan;
  plan.has_source = options.flag("full_ref");
  plan.halves_first = video::halves_first(options.integer("cambi_high_res_speedup"),
                                          std::uint64_t{encoded.width} * encoded.height);
  const auto window = static_cast<std::uint32_t>(options.integer("window_size"));
  plan.distorted = side_of(format, encoded.width, encoded.height, window, plan.halves_first);
  plan.source = side_of(format, source.width, source.height, window, plan.halves_first);
  const auto bits = static_cast<std::uint32_t>(options.integer("enc_bitdepth"));
  plan.encoded_bits = bits == 0 ? format.bits : bits;
  plan.difference_count = 1u << options.integer("max_log_contrast");
  plan.topk = options.number("topk") != 0.6 ? options.number("topk") : options.number("cambi_topk");
  plan.max_score = options.number("cambi_max_val");
  set_thresholds(options, plan);
  const std::uint32_t longest = std::max(plan.distorted.window, plan.source.window);
  plan.reciprocals = reciprocal_table(longest * longest);
  return plan;
}

std::span<const OptionRow> cambi_options() {
  using enum OptionKind;
  static constexpr OptionRow rows[] = {
      {.name = "cambi_max_val",
       .alias = "cmxv",
       .kind = number,
       .initial = 1000,
       .max = 1000,
       .in_key = true,
       .help = "the highest score"},
      {.name = "enc_width",
       .alias = "encw",
       .kind = integer,
       .min = 180,
       .max = 7680,
       .in_key = true,
       .help = "columns that were encoded; 0: the picture's"},
      {.name = "enc_height",
       .alias = "ench",
       .kind = integer,
       .min = 150,
       .max = 7680,
       .in_key = true,
       .help = "rows that were encoded; 0: the picture's"},
      {.name = "enc_bitdepth",
       .alias = "encbd",
       .kind = integer,
       .min = 6,
       .max = 16,
       .in_key = true,
       .help = "bits that were encoded; 0: the picture's"},
      {.name = "src_width",
       .alias = "srcw",
       .kind = integer,
       .min = 320,
       .max = 7680,
       .in_key = true,
       .help = "columns of the source, for full_ref"},
      {.name = "src_height",
       .alias = "srch",
       .kind = integer,
       .min = 200,
       .max = 4320,
       .in_key = true,
       .help = "rows of the source, for full_ref"},
      {.name = "window_size",
       .alias = "ws",
       .kind = integer,
       .initial = 65,
       .min = 15,
       .max = 127,
       .in_key = true,
       .help = "the window's size at 4K; 65 is about a degree"},
      {.name = "topk",
       .kind = number,
       .initial = 0.6,
       .min = 0.0001,
       .max = 1,
       .in_key = true,
       .help = "the share of samples that is pooled"},
      {.name = "cambi_topk",
       .alias = "ctpk",
       .kind = number,
       .initial = 0.6,
       .min = 0.0001,
       .max = 1,
       .in_key = true,
       .help = "the same, where topk is not given"},
      {.name = "tvi_threshold",
       .alias = "tvit",
       .kind = number,
       .initial = 0.019,
       .min = 0.0001,
       .max = 1,
       .in_key = true,
       .help = "the least visible difference of luminance, relative"},
      {.name = "cambi_vis_lum_threshold",
       .alias = "vlt",
       .kind = number,
       .max = 300,
       .in_key = true,
       .help = "luminance below which banding is not seen"},
      {.name = "max_log_contrast",
       .alias = "mlc",
       .kind = integer,
       .initial = 2,
       .max = 5,
       .in_key = true,
       .help = "log2 of the highest contrast that counts, in levels of 10 bits"},
      {.name = "heatmaps_path", .kind = text, .help = "a folder for a heat map of each scale"},
      {.name = "full_ref", .help = "also cambi_source and cambi_full_reference"},
      {.name = "eotf",
       .kind = text,
       .initial_text = "bt1886",
       .in_key = true,
       .help = "bt1886 or pq"},
      {.name = "cambi_eotf",
       .alias = "ceot",
       .kind = text,
       .initial_text = "bt1886",
       .in_key = true,
       .help = "the same"},
      {.name = "cambi_high_res_speedup",
       .alias = "hrs",
       .kind = integer,
       .max = 2160,
       .in_key = true,
       .help = "1080, 1440, 2160: pictures of this size are halved first"}};
  return rows;
}

}  // namespace penstock::video
