// Chunks with bytes that a device reads itself. The host reads only page headers and a few pages.
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "device/direct_file.hpp"

namespace penstock::io {

// Blocks of a file that devices read without a detour.
constexpr std::int64_t direct_block_bytes = 4096;

inline void widen_to_blocks(std::int64_t& begin, std::int64_t& end, std::int64_t file_bytes) {
  begin = begin / direct_block_bytes * direct_block_bytes;
  end = std::min((end + direct_block_bytes - 1) / direct_block_bytes * direct_block_bytes,
                 file_bytes);
}

// Thread-safe.
class DirectChunks {
 public:
  DirectChunks(const std::string& path, std::shared_ptr<const device::DirectFile> file);
  const std::shared_ptr<const device::DirectFile>& file() const { return file_; }
  // Returns zeros that take memory only once they are written. Null if the system has none.
  static std::shared_ptr<std::byte> memory(std::uint64_t bytes);
  // Reads on the host, without reading ahead into the page cache.
  Status read(std::uint64_t offset, std::size_t bytes, std::byte* to) const;

 private:
  const std::shared_ptr<const device::DirectFile> file_;
  const File host_file_;
};

}  // namespace penstock::io
