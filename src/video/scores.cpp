#include <algorithm>
#include <limits>

#include "penstock/video.hpp"

namespace penstock::video {

void Scores::set(std::string_view key, std::uint64_t frame, double value) {
  auto found = values_.find(key);
  if (found == values_.end()) {
    keys_.emplace_back(key);
    found = values_.emplace(key, std::vector<std::optional<double>>()).first;
  }
  if (found->second.size() <= frame) found->second.resize(frame + 1);
  found->second[frame] = value;
  frame_count_ = std::max(frame_count_, frame + 1);
}

void Scores::set_aggregate(std::string_view key, double value) {
  aggregates_.emplace_back(key, value);
}

std::optional<double> Scores::value(std::string_view key, std::uint64_t frame) const {
  const auto found = values_.find(key);
  if (found == values_.end() || frame >= found->second.size()) return std::nullopt;
  return found->second[frame];
}

// libvmaf pools in the order of frames, in double. Its harmonic mean is that of 1 + score, less 1,
// so that a score of 0 does not make it 0.
Pooled Scores::pooled(std::string_view key, std::uint64_t subsample) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return {};
  Pooled pooled = {std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity(), 0, 0};
  double sum = 0, inverse_sum = 0;
  std::uint64_t count = 0;
  subsample = std::max<std::uint64_t>(subsample, 1);
  for (std::uint64_t frame = 0; frame < found->second.size(); frame += subsample) {
    if (!found->second[frame]) continue;
    const double score = *found->second[frame];
    pooled.min = std::min(pooled.min, score);
    pooled.max = std::max(pooled.max, score);
    sum += score;
    inverse_sum += 1 / (score + 1);
    count++;
  }
  pooled.mean = sum / static_cast<double>(count);
  pooled.harmonic_mean = static_cast<double>(count) / inverse_sum - 1;
  return pooled;
}

}  // namespace penstock::video
