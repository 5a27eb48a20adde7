// VIF's sums of a scale, and their scores, for host and devices.
#pragma once
#include <array>
#include <vector>

#include "video/feature.hpp"
#include "video/host/vif_scale.hpp"

namespace penstock::video {

struct VifFraction {
  float numerator = 0, denominator = 0;
};

// Returns round(2048 * log2) of a number of 2^16 or more, of its sixteen leading bits.
std::int64_t log2_fixed(std::uint64_t value);

// Returns the floating-point filter: a normalised Gaussian with a deviation of a fifth of its taps.
std::vector<float> float_vif_gaussian(std::uint32_t taps);

// The sums over a scale. Order does not matter: all are integers.
struct VifSums {
  std::int64_t numerator = 0, denominator = 0;      // times 2048
  std::int64_t small_squares = 0, small_count = 0;  // where the reference is flat

  VifFraction fraction() const;
};

// Code::invalid for pictures of less than 16 rows or columns: each scale has at least as many
// samples as its filter reaches beyond an edge.
Status check_vif_size(std::string_view feature, const PictureFormat& format);

// Sets the scores of a frame: of each scale, and with `debug` of all and their parts.
class VifScores {
 public:
  VifScores(const OptionValues& options, std::string name)
      : options_(options), name_(std::move(name)) {}
  void set(const std::array<VifFraction, vif_scale_count>& scales, std::uint64_t frame,
           Scores& scores) const;

 private:
  OptionValues options_;
  std::string name_;  // "integer_vif", "vif"
};

#define PENSTOCK_VIF_OPTIONS                                                                  \
  {.name = "debug", .help = "also the score of all scales, and numerators and denominators"}, \
      {.name = "vif_enhn_gain_limit",                                                         \
       .alias = "egl",                                                                        \
       .kind = OptionKind::number,                                                            \
       .initial = 100,                                                                        \
       .min = 1,                                                                              \
       .max = 100,                                                                            \
       .in_key = true,                                                                        \
       .help = "the highest gain that counts; 1: none"},                                      \
      {.name = "vif_skip_scale0", .alias = "ssclz", .in_key = true, .help = "leave out scale 0"}

}  // namespace penstock::video
