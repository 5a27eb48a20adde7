// Files that are read into a device's memory without a copy of the whole in the host's: by
// GPUDirect Storage, or through a small ring of pinned memory (staged_file.hpp).
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::device {

// Bytes of a file, and where they go in a buffer.
struct FileRange {
  std::uint64_t file_offset = 0, bytes = 0, to_offset = 0;
};

// Reads into a buffer that are under way. The destructor waits for the reads that have begun.
class FileReads {
 public:
  virtual ~FileReads() = default;
  virtual bool has_ended() const = 0;  // wait_on() does not wait on the host
  // Waits until the host has nothing left to do, and makes later work of `queue` start after the
  // bytes are in the buffer. Code::io with the file and the byte; Code::truncated if the file
  // ends before a range does. Call once.
  virtual Status wait_on(Queue& queue) = 0;
  // Leaves out what has not begun; wait_on() then fails with Code::cancelled. While another thread
  // is in wait_on(), too.
  virtual void leave_out() {}
};

// Thread-safe.
class DirectFile {
 public:
  virtual ~DirectFile() = default;
  // False where the library itself reads through the host's memory (cuFile's compatibility mode).
  virtual bool bypasses_host() const = 0;
  // Read by the host, and uploaded.
  virtual bool is_staged() const { return false; }
  // Waits for what `queue` has to do and for earlier uses of the buffer, then reads, and returns
  // when all bytes are in the buffer. Code::io with the file and the byte; Code::truncated where
  // the file ends before a range does.
  virtual Status read(Queue& queue, const Buffer& to, std::span<const FileRange> ranges) const = 0;
  // Begins to read, as read() does, after what `queue` has to do with the buffer. By default reads
  // at once.
  virtual Result<std::unique_ptr<FileReads>> begin(Queue& queue, std::shared_ptr<Buffer> to,
                                                   std::vector<FileRange> ranges) const;
};

// Code::unsupported, with the name, if the device or a library that it needs does not support it.
Result<std::shared_ptr<const DirectFile>> open_direct_file(const Device& device,
                                                           const std::string& path);
// Returns why open_direct_file() would refuse any file.
Status check_direct_files(const Device& device);
// Guesses, without starting a driver, whether files may bypass the host on this machine.
bool expects_direct_files();

}  // namespace penstock::device
