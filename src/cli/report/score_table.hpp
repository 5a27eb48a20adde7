// The output of `penstock video`: pooled scores, and the list of features.
#pragma once
#include <string>

#include "penstock/video.hpp"

namespace penstock::cli {

// A line for each key with its minimum, maximum and means over frames, then the aggregates.
std::string pooled_table(const video::Scores& scores, std::uint64_t subsample);

// The features with their options: defaults, ranges and what they mean.
std::string feature_list();

}  // namespace penstock::cli
