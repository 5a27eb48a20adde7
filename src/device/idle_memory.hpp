// The idle memory of several pools, under one limit.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

namespace penstock::device {

// Pools add what they keep and subtract what they hand out or free. One past the limit frees its
// own memory, so the sum exceeds the limit by a block at most, and for a moment.
struct IdleMemory {
  explicit IdleMemory(std::uint64_t limit) : limit_bytes(limit) {}
  bool is_past_limit() const { return bytes > limit_bytes; }

  const std::uint64_t limit_bytes;
  std::atomic<std::uint64_t> bytes = 0;
};

// Returns the idle pinned memory that all devices of a process keep together: a quarter of the
// machine's, at least 4 GiB, but never above half.
//
// A result is downloaded to pinned memory. To pin 4 GiB takes longer than to fill them, so a
// repetition should find the memory of the last run. What is kept is lost to other processes and
// to the page cache. Until a pool needs it, or the process ends, the system cannot reclaim it.
std::uint64_t idle_pinned_limit_bytes(std::uint64_t machine_bytes);

// Of all devices of this process.
std::shared_ptr<IdleMemory> idle_pinned_memory();

}  // namespace penstock::device
