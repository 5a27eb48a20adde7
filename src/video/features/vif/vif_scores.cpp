#include "video/features/vif/vif.hpp"

namespace penstock::video {

Status check_vif_size(std::string_view feature, const PictureFormat& format) {
  if (format.width >= 16 && format.height >= 16) return {};
  return {Code::invalid, std::string(feature) + " needs 16 rows and columns"};
}

void VifScores::set(const std::array<VifFraction, vif_scale_count>& scales, std::uint64_t frame,
                    Scores& scores) const {
  const bool skips_first = options_.flag("vif_skip_scale0");
  double numerator = 0, denominator = 0;
  for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
    const VifFraction& fraction = scales[scale];
    const bool is_skipped = skips_first && scale == 0;
    scores.set(options_.key(name_ + "_scale" + std::to_string(scale)), frame,
               is_skipped ? 0 : fraction.numerator / fraction.denominator);
    if (is_skipped) continue;
    numerator += fraction.numerator;
    denominator += fraction.denominator;
  }
  if (!options_.flag("debug")) return;
  scores.set(options_.key(name_), frame, denominator == 0 ? 1 : numerator / denominator);
  scores.set(options_.key(name_ + "_num"), frame, numerator);
  scores.set(options_.key(name_ + "_den"), frame, denominator);
  for (std::uint32_t scale = 0; scale < vif_scale_count; scale++) {
    const bool is_skipped = skips_first && scale == 0;
    const std::string ending = "_scale" + std::to_string(scale);
    scores.set(options_.key(name_ + "_num" + ending), frame,
               is_skipped ? 0 : scales[scale].numerator);
    scores.set(options_.key(name_ + "_den" + ending), frame,
               is_skipped ? -1 : scales[scale].denominator);
  }
}

}  // namespace penstock::video
