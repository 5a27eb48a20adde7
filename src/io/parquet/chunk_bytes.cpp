#include "io/parquet/chunk_bytes.hpp"

#include <cstring>
#include <mutex>

#include "base/parallel.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/parquet/direct_chunks.hpp"

namespace penstock::io {
namespace {

constexpr std::uint64_t slack_bytes = 64;
// A thread copies about so much from the page cache while another one starts.
constexpr std::uint64_t min_read_bytes = 4 << 20;

// Reads bytes [first, last) of what is at `offset`.
Status read_part(const ParquetFile& file, std::int64_t offset, std::uint64_t first,
                 std::uint64_t last, std::byte* out) {
  const auto bytes = static_cast<std::int64_t>(last - first);
  PENSTOCK_ASSIGN(const std::int64_t read,
                  from_arrow(file.input().ReadAt(offset + static_cast<std::int64_t>(first), bytes,
                                                 out + first)));
  if (read == bytes) return {};
  return {Code::truncated, "the file ends before the column chunk does"};
}

}  // namespace

const std::shared_ptr<BatchMemory>& ordinary_memory() {
  static const auto& memory =
      *new std::shared_ptr<BatchMemory>(std::make_shared<BatchMemory>(0, BatchAllocator()));
  return memory;
}

Result<ChunkBytes> read_bytes(const ParquetFile& file, arrow::io::ReadRange range,
                              const BatchAllocator& memory) {
  ChunkBytes bytes;
  bytes.size = static_cast<std::uint64_t>(range.length);
  if (memory) bytes.memory = memory(bytes.size + slack_bytes);
  if (!bytes.memory) bytes.memory = ordinary_memory()->take(bytes.size + slack_bytes);
  std::byte* const out = bytes.memory.get();
  std::mutex mutex;
  Status failed;
  in_parallel(bytes.size, min_read_bytes, [&](std::uint64_t first, std::uint64_t last) {
    const Status status = read_part(file, range.offset, first, last, out);
    const std::lock_guard lock(mutex);
    if (failed.ok()) failed = status;
  });
  PENSTOCK_TRY(failed);
  std::memset(out + bytes.size, 0, slack_bytes);
  return bytes;
}

Result<ChunkBytes> bytes_on_demand(arrow::io::ReadRange range) {
  const auto size = static_cast<std::uint64_t>(range.length);
  ChunkBytes bytes{DirectChunks::memory(size + slack_bytes), size};
  if (!bytes.memory) return Status(Code::no_memory, "no memory for the headers of pages");
  return bytes;
}

}  // namespace penstock::io
