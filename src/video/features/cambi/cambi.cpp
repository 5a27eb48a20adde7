// CAMBI: how much banding is seen, at five scales. Integers up to one product of floats, so that
// the order in which samples are counted does not matter.
#include <algorithm>
#include <cmath>
#include <optional>

#include "video/features/cambi/cambi_device.hpp"
#include "video/features/cambi/cambi_fast.hpp"
#include "video/features/cambi/cambi_heatmaps.hpp"
#include "video/host/image.hpp"

namespace penstock::video {
namespace {

using Levels = Image<std::uint16_t>;

// Luma of 10 bits at the size that is processed.
Levels preprocessed(const Picture& picture, const CambiSide& side, std::uint32_t encoded_bits) {
  const Levels samples = samples_of(picture, 0);
  Levels levels(side.width, side.height);
  const std::uint32_t bits = picture.format.bits;
  for (std::uint32_t y = 0; y < levels.height; y++)
    for (std::uint32_t x = 0; x < levels.width; x++) {
      const std::uint32_t sample = samples.at(side.columns[x], side.rows[y]);
      const std::uint32_t value = std::min(sample, (1u << bits) - 1);
      levels.at(x, y) = static_cast<std::uint16_t>(
          bits <= 10 ? value << (10 - bits) : (value + (1u << (bits - 11))) >> (bits - 10));
    }
  if (encoded_bits >= 10) return levels;
  Levels smooth = levels;
  for (std::uint32_t y = 0; y < levels.height; y++)
    for (std::uint32_t x = 0; x < levels.width; x++) {
      const bool has_right = x + 1 < levels.width, has_below = y + 1 < levels.height;
      std::uint32_t sum = levels.at(x, y);
      if (has_right) sum += levels.at(x + 1, y);
      if (has_below) sum += levels.at(x, y + 1);
      if (has_right && has_below) sum += levels.at(x + 1, y + 1);
      smooth.at(x, y) = static_cast<std::uint16_t>(sum >> (has_right + has_below));
    }
  return smooth;
}

bool is_flat(const Levels& image, std::uint32_t x, std::uint32_t y) {
  return (x + 1 == image.width || image.at(x, y) == image.at(x + 1, y)) &&
         (y + 1 == image.height || image.at(x, y) == image.at(x, y + 1));
}

// 1 if most of the 7 x 7 samples around are flat: banding is seen there alone.
Image<std::uint8_t> mask_of(const Levels& image, std::uint32_t threshold) {
  Image<std::uint8_t> mask(image.width, image.height);
  const auto height = static_cast<std::int64_t>(image.height);
  const auto width = static_cast<std::int64_t>(image.width);
  for (std::int64_t y = 0; y < height; y++)
    for (std::int64_t x = 0; x < width; x++) {
      std::uint32_t count = 0;
      for (std::int64_t v = std::max<std::int64_t>(y - 3, 0); v <= std::min(y + 3, height - 1); v++)
        for (std::int64_t u = std::max<std::int64_t>(x - 3, 0); u <= std::min(x + 3, width - 1);
             u++)
          count += is_flat(image, static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v));
      mask.at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)) = count > threshold;
    }
  return mask;
}

template <class T> Image<T> halved(const Image<T>& image) {
  Image<T> out((image.width + 1) / 2, (image.height + 1) / 2);
  for (std::uint32_t y = 0; y < out.height; y++)
    for (std::uint32_t x = 0; x < out.width; x++) out.at(x, y) = image.at(2 * x, 2 * y);
  return out;
}

// The value that occurs twice, else the least.
std::uint16_t mode(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  if (a == b || a == c) return a;
  return b == c ? b : std::min({a, b, c});
}

// The mode of three along rows, then along columns. The first and last row stay unfiltered.
Levels mode_filtered(const Levels& image) {
  Levels rows = image;
  for (std::uint32_t y = 0; y < image.height; y++)
    for (std::uint32_t x = 1; x + 1 < image.width; x++)
      rows.at(x, y) = mode(image.at(x - 1, y), image.at(x, y), image.at(x + 1, y));
  Levels out = image;
  for (std::uint32_t y = 1; y + 1 < image.height; y++)
    for (std::uint32_t x = 0; x < image.width; x++)
      out.at(x, y) = mode(rows.at(x, y - 1), rows.at(x, y), rows.at(x, y + 1));
  return out;
}

// Counts of levels among the masked samples of a window that moves along a row.
class WindowCounts {
 public:
  WindowCounts(const Levels& image, const Image<std::uint8_t>& mask, std::uint32_t half)
      : image_(image), mask_(mask), half_(half), counts_(1024 + 2 * margin) {}

  void begin_row(std::uint32_t y) {
    std::fill(counts_.begin(), counts_.end(), std::uint16_t{0});
    first_ = y > half_ ? y - half_ : 0;
    last_ = std::min(y + half_, image_.height - 1);
    for (std::uint32_t x = 0; x < std::min(half_, image_.width); x++) add_column(x, 1);
  }
  // Call with x of 0, 1, 2, ...
  void move_to(std::uint32_t x) {
    if (x + half_ < image_.width) add_column(x + half_, 1);
    if (x > half_) add_column(x - half_ - 1, -1);
  }
  std::uint32_t of(std::int64_t level) const {
    return counts_[static_cast<std::size_t>(level + margin)];
  }

 private:
  static constexpr std::int64_t margin = cambi_max_differences;
  void add_column(std::uint32_t x, int step) {
    for (std::uint32_t y = first_; y <= last_; y++)
      if (mask_.at(x, y)) {
        std::uint16_t& count = counts_[image_.at(x, y) + std::size_t{margin}];
        count = static_cast<std::uint16_t>(count + step);
      }
  }
  const Levels& image_;
  const Image<std::uint8_t>& mask_;
  std::uint32_t half_, first_ = 0, last_ = 0;
  std::vector<std::uint16_t> counts_;
};

// The contrast at a sample: the most that a step of d levels is seen, over all d.
float contrast(const CambiPlan& plan, const WindowCounts& counts, std::uint32_t level) {
  float most = 0;
  const std::uint32_t here = counts.of(level);
  for (std::uint32_t d = 1; d <= plan.difference_count; d++) {
    if (level > plan.max_level[d] || level + plan.difference_count + d <= plan.min_luma) continue;
    const std::uint32_t there =
        std::max(counts.of(std::int64_t{level} + d), counts.of(std::int64_t{level} - d));
    const auto product = static_cast<float>(cambi_weights[d - 1] * here * there);
    most = std::max(most, product * plan.reciprocals[here + there]);
  }
  return most;
}

Image<float> contrasts(const CambiPlan& plan, const Levels& image, const Image<std::uint8_t>& mask,
                       std::uint32_t window) {
  Image<float> out(image.width, image.height);
  WindowCounts counts(image, mask, window / 2);
  for (std::uint32_t y = 0; y < image.height; y++) {
    counts.begin_row(y);
    for (std::uint32_t x = 0; x < image.width; x++) {
      counts.move_to(x);
      if (mask.at(x, y)) out.at(x, y) = contrast(plan, counts, image.at(x, y));
    }
  }
  return out;
}

// The mean of the highest share of values.
double pooled(Image<float>& values, double topk) {
  const auto count = static_cast<std::int64_t>(values.values.size());
  const auto kept = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(topk * static_cast<double>(count)), 1, count);
  const auto end = values.values.begin() + kept;
  std::nth_element(values.values.begin(), end - 1, values.values.end(), std::greater<>());
  double sum = 0;
  for (auto value = values.values.begin(); value != end; value++) sum += *value;
  return sum / static_cast<double>(kept);
}

// heatmaps: null if none are written.
Result<double> plain_score(const CambiPlan& plan, const CambiSide& side, const Picture& picture,
                           CambiHeatmaps* heatmaps) {
  Levels image = preprocessed(picture, side, plan.encoded_bits);
  auto mask = mask_of(image, side.mask_threshold);
  double score = 0;
  for (std::uint32_t scale = 0; scale < cambi_scale_count; scale++) {
    if (scale > 0 || plan.halves_first) image = halved(image), mask = halved(mask);
    image = mode_filtered(image);
    auto values = contrasts(plan, image, mask, side.window);
    if (heatmaps)
      PENSTOCK_TRY(
          heatmaps->write(scale, values.values.data(), values.width, values.width, values.height));
    score += pooled(values, plan.topk) * cambi_scale_weights[scale];
  }
  return score / (side.window * side.window);
}

// Scores of pictures of one side.
class PlainCambi {
 public:
  PlainCambi(const CambiPlan& plan, const CambiSide& side, CambiHeatmaps* heatmaps)
      : plan_(plan), side_(side), heatmaps_(heatmaps) {}
  Result<double> operator()(const Picture& picture) {
    return plain_score(plan_, side_, picture, heatmaps_);
  }

 private:
  const CambiPlan& plan_;
  const CambiSide& side_;
  CambiHeatmaps* heatmaps_;
};

// Scores without heat maps.
class QuickCambi {
 public:
  QuickCambi(const CambiPlan& plan, const CambiSide& side, CambiHeatmaps*) : scores_(plan, side) {}
  Result<double> operator()(const Picture& picture) { return scores_(picture); }

 private:
  FastCambi scores_;
};

template <class Cambi> class HostCambi final : public HostFeature {
 public:
  HostCambi(CambiPlan plan, const OptionValues& options, std::unique_ptr<CambiHeatmaps> heatmaps)
      : plan_(std::move(plan)),
        options_(options),
        heatmaps_(std::move(heatmaps)),
        of_distorted_(plan_, plan_.distorted, heatmaps_.get()) {
    if (plan_.has_source) of_source_.emplace(plan_, plan_.source, nullptr);
  }

  Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
             Scores& scores) override {
    PENSTOCK_ASSIGN(const double score, of_distorted_(distorted));
    const auto set = [&](const char* name, double value) {
      scores.set(options_.key(name), frame, std::min(value, plan_.max_score));
    };
    set("cambi", score);
    if (!of_source_) return {};
    PENSTOCK_ASSIGN(const double source, (*of_source_)(reference));
    set("cambi_source", source);
    set("cambi_full_reference", std::max(0.0, score - source));
    return {};
  }

 private:
  const CambiPlan plan_;
  OptionValues options_;
  std::unique_ptr<CambiHeatmaps> heatmaps_;
  Cambi of_distorted_;
  std::optional<Cambi> of_source_;
};

template <class Cambi>
Result<std::unique_ptr<HostFeature>> make_host_cambi(const PictureFormat& format,
                                                     const OptionValues& options) {
  PENSTOCK_ASSIGN(auto plan, CambiPlan::make(format, options));
  PENSTOCK_ASSIGN(auto heatmaps, CambiHeatmaps::create(plan, options.text("heatmaps_path")));
  return std::unique_ptr<HostFeature>(
      std::make_unique<HostCambi<Cambi>>(std::move(plan), options, std::move(heatmaps)));
}

// The fast loops do not keep the contrasts that heat maps show.
Result<std::unique_ptr<HostFeature>> make_fast_host_cambi(const PictureFormat& format,
                                                          const OptionValues& options) {
  return options.text("heatmaps_path").empty() ? make_host_cambi<QuickCambi>(format, options)
                                               : make_host_cambi<PlainCambi>(format, options);
}

}  // namespace

const FeatureRow cambi_row = {.name = "cambi",
                              .summary = "banding, as it is seen",
                              .options = cambi_options(),
                              .host = make_host_cambi<PlainCambi>,
                              .device = make_device_cambi,
                              .fast_host = make_fast_host_cambi};

}  // namespace penstock::video
