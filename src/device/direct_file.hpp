// Files that a device reads into its memory itself, without a copy in the host's: GPUDirect
// Storage.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "penstock/device.hpp"

namespace penstock::device {

// Bytes of a file, and where they go in a buffer.
struct FileRange {
  std::uint64_t file_offset = 0, bytes = 0, to_offset = 0;
};

// Thread-safe.
class DirectFile {
 public:
  virtual ~DirectFile() = default;
  // False where the library itself reads through the host's memory (cuFile's compatibility mode).
  virtual bool bypasses_host() const = 0;
  // Waits for what `queue` has to do and for earlier uses of the buffer, then reads, and returns
  // when all bytes are in the buffer. Code::io with the file and the byte; Code::truncated where
  // the file ends before a range does.
  virtual Status read(Queue& queue, const Buffer& to, std::span<const FileRange> ranges) const = 0;
};

// Code::unsupported, by name, where the device or what it needs has none.
Result<std::shared_ptr<const DirectFile>> open_direct_file(const Device& device,
                                                           const std::string& path);
// Returns why open_direct_file() would refuse any file.
Status check_direct_files(const Device& device);
// Guesses, without starting a driver, whether files may bypass the host on this machine.
bool expects_direct_files();

}  // namespace penstock::device
