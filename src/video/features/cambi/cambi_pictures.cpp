#include "video/features/cambi/cambi_pictures.hpp"

#include <algorithm>
#include <limits>

#include "video/kernels/cambi_limits.h"

namespace penstock::video {
namespace {

static_assert(CAMBI_SCALES == cambi_scale_count);

// Counts of a window are of 16 bits.
constexpr std::uint32_t longest_window = 255;
// A warp slides down alone, without barriers.
constexpr std::uint32_t contrast_group_size = 32;
constexpr std::uint32_t shape_words = CAMBI_SCALES * CAMBI_SHAPE_WORDS;
constexpr std::uint32_t histogram_words = CAMBI_SCALES * CAMBI_SELECT_PASSES * CAMBI_SELECT_DIGITS;

std::uint32_t up(std::uint32_t value, std::uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}
std::uint32_t divided_up(std::uint32_t value, std::uint32_t by) { return (value + by - 1) / by; }

std::string define(const std::string& name, std::uint32_t value) {
  return "#define " + name + " " + std::to_string(value) + "u\n";
}

}  // namespace

CambiPictures::CambiPictures(std::shared_ptr<Device> device, const DeviceLayout& layout,
                             const CambiPlan& plan, const CambiSide& side)
    : device_(std::move(device)), format_(layout.format), plan_(plan), side_(side) {}

Status CambiPictures::open() {
  if (side_.window > longest_window)
    return {Code::unsupported, "cambi's kernels have windows of up to 255 samples, not " +
                                   std::to_string(side_.window)};
  // All scales and what pads them have less than twice the samples.
  constexpr std::uint64_t most_samples = std::numeric_limits<std::uint32_t>::max() / 2;
  if (std::uint64_t{side_.width + 1024} * (side_.height + 1024) > most_samples)
    return {Code::unsupported, "cambi's kernels count samples in 32 bits"};
  PENSTOCK_TRY(build());
  lay_out();
  PENSTOCK_TRY(allocate());
  return upload();
}

// More rows hide the rows that a group has to read before its first. Fewer make more groups. Small
// scales have more levels in a strip, so more slides; their groups have fewer rows, to end with the
// others.
std::uint32_t CambiPictures::rows_of_group(std::uint32_t scale) const {
  if (is_of_threads()) return 256;
  const std::uint32_t rows = side_.window > 40 ? 64 : 32;
  return std::max(rows >> (scale > 1 ? scale - 1 : 0), 8u);
}

// More levels at once need fewer slides. Fewer let more groups run on a multiprocessor.
std::uint32_t CambiPictures::level_ranges() const {
  constexpr std::uint64_t wanted_bytes = 15 << 10, row_bytes = CAMBI_STRIP * 2, reserve = 4 << 10;
  const std::uint64_t local = device_->traits().local_bytes;
  const std::uint64_t bytes = std::min(wanted_bytes, local > reserve ? local - reserve : 0);
  const std::uint64_t rows = bytes / row_bytes, others = 2 * plan_.difference_count + 1;
  return static_cast<std::uint32_t>(
      rows > others ? std::clamp<std::uint64_t>((rows - others) / CAMBI_RANGE_LEVELS, 1, 64) : 1);
}

std::string CambiPictures::contrast_definitions() const {
  std::string text = define("PAD", side_.window / 2) +
                     define("DIFFERENCES", plan_.difference_count) +
                     define("LEVEL_RANGES", level_ranges()) + define("MIN_LUMA", plan_.min_luma) +
                     define("LAST_LEVEL", *std::ranges::max_element(plan_.max_level)) +
                     "TABLE(u32, MAX_LEVEL, 33u) = {";
  for (const std::uint32_t level : plan_.max_level) text += std::to_string(level) + "u, ";
  return text + "};\n";
}

Status CambiPictures::build() {
  const bool is_resampled = side_.width != format_.width || side_.height != format_.height;
  const bool has_whole_words = format_.width % (format_.bits > 8 ? 2 : 4) == 0;
  const std::string preparation =
      sample_definitions(format_) + define("SOURCE_BITS", format_.bits) +
      define("HAS_RESAMPLING", is_resampled) +
      define("HAS_WORDS", !is_resampled && has_whole_words) +
      define("HAS_SMOOTHING", plan_.encoded_bits < 10) + define("HAS_FILTER", !plan_.halves_first);
  PENSTOCK_ASSIGN(prepare_, frame_program(*device_, "cambi_prepare.kc", preparation));
  PENSTOCK_ASSIGN(scale_, frame_program(*device_, "cambi_scale.kc", ""));
  PENSTOCK_ASSIGN(contrast_, frame_program(*device_,
                                           is_of_threads() ? "cambi_contrast_thread.kc"
                                                           : "cambi_contrast_runs.kc",
                                           contrast_definitions(), contrast_group_size));
  PENSTOCK_ASSIGN(select_, frame_program(*device_, "cambi_select.kc", ""));
  return {};
}

void CambiPictures::lay_out() {
  const std::uint32_t pad = side_.window / 2, pad_even = pad + pad % 2;
  std::uint32_t width = side_.width, height = side_.height;
  prepared_stride_ = up(width, CAMBI_TILE_WIDTH);
  for (std::uint32_t s = 0; s < cambi_scale_count; s++) {
    if (s > 0 || plan_.halves_first) width = divided_up(width, 2), height = divided_up(height, 2);
    CambiScale& scale = scales_[s];
    scale.width = width;
    scale.height = height;
    scale.strips = divided_up(width, CAMBI_STRIP);
    scale.stride = up(pad_even + scale.strips * CAMBI_STRIP + pad, 8);
    scale.first = samples_ + pad * scale.stride + pad_even;
    samples_ += scale.stride * (height + 2 * pad + 1);
    scale.first_value = values_;
    scale.values = scale.strips * CAMBI_STRIP * height;
    values_ += scale.values;
    const auto count = std::int64_t{width} * height;
    scale.kept = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        static_cast<std::int64_t>(plan_.topk * static_cast<double>(count)), 1, count));
  }
  for (std::uint32_t s = cambi_scale_count; s-- > 0;) {
    CambiScale& scale = scales_[s];
    scale.first_group = groups_;
    groups_ += scale.strips * divided_up(scale.height, rows_of_group(s));
    scale.first_select_group = select_groups_;
    select_groups_ += divided_up(scale.values, CAMBI_SELECT_VALUES);
  }
  // A group's threads read whole words each, past the last row's end.
  samples_ += 4 * std::max(contrast_.group_size, 32u);
}

Status CambiPictures::allocate() {
  PENSTOCK_ASSIGN(columns_, device_->allocate(side_.columns.size() * 4));
  PENSTOCK_ASSIGN(rows_, device_->allocate(side_.rows.size() * 4));
  PENSTOCK_ASSIGN(prepared_, device_->allocate(std::uint64_t{prepared_stride_} * side_.height * 2));
  PENSTOCK_ASSIGN(images_, device_->allocate(std::uint64_t{samples_} * 2));
  PENSTOCK_ASSIGN(pairs_, device_->allocate(std::uint64_t{values_} * 4));
  PENSTOCK_ASSIGN(shapes_, device_->allocate(shape_words * 4));
  PENSTOCK_ASSIGN(reciprocals_, device_->allocate(plan_.reciprocals.size() * 4));
  PENSTOCK_ASSIGN(histograms_, device_->allocate(histogram_words * 4));
  return {};
}

Status CambiPictures::upload() {
  std::array<std::uint32_t, shape_words> shapes = {};
  for (std::uint32_t s = 0; s < cambi_scale_count; s++) {
    const CambiScale& scale = scales_[s];
    std::uint32_t* shape = shapes.data() + s * CAMBI_SHAPE_WORDS;
    shape[CAMBI_SHAPE_FIRST] = scale.first;
    shape[CAMBI_SHAPE_STRIDE] = scale.stride;
    shape[CAMBI_SHAPE_WIDTH] = scale.width;
    shape[CAMBI_SHAPE_HEIGHT] = scale.height;
    shape[CAMBI_SHAPE_STRIPS] = scale.strips;
    shape[CAMBI_SHAPE_GROUP] = scale.first_group;
    shape[CAMBI_SHAPE_ROWS] = rows_of_group(s);
    shape[CAMBI_SHAPE_VALUE] = scale.first_value;
    shape[CAMBI_SHAPE_VALUE_STRIDE] = scale.strips * CAMBI_STRIP;
    shape[CAMBI_SHAPE_VALUE_COUNT] = scale.values;
    shape[CAMBI_SHAPE_KEPT] = scale.kept;
    shape[CAMBI_SHAPE_SELECT_GROUP] = scale.first_select_group;
  }
  PENSTOCK_ASSIGN(const auto queue, device_->queue());
  PENSTOCK_TRY(queue->upload(*columns_, side_.columns.data(), columns_->bytes()));
  PENSTOCK_TRY(queue->upload(*rows_, side_.rows.data(), rows_->bytes()));
  PENSTOCK_TRY(queue->upload(*shapes_, shapes.data(), shapes_->bytes()));
  PENSTOCK_TRY(queue->upload(*reciprocals_, plan_.reciprocals.data(), reciprocals_->bytes()));
  // Only the inside is written later.
  PENSTOCK_TRY(queue->fill(*images_, CAMBI_UNCOUNTED << 16 | CAMBI_UNCOUNTED, images_->bytes()));
  return queue->finish();
}

Status CambiPictures::enqueue(Queue& queue, const Buffer& picture, const Buffer& sums,
                              std::uint32_t first_sum) {
  PENSTOCK_TRY(enqueue_prepare(queue, picture));
  for (std::uint32_t scale = plan_.halves_first ? 0 : 1; scale < cambi_scale_count; scale++)
    PENSTOCK_TRY(enqueue_scale(queue, scale));
  PENSTOCK_TRY(enqueue_contrasts(queue, sums, first_sum));
  return enqueue_selection(queue, sums, first_sum);
}

Status CambiPictures::enqueue_prepare(Queue& queue, const Buffer& picture) {
  const std::uint32_t groups =
      divided_up(side_.width, CAMBI_TILE_WIDTH) * divided_up(side_.height, CAMBI_TILE_HEIGHT);
  const std::array<std::uint32_t, 4> shape = {side_.width, side_.height, format_.width,
                                              side_.mask_threshold};
  const bool is_filtered = !plan_.halves_first;
  return queue.launch(
      *prepare_.program, "cambi_prepare", groups,
      {{Argument::of(picture), Argument::of(*columns_), Argument::of(*rows_),
        Argument::of(is_filtered ? *images_ : *prepared_), Argument::of(*histograms_),
        Argument::value(shape), Argument::value(is_filtered ? scales_[0].first / 2 : 0),
        Argument::value((is_filtered ? scales_[0].stride : prepared_stride_) / 2),
        Argument::value(histogram_words)}});
}

Status CambiPictures::enqueue_scale(Queue& queue, std::uint32_t s) {
  const CambiScale& scale = scales_[s];
  const std::uint32_t columns =
      scale_.group_size == 1 ? CAMBI_SCALE_COLUMNS_OF_THREAD : scale_.group_size;
  const std::uint32_t first = s > 0 ? scales_[s - 1].first : 0,
                      stride = s > 0 ? scales_[s - 1].stride : prepared_stride_;
  const std::array<std::uint32_t, 4> shape = {scale.width, scale.height, scale.first, scale.stride};
  return queue.launch(*scale_.program, "cambi_scale",
                      divided_up(scale.width, columns) * divided_up(scale.height, CAMBI_SCALE_ROWS),
                      {{Argument::of(s > 0 ? *images_ : *prepared_), Argument::of(*images_),
                        Argument::value(first), Argument::value(stride), Argument::value(shape)}});
}

Status CambiPictures::enqueue_contrasts(Queue& queue, const Buffer& sums, std::uint32_t first_sum) {
  return queue.launch(*contrast_.program, "cambi_contrast", groups_,
                      {{Argument::of(*shapes_), Argument::of(*images_), Argument::of(*reciprocals_),
                        Argument::of(*pairs_), Argument::of(sums), Argument::value(first_sum)}});
}

Status CambiPictures::enqueue_selection(Queue& queue, const Buffer& sums, std::uint32_t first_sum) {
  for (std::uint32_t pass = 0; pass < CAMBI_SELECT_PASSES; pass++)
    PENSTOCK_TRY(queue.launch(*select_.program, "cambi_count_digits", select_groups_,
                              {{Argument::of(*shapes_), Argument::of(*pairs_), Argument::of(sums),
                                Argument::of(*histograms_), Argument::of(*histograms_),
                                Argument::value(first_sum), Argument::value(pass)}}));
  return queue.launch(
      *select_.program, "cambi_sum_kept", select_groups_,
      {{Argument::of(*shapes_), Argument::of(*pairs_), Argument::of(sums),
        Argument::of(*histograms_), Argument::of(sums), Argument::value(first_sum)}});
}

Status CambiPictures::write(Queue& queue, CambiHeatmaps& heatmaps) const {
  std::vector<float> contrasts(values_);
  PENSTOCK_TRY(queue.download(contrasts.data(), *pairs_, contrasts.size() * sizeof(float)));
  PENSTOCK_TRY(queue.finish());
  for (std::uint32_t s = 0; s < cambi_scale_count; s++)
    PENSTOCK_TRY(heatmaps.write(s, contrasts.data() + scales_[s].first_value,
                                std::size_t{scales_[s].strips} * CAMBI_STRIP, scales_[s].width,
                                scales_[s].height));
  return {};
}

double CambiPictures::score(std::span<const std::uint64_t> sums) const {
  double score = 0;
  for (std::uint32_t s = 0; s < cambi_scale_count; s++) {
    const auto of_scale = sums.subspan(std::size_t{s} * CAMBI_SUMS, CAMBI_SUMS);
    const bool is_selected = of_scale[CAMBI_SUM_COUNT] > scales_[s].kept;
    const std::uint64_t fraction =
        of_scale[is_selected ? CAMBI_SUM_KEPT_FRACTION : CAMBI_SUM_FRACTION];
    const std::uint64_t whole = of_scale[is_selected ? CAMBI_SUM_KEPT_WHOLE : CAMBI_SUM_WHOLE] +
                                (fraction >> CAMBI_FRACTION_BITS);
    constexpr std::uint64_t fraction_units = 1u << CAMBI_FRACTION_BITS;
    // Rounded once.
    const double sum = static_cast<double>(whole) +
                       static_cast<double>(fraction % fraction_units) / double{fraction_units};
    score += sum / static_cast<double>(scales_[s].kept) * cambi_scale_weights[s];
  }
  return score / (side_.window * side_.window);
}

}  // namespace penstock::video
