// The shares of a device's memory that steps of a run may take: one table for all of them. A share
// is of all of the memory, or of RunOptions::memory_limit_bytes. Shares add up to more than the
// memory, as steps that run in turn use the same part of it.
#pragma once
#include <algorithm>
#include <cstdint>

#include "penstock/device.hpp"

namespace penstock::device {

enum class MemoryUse : unsigned char {
  chunks,              // columns in flight of a scan
  right_sides,         // of joins, with their tables and pairs
  merged_groups,       // the groups of all chunks
  rows_in_order,       // rows that a sort, a window or an exchange holds: the rest is for chunks
  pairs_of_chunk,      // of a join
  group_table,         // a table that a kernel of one chunk makes, and its results
  global_group_table,  // the largest such table in global memory
  thread_tables,       // tables of single threads
  session_cache,       // columns of files between statements
  segments,            // of Deflate members that are decoded speculatively
  blocks,              // a batch of Zstandard blocks
  frame                // input or output of a compressed file
};

constexpr std::uint64_t divisor_of(MemoryUse use) {
  switch (use) {
    case MemoryUse::rows_in_order:
    case MemoryUse::frame: return 2;
    case MemoryUse::chunks:
    case MemoryUse::right_sides:
    case MemoryUse::merged_groups:
    case MemoryUse::global_group_table:
    case MemoryUse::session_cache:
    case MemoryUse::segments: return 4;
    case MemoryUse::group_table: return 8;
    case MemoryUse::pairs_of_chunk:
    case MemoryUse::blocks: return 16;
    case MemoryUse::thread_tables: return 64;
  }
  return 64;
}

class MemoryBudget {
 public:
  // `limit_bytes`: RunOptions::memory_limit_bytes; 0: all of the device's memory.
  explicit MemoryBudget(const Traits& traits, std::uint64_t limit_bytes = 0)
      : bytes_(limit_bytes ? std::min(limit_bytes, traits.global_bytes) : traits.global_bytes),
        max_allocation_bytes_(traits.max_allocation_bytes) {}

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t share_of(MemoryUse use) const { return bytes_ / divisor_of(use); }
  // The same, for one buffer.
  std::uint64_t buffer_of(MemoryUse use) const {
    return std::min(share_of(use), max_allocation_bytes_);
  }

 private:
  std::uint64_t bytes_, max_allocation_bytes_;
};

}  // namespace penstock::device
