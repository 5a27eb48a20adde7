// The bytes of a file or a pipe, in order. An ordinary file is mapped, so that its frames are
// copied once: to where they are scored. It must not be shortened meanwhile. What a device scores
// is read instead: 16 threads found 53 GB/s of a mapping's pages, and still had to copy them.
#pragma once
#include <array>
#include <atomic>
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
  ~VideoBytes();
  VideoBytes(const VideoBytes&) = delete;
  VideoBytes& operator=(const VideoBytes&) = delete;

  const std::string& name() const { return name_; }  // for messages
  std::uint64_t position() const { return position_; }
  std::optional<std::uint64_t> size() const;  // of an ordinary file

  static constexpr std::size_t max_peek_bytes = 256;
  // Returns what follows, without taking it: so many bytes or more, fewer at the end.
  Result<std::string_view> peek(std::size_t bytes);
  // Takes bytes, fewer at the end. They are in the mapping, or in `memory`, which grows as they
  // come: a header may promise more than there is.
  Result<std::span<const std::byte>> take(std::uint64_t bytes, std::vector<std::byte>& memory);
  // Returns the bytes before the position; null where they are not of a file opened by its name.
  std::shared_ptr<const StoredPlanes> stored_before(std::uint64_t bytes) const;
  // Whether take() reads what it takes of a mapping, as it does at first. Else it only tells the
  // system that the bytes will be wanted. Thread-safe.
  void read_mapped(bool reads) { reads_mapped_ = reads; }
  bool reads_mapped() const { return reads_mapped_; }
  // Takes bytes that nobody wants. Returns how many there were.
  Result<std::uint64_t> skip(std::uint64_t bytes);
  // Takes a line, without its end. False at the end, before any byte.
  Result<bool> take_line(std::string& line, std::size_t max_bytes);

 private:
  VideoBytes() = default;
  void map();
  std::span<const std::byte> take_mapped(std::uint64_t bytes);
  void forget_mapped();
  Result<std::size_t> read(std::span<std::byte> into);  // fewer at the end
  Result<std::size_t> read_some(std::span<std::byte> into);

  std::string name_;
  std::function<bool()> is_interrupted_;
  std::shared_ptr<const File> file_;  // null for standard input
  int descriptor_ = -1;
  bool is_ordinary_ = false;
  std::atomic<bool> reads_mapped_ = true;
  std::uint64_t position_ = 0;
  std::span<const std::byte> mapping_;
  std::uint64_t forgotten_ = 0;  // bytes of the mapping that are behind
  std::array<std::byte, max_peek_bytes> buffer_ = {};
  std::size_t begin_ = 0, end_ = 0;
  std::vector<std::byte> skipped_;
};

}  // namespace penstock::video
