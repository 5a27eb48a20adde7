// A frame of both videos that is read from where it is stored, in pieces, by any threads in any
// order.
#pragma once
#include <vector>

#include "video/device/device_picture.hpp"

namespace penstock::video {

class FramePieces {
 public:
  // `to` as of pack(). Both pictures have Picture::stored, which is kept.
  FramePieces(const Picture& reference, const Picture& distorted, const DeviceLayout& layout,
              std::byte* to);
  std::uint64_t count() const { return pieces_.size(); }
  // Code::io or Code::truncated as of StoredPlanes; Code::invalid as of check_samples().
  Status read(std::uint64_t piece) const;

 private:
  struct Piece {
    const StoredPlanes* from;
    std::uint64_t first_byte;
    std::span<std::byte> to;
  };
  void add(const StoredPlanes& stored, const DeviceLayout& layout, std::byte* to);

  PictureFormat format_;
  std::shared_ptr<const StoredPlanes> reference_, distorted_;
  std::vector<Piece> pieces_;
};

}  // namespace penstock::video
