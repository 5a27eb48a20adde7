// The bytes of a file or a pipe, in order. An ordinary file is read by several threads. It is not
// mapped: a mapped file that another program shortens ends the process. Frames that only devices
// score are not read here.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "penstock/video.hpp"

namespace penstock::video {

class VideoBytes {
 public:
  // "-" is standard input. `is_interrupted` is asked while a pipe is silent; true ends the reading
  // with Code::cancelled.
  static Result<std::unique_ptr<VideoBytes>> open(const std::string& path,
                                                  std::function<bool()> is_interrupted);
  VideoBytes(const VideoBytes&) = delete;
  VideoBytes& operator=(const VideoBytes&) = delete;

  const std::string& name() const { return name_; }  // for messages
  std::uint64_t position() const { return position_; }
  // The size of an ordinary file when it was opened.
  std::optional<std::uint64_t> size() const {
    return is_ordinary() ? std::optional(file_bytes_) : std::nullopt;
  }

  static constexpr std::size_t max_peek_bytes = 256;
  // Returns the next bytes without taking them: at least as many as requested, fewer at the end.
  Result<std::string_view> peek(std::size_t bytes);
  // Takes bytes into `memory`, fewer at the end. It grows as they come: a header may promise more
  // than there is.
  Result<std::span<const std::byte>> take(std::uint64_t bytes, std::vector<std::byte>& memory);
  // Returns the bytes before the position; null if they are not of an ordinary file.
  std::shared_ptr<const StoredPlanes> stored_before(std::uint64_t bytes) const;
  // Skips bytes that are not read here. Returns how many there were. For a file, the system is
  // advised that they may be needed.
  Result<std::uint64_t> skip(std::uint64_t bytes);
  // Takes a line, without its end. False at the end, before any byte.
  Result<bool> take_line(std::string& line, std::size_t max_bytes);

 private:
  VideoBytes() = default;
  bool is_ordinary() const { return file_bytes_ > 0; }
  Result<std::size_t> read_file(std::span<std::byte> into);
  Result<std::size_t> read(std::span<std::byte> into);  // fewer at the end
  Result<std::size_t> read_some(std::span<std::byte> into);

  std::string name_;
  std::function<bool()> is_interrupted_;
  std::shared_ptr<const File> file_;
  std::uint64_t file_bytes_ = 0;  // of an ordinary file
  std::uint64_t read_bytes_ = 0;  // of it, with those in the buffer
  std::uint64_t position_ = 0;    // of what was taken
  std::array<std::byte, max_peek_bytes> buffer_ = {};
  std::size_t begin_ = 0, end_ = 0;
  std::vector<std::byte> skipped_;
};

}  // namespace penstock::video
