// The frames of a reference and of a distorted video, one pair after another.
#pragma once
#include <atomic>

#include "video/input/frames_ahead.hpp"

namespace penstock::video {

struct VideoPairOptions {
  std::optional<PictureFormat> raw = {};  // of files without a header
  std::uint64_t skip_reference = 0, skip_distorted = 0;
  std::uint64_t frame_limit = UINT64_MAX;
  std::function<bool()> is_interrupted = {};  // true ends the reading with Code::cancelled
};

class VideoPair {
 public:
  // Code::invalid: the videos have different formats.
  static Result<std::unique_ptr<VideoPair>> open(const std::string& reference,
                                                 const std::string& distorted,
                                                 const VideoPairOptions& options);
  ~VideoPair() { is_over_ = true; }
  VideoPair(const VideoPair&) = delete;
  VideoPair& operator=(const VideoPair&) = delete;

  const PictureFormat& format() const { return reference_->reader().format(); }
  std::optional<std::uint64_t> frame_count() const { return frame_count_; }  // where files tell
  // Reads the next pair, which is valid until the next call. False where one of them has ended.
  Result<bool> next(Picture& reference, Picture& distorted);
  // Brings planes into memory ahead only where `scorer` has a feature on the host that reads them.
  void read_planes_for(const Scorer& scorer);
  // After next() returned false: "a.y4m ended before b.y4m", or nothing if both did.
  const std::string& ended_early() const { return ended_early_; }

 private:
  VideoPair() = default;
  Result<std::unique_ptr<FrameReader>> open(const std::string& path, std::uint64_t skipped,
                                            const VideoPairOptions& options);

  std::atomic<bool> is_over_ = false;
  std::optional<std::uint64_t> frame_count_;
  std::string ended_early_;
  std::unique_ptr<FramesAhead> reference_, distorted_;
};

// "1920x1080, 4:2:0, 8 bits"
std::string format_text(const PictureFormat& format);

}  // namespace penstock::video
