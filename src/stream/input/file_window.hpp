// The rest of a file at fixed addresses, read part by part on request, for decoders with threads
// that read far ahead of each other. It takes memory from the released end to the last requested
// byte.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "penstock/status.hpp"

namespace penstock::stream {

class FileWindow {
 public:
  // Covers `bytes` bytes of the file from `begin` on. Code::no_memory if the process has no
  // addresses for them.
  static Result<std::unique_ptr<FileWindow>> open(std::shared_ptr<const File> file,
                                                  std::string name, std::uint64_t begin,
                                                  std::uint64_t bytes);
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  std::uint64_t begin() const { return begin_; }
  // The whole window. Bytes that were not required are zeros.
  std::span<const std::byte> bytes() const { return {memory_, bytes_}; }
  // Reads the missing parts of [first, last); both count from begin(). Thread-safe. Later calls
  // return an earlier error again.
  Status require(std::uint64_t first, std::uint64_t last);
  // Releases the memory before `first`. Later reads there are only for results that are dropped.
  void release(std::uint64_t first);

 private:
  enum class Part : std::uint8_t { missing, being_read, there, failed };
  FileWindow() = default;
  Status read(std::uint64_t part);
  Status error();

  std::shared_ptr<const File> file_;
  std::string name_;
  std::uint64_t begin_ = 0, bytes_ = 0, released_ = 0;
  std::byte *mapping_ = nullptr, *memory_ = nullptr;
  std::uint64_t mapping_bytes_ = 0;
  std::vector<std::atomic<Part>> parts_;
  std::mutex mutex_;  // guards error_
  Status error_;
};

}  // namespace penstock::stream
