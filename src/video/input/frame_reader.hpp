// Reads the frames of a file: y4m, planes without a header, or what libavformat reads.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "penstock/video.hpp"

namespace penstock::video {

class FrameReader {
 public:
  // `raw`: the format of a file without a header; other files state their own. "-" is standard
  // input, which is y4m or raw. `is_interrupted` is asked while a pipe is silent; true ends the
  // reading with Code::cancelled.
  static Result<std::unique_ptr<FrameReader>> open(const std::string& path,
                                                   std::optional<PictureFormat> raw = {},
                                                   std::function<bool()> is_interrupted = {});
  virtual ~FrameReader() = default;
  virtual const std::string& name() const = 0;  // for messages
  virtual const PictureFormat& format() const = 0;
  virtual double frames_per_second() const { return 0; }
  // The number of frames that follow; nothing if it is unknown before the end.
  virtual std::optional<std::uint64_t> frame_count() const { return std::nullopt; }
  // Reads the next frame; nothing at the end. Code::truncated names a truncated frame. The planes
  // are in `memory`.
  virtual Result<std::optional<Picture>> next(std::vector<std::byte>& memory) = 0;
  // Whether its pictures have Picture::stored.
  virtual bool stores_planes() const { return false; }
  // Whether next() reads planes that are stored, as it does at first. Else its pictures have none.
  // Scorers on devices read Picture::stored instead. Thread-safe.
  virtual void read_planes(bool) {}
  // Leaves the next frame out. False at the end.
  virtual Result<bool> skip() = 0;
};

}  // namespace penstock::video
