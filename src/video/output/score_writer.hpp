// Writes scores as libvmaf's tool does: the same keys, decimals and layout, so that scripts made
// for it read them.
#pragma once
#include <optional>
#include <string>

#include "penstock/video.hpp"

namespace penstock::video {

enum class ScoreFormat : unsigned char { xml, json, csv, sub };
std::optional<ScoreFormat> score_format_named(std::string_view name);

struct ScoreContext {
  std::uint32_t width = 0, height = 0;
  double frames_per_second = 0;  // of the run, by wall clock
  std::uint64_t subsample = 1;   // one in this many frames is written and pooled
  std::string version;
};
std::string write_scores(const Scores& scores, ScoreFormat format, const ScoreContext& context);

// "0.977134": six decimals; sixteen where six would hide a fraction. "inf", "nan".
std::string score_text(double score);

}  // namespace penstock::video
