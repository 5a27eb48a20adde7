#include "video/features/cambi/cambi_fast.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "base/thread_pool.hpp"
#include "video/features/cambi/cambi_counts.hpp"
#include "video/features/cambi/cambi_pool.hpp"
#include "video/features/cambi/cambi_rows.hpp"
#include "video/host/kept_image.hpp"
#include "video/host/sample_rows.hpp"

namespace penstock::video {
namespace {

using Level = std::uint16_t;
using Levels = KeptImage<Level>;
using Mask = KeptImage<std::uint8_t>;

bool is_identity(const std::vector<std::uint32_t>& indices, std::uint32_t size) {
  return indices.size() == size;
}

// Rows of a picture in levels of 10 bits at the size that is processed, smoothed or not.
class LevelRows {
 public:
  LevelRows(const Picture& picture, const CambiSide& side, bool is_smoothed)
      : picture_(picture),
        side_(side),
        is_smoothed_(is_smoothed),
        is_resampled_(!is_identity(side.columns, picture.format.width)),
        picture_row_(picture.format.width),
        rows_{std::vector<Level>(side.width), std::vector<Level>(side.width)} {}

  // `y` grows by 1 from call to call.
  void set(std::uint32_t y, Level* out) {
    if (!is_smoothed_) return convert(y, out);
    if (!has_row_) convert(y, rows_[0].data());
    has_row_ = true;
    const bool has_below = y + 1 < side_.height;
    if (has_below) convert(y + 1, rows_[1].data());
    smooth_levels(rows_[0].data(), rows_[has_below ? 1 : 0].data(), side_.width, out);
    rows_[0].swap(rows_[1]);
  }

 private:
  void convert(std::uint32_t y, Level* out) {
    const std::byte* row = row_of(picture_, 0, side_.rows[y]);
    const std::uint32_t bits = picture_.format.bits;
    if (!is_resampled_) return set_levels(row, bits, side_.width, out);
    set_levels(row, bits, picture_row_.size(), picture_row_.data());
    for (std::uint32_t x = 0; x < side_.width; x++) out[x] = picture_row_[side_.columns[x]];
  }
  const Picture& picture_;
  const CambiSide& side_;
  bool is_smoothed_, is_resampled_, has_row_ = false;
  std::vector<Level> picture_row_;
  std::vector<Level> rows_[2];
};

// Rows of the mask of an image. Outside it nothing is flat.
class MaskRows {
 public:
  MaskRows(const Levels& image, std::uint32_t threshold)
      : image_(image), threshold_(threshold), sums_(image.width + 6) {
    for (auto& row : flat_) row.resize(image.width);
  }
  // `y` grows by 1 from call to call.
  void set(std::uint32_t y, std::uint8_t* out) {
    const std::int64_t last = std::int64_t{y} + 3;
    if (next_ < 0) next_ = std::max<std::int64_t>(0, std::int64_t{y} - 3);
    for (; next_ <= last; next_++) push(next_);
    set_mask(sums_.data(), image_.width, threshold_, out);
  }

 private:
  void push(std::int64_t y) {
    std::vector<std::uint8_t>& row = flat_[static_cast<std::size_t>(y % 7)];
    subtract_row(row.data(), row.size(), sums_.data() + 3);
    if (y >= image_.height) return std::fill(row.begin(), row.end(), std::uint8_t{0});
    const auto at = static_cast<std::size_t>(y);
    set_flat(image_.row(at), image_.row(at + 1 < image_.height ? at + 1 : at), row.size(),
             row.data());
    add_row(row.data(), row.size(), sums_.data() + 3);
  }
  const Levels& image_;
  std::uint32_t threshold_;
  std::int64_t next_ = -1;
  std::vector<std::uint8_t> flat_[7], sums_;
};

// Filtered rows of an image. The first and last row stay unfiltered.
class ModeRows {
 public:
  explicit ModeRows(const Levels& image) : image_(image) {
    for (auto& row : rows_) row.resize(image.width);
  }
  // `y` grows by 1 from call to call.
  void set(std::uint32_t y, Level* out) {
    if (y == 0 || y + 1 >= image_.height)
      return static_cast<void>(std::memcpy(out, image_.row(y), image_.width * sizeof(Level)));
    for (next_ = std::max(next_, y - 1); next_ <= y + 1; next_++)
      mode_along_row(image_.row(next_), image_.width, rows_[next_ % 3].data());
    mode_of_rows(rows_[(y - 1) % 3].data(), rows_[y % 3].data(), rows_[(y + 1) % 3].data(),
                 image_.width, out);
  }

 private:
  const Levels& image_;
  std::uint32_t next_ = 0;
  std::vector<Level> rows_[3];
};

// The rows, as runs, around the row that contrasts are computed for.
class Window {
 public:
  Window(const CambiPlan& plan, const CambiLevels& levels, std::uint32_t window)
      : counts_(plan, levels, window), half_(window / 2), rows_(window + 1) {}

  // Sets the contrasts of rows [first, last) and hands them on.
  template <class Take>
  void run(const Levels& keys, std::uint32_t first, std::uint32_t last, const Take& take) {
    counts_.begin(keys.width);
    edges_.resize(keys.width + 16);
    contrasts_.resize(keys.width + WindowCounts::contrast_slack);
    for (LevelRuns& row : rows_) row.clear();
    std::uint32_t next = first - std::min(first, half_);
    for (std::uint32_t y = first; y < last; y++) {
      for (; next < std::min(keys.height, y + half_); next++) enter(keys, next, {});
      move(keys, y, next);
      counts_.set_contrasts(rows_[y % rows_.size()], contrasts_.data());
      take(y, contrasts_.data());
    }
  }

 private:
  void enter(const Levels& keys, std::uint32_t y, const LevelRuns& leaving) {
    LevelRuns& row = rows_[y % rows_.size()];
    set_runs(keys.row(y), keys.width, edges_.data(), row);
    counts_.move(row, leaving);
  }
  // Row y - half - 1 leaves, row y + half enters.
  void move(const Levels& keys, std::uint32_t y, std::uint32_t& next) {
    const bool leaves = y > half_, enters = y + half_ < keys.height && next == y + half_;
    if (leaves) leaving_.swap(rows_[(y - half_ - 1) % rows_.size()]);
    if (!leaves) leaving_.clear();
    if (enters)
      enter(keys, next++, leaving_);
    else
      counts_.move({}, leaving_);
  }
  WindowCounts counts_;
  std::uint32_t half_;
  std::vector<LevelRuns> rows_;
  LevelRuns leaving_;
  std::vector<std::uint8_t> edges_;
  std::vector<float> contrasts_;
};

}  // namespace

class FastCambi::Work {
 public:
  Work(const CambiPlan& plan, const CambiSide& side, CambiHeatmaps* heatmaps)
      : plan_(plan), side_(side), heatmaps_(heatmaps), levels_(plan) {
    std::uint32_t width = side.width, height = side.height;
    const auto halve = [&] { width = (width + 1) / 2, height = (height + 1) / 2; };
    first_image_ = {width, height}, first_mask_ = {width, height};
    if (plan.halves_first) halve();
    keys_ = {width, height}, contrasts_ = {width, height};
    for (std::uint32_t scale = 0; scale < cambi_scale_count; scale++, halve())
      images_[scale] = {width, height}, masks_[scale] = {width, height};
    const std::uint32_t threads = host_core_count();
    windows_.reserve(threads);
    for (std::uint32_t i = 0; i < threads; i++) windows_.emplace_back(plan, levels_, side.window);
  }

  Result<double> score(const Picture& picture) {
    if (levels_.last < levels_.first) return unseen();
    preprocess(picture);
    double score = 0;
    for (std::uint32_t scale = 0; scale < cambi_scale_count; scale++) {
      score += pooled(scale) * cambi_scale_weights[scale];
      PENSTOCK_TRY(write_heatmap(scale));
    }
    return score / (side_.window * side_.window);
  }

 private:
  // Sets image and mask of the first scale.
  void preprocess(const Picture& picture) {
    Levels& image = plan_.halves_first ? first_image_ : images_[0];
    Mask& mask = plan_.halves_first ? first_mask_ : masks_[0];
    in_parallel(image.height, 1, [&](std::uint64_t first, std::uint64_t last) {
      LevelRows rows(picture, side_, plan_.encoded_bits < 10);
      for (auto y = static_cast<std::uint32_t>(first); y < last; y++) rows.set(y, image.row(y));
    });
    in_parallel(image.height, 1, [&](std::uint64_t first, std::uint64_t last) {
      MaskRows rows(image, side_.mask_threshold);
      for (auto y = static_cast<std::uint32_t>(first); y < last; y++) {
        rows.set(y, mask.row(y));
        if (plan_.halves_first && y % 2 == 0) halve(image.row(y), mask.row(y), y, 0);
      }
    });
  }
  void halve(const Level* image_row, const std::uint8_t* mask_row, std::uint32_t y,
             std::uint32_t to_scale) {
    Levels& image = images_[to_scale];
    halve_row(image_row, image.width, image.row(y / 2));
    halve_row(mask_row, image.width, masks_[to_scale].row(y / 2));
  }

  // Filters a scale's image: sets the keys, and image and mask of the next scale. Returns the
  // number of keys.
  std::uint64_t filter(std::uint32_t scale) {
    const Levels& image = images_[scale];
    const Mask& mask = masks_[scale];
    keys_.width = image.width, keys_.height = image.height;
    std::vector<std::uint32_t> counts(image.height);
    in_parallel(image.height, 1, [&](std::uint64_t first, std::uint64_t last) {
      ModeRows rows(image);
      std::vector<Level> filtered(image.width);
      for (auto y = static_cast<std::uint32_t>(first); y < last; y++) {
        rows.set(y, filtered.data());
        counts[y] = set_keys(filtered.data(), mask.row(y), image.width, levels_.first,
                             static_cast<Level>(levels_.last - levels_.first), keys_.row(y));
        if (y % 2 == 0 && scale + 1 < cambi_scale_count)
          halve(filtered.data(), mask.row(y), y, scale + 1);
      }
    });
    std::uint64_t all = 0;
    for (const std::uint32_t count : counts) all += count;
    return all;
  }

  // The mean of the highest share of a scale's contrasts.
  double pooled(std::uint32_t scale) {
    const std::uint64_t keys = filter(scale);
    contrasts_.width = keys_.width, contrasts_.height = keys_.height;
    CambiPool pool(contrasts_, plan_.topk, keys);
    // Each thread first counts the rows above its own, so a few rows are not worth a thread.
    const std::uint64_t bands =
        std::clamp<std::uint64_t>(keys_.height / side_.window, 1, windows_.size());
    in_parallel(bands, 1, [&](std::uint64_t first_band, std::uint64_t last_band) {
      for (std::uint64_t band = first_band; band < last_band; band++)
        windows_[band].run(keys_, static_cast<std::uint32_t>(keys_.height * band / bands),
                           static_cast<std::uint32_t>(keys_.height * (band + 1) / bands),
                           [&](std::uint32_t y, const float* row) {
                             pool.add(y, row);
                             if (heatmaps_) std::copy_n(row, keys_.width, contrasts_.row(y));
                           });
    });
    return pool.mean();
  }

  // The score where no level counts.
  Result<double> unseen() {
    std::fill_n(contrasts_.row(0), std::size_t{images_[0].width} * images_[0].height, 0.0f);
    for (std::uint32_t scale = 0; scale < cambi_scale_count; scale++) {
      contrasts_.width = images_[scale].width, contrasts_.height = images_[scale].height;
      PENSTOCK_TRY(write_heatmap(scale));
    }
    return 0.0;
  }
  Status write_heatmap(std::uint32_t scale) {
    if (!heatmaps_) return {};
    return heatmaps_->write(scale, contrasts_.row(0), contrasts_.width, contrasts_.width,
                            contrasts_.height);
  }

  const CambiPlan& plan_;
  const CambiSide& side_;
  CambiHeatmaps* heatmaps_;
  CambiLevels levels_;
  Levels first_image_, keys_;
  Mask first_mask_;
  std::array<Levels, cambi_scale_count> images_;
  std::array<Mask, cambi_scale_count> masks_;
  KeptImage<float> contrasts_;
  std::vector<Window> windows_;  // one for each thread
};

FastCambi::FastCambi(const CambiPlan& plan, const CambiSide& side, CambiHeatmaps* heatmaps)
    : work_(std::make_unique<Work>(plan, side, heatmaps)) {}
FastCambi::FastCambi(FastCambi&&) noexcept = default;
FastCambi::~FastCambi() = default;
Result<double> FastCambi::operator()(const Picture& picture) { return work_->score(picture); }

}  // namespace penstock::video
