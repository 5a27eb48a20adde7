// The weights and bounds of a score, for both kinds of motion.
#pragma once
#include <algorithm>

#include "video/feature.hpp"

namespace penstock::video {

class MotionBlend {
 public:
  explicit MotionBlend(const OptionValues& options)
      : is_zero_(options.flag("motion_force_zero")),
        factor_(options.number("motion_blend_factor")),
        offset_(options.number("motion_blend_offset")),
        weight_(options.number("motion_fps_weight")),
        max_(options.number("motion_max_val")) {}
  double weighted(double score) const { return is_zero_ ? 0 : std::min(score * weight_, max_); }
  // Takes a weighted score: the part above the offset is multiplied by the factor.
  double operator()(double score) const {
    return std::min(score * factor_ + (1 - factor_) * std::min(offset_, score), max_);
  }

 private:
  bool is_zero_;
  double factor_, offset_, weight_, max_;
};

#define PENSTOCK_MOTION_OPTIONS                                                             \
  {.name = "motion_force_zero", .alias = "force_0", .in_key = true, .help = "scores of 0"}, \
      {.name = "motion_blend_factor",                                                       \
       .alias = "mbf",                                                                      \
       .kind = OptionKind::number,                                                          \
       .initial = 1,                                                                        \
       .max = 1,                                                                            \
       .in_key = true,                                                                      \
       .help = "how much motion above the offset counts in motion3"},                       \
      {.name = "motion_blend_offset",                                                       \
       .alias = "mbo",                                                                      \
       .kind = OptionKind::number,                                                          \
       .initial = 40,                                                                       \
       .max = 1000,                                                                         \
       .in_key = true,                                                                      \
       .help = "motion from which the factor holds"},                                       \
      {.name = "motion_fps_weight",                                                         \
       .alias = "mfw",                                                                      \
       .kind = OptionKind::number,                                                          \
       .initial = 1,                                                                        \
       .max = 5,                                                                            \
       .in_key = true,                                                                      \
       .help = "a factor for the frame rate"},                                              \
      {.name = "motion_max_val",                                                            \
       .alias = "mmxv",                                                                     \
       .kind = OptionKind::number,                                                          \
       .initial = 10000,                                                                    \
       .max = 10000,                                                                        \
       .in_key = true,                                                                      \
       .help = "the highest score"}

}  // namespace penstock::video
