#include "video/input/video_pair.hpp"

#include <algorithm>

namespace penstock::video {
namespace {

Status check_formats(const FrameReader& reference, const FrameReader& distorted) {
  if (reference.format() == distorted.format()) return {};
  return {Code::invalid, "the videos have different formats: " + reference.name() + " is " +
                             format_text(reference.format()) + "; " + distorted.name() + " is " +
                             format_text(distorted.format())};
}

Status skip(FrameReader& reader, std::uint64_t count) {
  for (std::uint64_t frame = 0; frame < count; frame++) {
    PENSTOCK_ASSIGN(const bool has_frame, reader.skip());
    if (!has_frame)
      return {Code::truncated, reader.name() + ": has " + std::to_string(frame) +
                                   " frames, of which " + std::to_string(count) +
                                   " are to be skipped"};
  }
  return {};
}

std::optional<std::uint64_t> frames_left(const FrameReader& reader, std::uint64_t limit) {
  const auto count = reader.frame_count();
  return count ? std::optional(std::min(*count, limit)) : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<VideoPair>> VideoPair::open(const std::string& reference,
                                                   const std::string& distorted,
                                                   const VideoPairOptions& options) {
  std::unique_ptr<VideoPair> pair(new VideoPair);
  PENSTOCK_ASSIGN(auto first, pair->open(reference, options.skip_reference, options));
  PENSTOCK_ASSIGN(auto second, pair->open(distorted, options.skip_distorted, options));
  PENSTOCK_TRY(check_formats(*first, *second));
  const auto a = frames_left(*first, options.frame_limit);
  const auto b = frames_left(*second, options.frame_limit);
  if (a && b) pair->frame_count_ = std::min(*a, *b);
  pair->reference_ = std::make_unique<FramesAhead>(std::move(first), options.frame_limit);
  pair->distorted_ = std::make_unique<FramesAhead>(std::move(second), options.frame_limit);
  return pair;
}

Result<std::unique_ptr<FrameReader>> VideoPair::open(const std::string& path, std::uint64_t skipped,
                                                     const VideoPairOptions& options) {
  PENSTOCK_ASSIGN(auto reader,
                  FrameReader::open(path, options.raw, [this, asked = options.is_interrupted] {
                    return is_over_ || (asked && asked());
                  }));
  PENSTOCK_TRY(skip(*reader, skipped));
  return reader;
}

Result<bool> VideoPair::next(Picture& reference, Picture& distorted) {
  PENSTOCK_ASSIGN(const auto first, reference_->next());
  PENSTOCK_ASSIGN(const auto second, distorted_->next());
  if (first && second) {
    reference = *first;
    distorted = *second;
    return true;
  }
  const std::string &a = reference_->reader().name(), &b = distorted_->reader().name();
  if (first) ended_early_ = b + " ended before " + a;
  if (second) ended_early_ = a + " ended before " + b;
  return false;
}

void VideoPair::read_planes_for(const Scorer& scorer) {
  const bool on_host = std::ranges::any_of(
      scorer.reports(), [](const FeatureReport& report) { return report.place == "host"; });
  // Devices get stored planes if both videos have them.
  const bool are_stored =
      reference_->reader().stores_planes() && distorted_->reader().stores_planes();
  const bool reads = on_host || !are_stored;
  reference_->read_planes(reads);
  distorted_->read_planes(reads);
}

std::string format_text(const PictureFormat& format) {
  const std::string chroma(name_of(format.chroma));
  return std::to_string(format.width) + "x" + std::to_string(format.height) + ", " + chroma[0] +
         ":" + chroma[1] + ":" + chroma[2] + ", " + std::to_string(format.bits) + " bits";
}

}  // namespace penstock::video
