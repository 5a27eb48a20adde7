// Downloads output from a device in parts, through pinned memory: the next part is on its way
// while the last one is read.
#pragma once
#include <array>

#include "stream/device/device_session.hpp"

namespace penstock::stream {

class OutputReader {
 public:
  explicit OutputReader(DeviceSession& session) : session_(session) {}
  // Begins with the first `bytes` bytes of the buffer. All of the last output has been read.
  void begin(std::shared_ptr<Buffer> output, std::uint64_t bytes);
  // Returns the next part, which is valid until the next call; empty at the end.
  Result<std::span<const std::byte>> next();

 private:
  struct Part {
    std::shared_ptr<HostBuffer> memory;
    std::shared_ptr<Event> begin, end;
  };
  Status request();

  DeviceSession& session_;
  std::shared_ptr<Buffer> output_;
  std::uint64_t bytes_ = 0, requested_ = 0, delivered_ = 0;
  std::array<Part, 2> parts_;
  std::unique_ptr<Queue> queue_;  // last: it waits for work that uses the other members
};

}  // namespace penstock::stream
