// Counts of levels in windows around the samples of a row, and CAMBI's contrasts.
//
// A row is runs of samples of one level. A run of `length` samples adds to the counts of its level
// at all columns with a window that reaches it: a trapezoid, length + window - 1 columns wide. So a
// run costs a few vector additions; sample by sample, each sample would cost as much. Columns with
// the same level in the entering row and the leaving row do not change.
#pragma once
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "video/features/cambi/cambi_plan.hpp"

namespace penstock::video {

// Samples [first, last) of a row.
struct LevelRun {
  std::uint32_t first, last;
  std::uint16_t level;
};
using LevelRuns = std::vector<LevelRun>;

// The levels that matter, and their weights by difference: 0 if a contrast is not seen.
struct CambiLevels {
  std::uint16_t first = 1, last = 0;  // the counted levels; none if last < first
  std::uint32_t difference_count = 0;
  std::vector<std::uint32_t> weights = {};  // of level - first, for differences from 1 on

  explicit CambiLevels(const CambiPlan& plan);
};

// Rows come in order. The memory is kept from image to image.
class WindowCounts {
 public:
  WindowCounts(const CambiPlan& plan, const CambiLevels& levels, std::uint32_t window);
  // Forgets all counts, for an image of `width` columns.
  void begin(std::uint32_t width);
  // Adds the runs of `entering` and subtracts the runs of `leaving`.
  void move(const LevelRuns& entering, const LevelRuns& leaving);
  // Sets the contrasts of a row's samples. `out` has `contrast_slack` more than `width`.
  void set_contrasts(const LevelRuns& row, float* out) const;

  static constexpr std::size_t contrast_slack = 64;

 private:
  const CambiPlan& plan_;
  const CambiLevels& levels_;
  std::uint32_t window_, width_ = 0;
  std::size_t stride_ = 0;  // from the counts of one level to the next
  LargeArray<std::uint16_t> counts_;
};

// Sets the runs of a row of keys (cambi_rows.hpp). `edges` is scratch of `count` + 8.
void set_runs(const std::uint16_t* keys, std::uint32_t count, std::uint8_t* edges, LevelRuns& out);

}  // namespace penstock::video
