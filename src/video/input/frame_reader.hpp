// Reads the frames of a file: y4m, or planes without a header.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "penstock/video.hpp"

namespace penstock::video {

class FrameReader {
 public:
  // `raw`: the format of a file without a header; a .y4m file states its own. "-" is stdin.
  static Result<std::unique_ptr<FrameReader>> open(const std::string& path,
                                                   std::optional<PictureFormat> raw = {});
  virtual ~FrameReader() = default;
  virtual const PictureFormat& format() const = 0;
  virtual double frames_per_second() const { return 0; }
  // How many frames follow; none where only their end will tell.
  virtual std::optional<std::uint64_t> frame_count() const { return std::nullopt; }
  // Reads the next frame, picture_bytes() long. Returns false at the file's end; Code::truncated
  // names a frame that is cut.
  virtual Result<bool> read(std::span<std::byte> frame) = 0;
  virtual Result<bool> skip() = 0;  // a frame
};

}  // namespace penstock::video
