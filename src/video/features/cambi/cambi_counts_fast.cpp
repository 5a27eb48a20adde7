#include "video/features/cambi/cambi_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "video/features/cambi/cambi_rows.hpp"
#include "video/host/vector_loop.hpp"

namespace penstock::video {
namespace {

using Count = std::uint16_t;

constexpr std::uint32_t longest_run = 4096;  // so that positions in a trapezoid have 16 bits
constexpr std::uint32_t lanes = 32;          // of a vector: loops end at a multiple of them
constexpr std::uint32_t block = 16;          // samples; what is set after a run is overwritten

PENSTOCK_IN_VECTOR_LOOP std::uint32_t rounded_up(std::uint32_t count) {
  return (count + lanes - 1) / lanes * lanes;
}
PENSTOCK_IN_VECTOR_LOOP Count lesser(Count a, Count b) { return a < b ? a : b; }

// Adds 1, 2, ..., with `length` or `window` as the most, ..., 2, 1, times 1 or -1; and zeros after
// them.
template <int sign>
PENSTOCK_IN_VECTOR_LOOP void add_trapezoid(std::uint32_t length, std::uint32_t window,
                                           Count* __restrict counts) {
  const auto size = static_cast<Count>(length + window - 1);
  const auto most = static_cast<Count>(length < window ? length : window);
  const std::uint32_t end = rounded_up(size);
  for (Count i = 0; i < end; i++) {
    const Count up = lesser(static_cast<Count>(i + 1), most);
    const auto down = static_cast<Count>(size > i ? size - i : 0);
    counts[i] = static_cast<Count>(counts[i] + sign * lesser(up, down));
  }
}

struct CountsOf {
  Count* counts;
  std::size_t stride;
  std::uint32_t first, window;
  PENSTOCK_IN_VECTOR_LOOP Count* at(std::uint32_t level, std::uint32_t x) const {
    return counts + (level - first) * stride + x;
  }
};

// Adds the parts of runs where `others` do not have the same level.
template <int sign>
PENSTOCK_VECTOR_LOOP void add_runs(const LevelRun* runs, const LevelRun* runs_end,
                                   const LevelRun* others, const LevelRun* others_end,
                                   const CountsOf& counts_of) {
  const CountsOf to = counts_of;
  for (; runs != runs_end; runs++) {
    std::uint32_t first = runs->first;
    while (others != others_end && others->last <= first) others++;
    for (const LevelRun* other = others; other != others_end && other->first < runs->last;
         other++) {
      if (other->level != runs->level) continue;
      if (other->first > first)
        add_trapezoid<sign>(other->first - first, to.window, to.at(runs->level, first));
      first = other->last;
    }
    if (first < runs->last)
      add_trapezoid<sign>(runs->last - first, to.window, to.at(runs->level, first));
  }
}

// The larger of two counts each. Returns whether any is above 0. A vector by name: the loop is so
// short that the compiler would take it apart.
PENSTOCK_IN_VECTOR_LOOP bool set_larger(const Count* a, const Count* b, Count* out) {
  using Counts __attribute__((vector_size(block * sizeof(Count)))) = Count;
  Counts above, below;
  std::memcpy(&above, a, sizeof above);
  std::memcpy(&below, b, sizeof below);
  const Counts larger = above > below ? above : below;
  std::memcpy(out, &larger, sizeof larger);
  std::uint64_t words[sizeof larger / 8];
  std::memcpy(words, &larger, sizeof larger);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

// Contrasts of some samples of a run. `here` is the counts of the run's level. Most levels are seen
// nowhere near: their share ends with a test of the whole block.
template <std::uint32_t differences>
PENSTOCK_IN_VECTOR_LOOP void set_block(const Count* __restrict here, std::size_t stride,
                                       const std::uint32_t* __restrict weights,
                                       const float* __restrict reciprocals, float* __restrict out) {
  float most[block] = {};
  for (std::uint32_t d = 1; d <= differences; d++) {
    Count there[block];
    if (!set_larger(here + d * stride, here - d * stride, there)) continue;
    for (std::uint32_t x = 0; x < block; x++) {
      const std::uint32_t count = here[x];
      const float contrast = static_cast<float>(weights[d - 1] * count * there[x]) *
                             reciprocals[static_cast<std::int32_t>(count + there[x])];
      most[x] = contrast > most[x] ? contrast : most[x];
    }
  }
  for (std::uint32_t x = 0; x < block; x++) out[x] = most[x];
}

template <std::uint32_t differences>
PENSTOCK_VECTOR_LOOP void set_row(const LevelRun* runs, const LevelRun* runs_end,
                                  const CountsOf& counts_of, const std::uint32_t* weights_of,
                                  const float* reciprocals, float* __restrict out) {
  const CountsOf from = counts_of;
  for (; runs != runs_end; runs++) {
    const Count* here = from.at(runs->level, from.window / 2);
    const std::uint32_t* weights = weights_of + (runs->level - from.first) * differences;
    for (std::uint32_t x = runs->first; x < runs->last; x += block)
      set_block<differences>(here + x, from.stride, weights, reciprocals, out + x);
    std::memset(out + runs->last, 0, block * sizeof(float));
  }
}

PENSTOCK_VECTOR_LOOP void set_edges(const std::uint16_t* __restrict keys, std::uint32_t count,
                                    std::uint8_t* __restrict edges) {
  for (std::uint32_t x = 1; x < count; x++) edges[x] = keys[x] != keys[x - 1];
}

}  // namespace

CambiLevels::CambiLevels(const CambiPlan& plan) : difference_count(plan.difference_count) {
  constexpr std::uint32_t highest = 1024;  // 12 bits round up to it
  std::uint32_t lowest_seen = highest + 1, highest_seen = 0;
  const auto is_seen = [&](std::uint32_t level, std::uint32_t d) {
    return level <= plan.max_level[d] && level + difference_count + d > plan.min_luma;
  };
  for (std::uint32_t level = 0; level <= highest; level++)
    for (std::uint32_t d = 1; d <= difference_count; d++)
      if (is_seen(level, d))
        lowest_seen = std::min(lowest_seen, level), highest_seen = std::max(highest_seen, level);
  if (lowest_seen > highest) return;
  first = static_cast<std::uint16_t>(lowest_seen - std::min(lowest_seen, difference_count));
  last = static_cast<std::uint16_t>(std::min(highest_seen + difference_count, highest));
  for (std::uint32_t level = first; level <= last; level++)
    for (std::uint32_t d = 1; d <= difference_count; d++)
      weights.push_back(is_seen(level, d) ? cambi_weights[d - 1] : 0);
}

WindowCounts::WindowCounts(const CambiPlan& plan, const CambiLevels& levels, std::uint32_t window)
    : plan_(plan), levels_(levels), window_(window) {}

// Each level has counts for the columns before and after the image, too, and for what loops write
// beyond. An odd number of cache lines apart, levels do not share the cache's sets.
void WindowCounts::begin(std::uint32_t width) {
  width_ = width;
  stride_ = rounded_up(width + window_ + 3 * lanes) | lanes;
  const std::size_t rows = levels_.last - levels_.first + 1u + 2 * levels_.difference_count;
  counts_.reserve(rows * stride_);
  std::memset(counts_.data(), 0, rows * stride_ * sizeof(Count));
}

void WindowCounts::move(const LevelRuns& entering, const LevelRuns& leaving) {
  const CountsOf counts = {counts_.data() + levels_.difference_count * stride_, stride_,
                           levels_.first, window_};
  const LevelRun *in = entering.data(), *in_end = in + entering.size();
  const LevelRun *out = leaving.data(), *out_end = out + leaving.size();
  add_runs<1>(in, in_end, out, out_end, counts);
  add_runs<-1>(out, out_end, in, in_end, counts);
}

void WindowCounts::set_contrasts(const LevelRuns& row, float* out) const {
  std::memset(out, 0, width_ * sizeof(float));
  const CountsOf counts = {counts_.data() + levels_.difference_count * stride_, stride_,
                           levels_.first, window_};
  const std::uint32_t log = static_cast<std::uint32_t>(std::countr_zero(levels_.difference_count));
  constexpr decltype(&set_row<1>) loops[] = {set_row<1>, set_row<2>,  set_row<4>,
                                             set_row<8>, set_row<16>, set_row<32>};
  loops[log](row.data(), row.data() + row.size(), counts, levels_.weights.data(),
             plan_.reciprocals.data(), out);
}

void set_runs(const std::uint16_t* keys, std::uint32_t count, std::uint8_t* edges, LevelRuns& out) {
  out.clear();
  set_edges(keys, count, edges);
  std::memset(edges + count, 0, 8);
  edges[0] = 0, edges[count] = 1;
  std::uint32_t first = 0;
  const auto end_run = [&](std::uint32_t last) {
    if (keys[first] != no_key)
      for (; first < last; first = std::min(last, first + longest_run))
        out.push_back({first, std::min(last, first + longest_run), keys[first]});
    first = last;
  };
  for (std::uint32_t x = 0; x <= count; x += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, edges + x, 8);
    for (; eight != 0; eight &= eight - 1)
      end_run(x + static_cast<std::uint32_t>(std::countr_zero(eight)) / 8);
  }
}

}  // namespace penstock::video
