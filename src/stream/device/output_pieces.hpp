// Text on its way from a device's memory to the host, in pieces by way of pinned memory: the next
// one comes while the last one is read.
#pragma once
#include <array>

#include "stream/device/device_batch.hpp"

namespace penstock::stream {

class OutputPieces {
 public:
  explicit OutputPieces(DeviceRun& run) : run_(run) {}
  // Of text that is made, from the buffer's beginning; what was begun before has been given.
  void begin(std::shared_ptr<Buffer> output, std::uint64_t bytes);
  // Empty at the end. It stays until the next call.
  Result<std::span<const std::byte>> next();

 private:
  struct Piece {
    std::shared_ptr<HostBuffer> memory;
    std::shared_ptr<Event> asked, there;
  };
  Status ask();

  DeviceRun& run_;
  std::shared_ptr<Buffer> output_;
  std::uint64_t bytes_ = 0, asked_ = 0, given_ = 0;
  std::array<Piece, 2> pieces_;
  std::unique_ptr<Queue> queue_;  // the last: it waits for what uses the others
};

}  // namespace penstock::stream
