// Draws scores over frame numbers as one SVG.
#pragma once
#include <string>

#include "penstock/video.hpp"

namespace penstock::video {

// A panel for each key, one below the other: a line over the frames, thinned out where there are
// more frames than columns of pixels. Frames that have no finite score are gaps.
std::string plot_scores(const Scores& scores, std::uint64_t subsample);

}  // namespace penstock::video
