// A pool of batch memory. A fresh page from the system costs as much as decoding the values that
// fill it, so blocks are used again.
//
// Larger blocks are cut from slabs of huge pages, the largest have such pages of their own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "penstock/column.hpp"

namespace penstock::io {

class BatchMemory : public std::enable_shared_from_this<BatchMemory> {
 public:
  // Blocks come from `source`; from the system where there is none or it has none left.
  BatchMemory(std::size_t kept_blocks, BatchAllocator source)
      : kept_blocks_(kept_blocks), source_(std::move(source)) {}
  // Returns at least `bytes` of undefined content, aligned to cache lines and padded to whole
  // lines. The last owner gives the block back. Throws std::bad_alloc.
  std::shared_ptr<std::byte> take(std::uint64_t bytes);
  // Tells whether blocks come from a source: usually a device, which reads them, not the host.
  bool has_source() const { return static_cast<bool>(source_); }

 private:
  struct Block {
    std::shared_ptr<std::byte> data;
    std::uint64_t bytes = 0;
  };
  Block allocate(std::uint64_t bytes);
  Block cut_from_slab(std::uint64_t bytes);
  void give_back(Block block);

  static constexpr std::uint64_t slab_bytes = 2 * huge_page_bytes;
  static constexpr std::uint64_t min_cut_bytes = 64 << 10, max_cut_bytes = slab_bytes / 2;

  std::mutex mutex_;
  std::vector<Block> free_;
  Block slab_;  // the last one
  std::uint64_t slab_used_ = 0;
  const std::size_t kept_blocks_;
  const BatchAllocator source_;
};

inline std::shared_ptr<std::byte> BatchMemory::take(std::uint64_t bytes) {
  bytes = (bytes / 64 + 1) * 64;
  Block block;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < free_.size() && !block.data; i++) {
      // Leaves a much larger block for the column that it fits.
      if (free_[i].bytes < bytes || free_[i].bytes / 2 > bytes) continue;
      block = std::move(free_[i]);
      free_[i] = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!block.data) block = allocate(bytes);
  std::byte* data = block.data.get();
  // The deleter holds the block, so that it is freed even if making the owner fails.
  auto held = std::make_shared<Block>(std::move(block));
  return {data,
          [memory = shared_from_this(), held](std::byte*) { memory->give_back(std::move(*held)); }};
}

inline BatchMemory::Block BatchMemory::allocate(std::uint64_t bytes) {
  if (source_)
    if (auto data = source_(bytes)) return {std::move(data), bytes};
  if (bytes >= min_cut_bytes && bytes <= max_cut_bytes) return cut_from_slab(bytes);
  if (bytes >= 2 * slab_bytes)
    return {{static_cast<std::byte*>(take_large_block(bytes)),
             [bytes](std::byte* memory) { give_back_large_block(memory, bytes); }},
            bytes};
  constexpr std::align_val_t line{64};
  return {{static_cast<std::byte*>(::operator new(bytes, line)),
           [](std::byte* memory) { ::operator delete(memory, line); }},
          bytes};
}

// A slab is freed with the last of its blocks.
inline BatchMemory::Block BatchMemory::cut_from_slab(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (slab_used_ + bytes > slab_.bytes) {
    slab_ = {{static_cast<std::byte*>(take_large_block(slab_bytes)),
              [](std::byte* memory) { give_back_large_block(memory, slab_bytes); }},
             slab_bytes};
    slab_used_ = 0;
  }
  std::byte* const at = slab_.data.get() + slab_used_;
  slab_used_ += bytes;
  return {{slab_.data, at}, bytes};
}

inline void BatchMemory::give_back(Block block) {
  const std::lock_guard lock(mutex_);
  if (free_.size() < kept_blocks_) free_.push_back(std::move(block));
}

}  // namespace penstock::io
