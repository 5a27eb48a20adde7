// Memory of batches, used again: a fresh page of the system costs as much as decoding the values that fill it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "penstock/column.hpp"

namespace penstock::io {

class BatchMemory : public std::enable_shared_from_this<BatchMemory> {
 public:
  explicit BatchMemory(std::size_t kept_blocks) : kept_blocks_(kept_blocks) {}
  // At least `bytes` of undefined content, on a cache line's boundary and padded to whole lines. The last owner gives the
  // block back. Throws std::bad_alloc.
  std::shared_ptr<std::byte> take(std::uint64_t bytes);

 private:
  struct Free { void operator()(std::byte* data) const { ::operator delete(data, alignment); } };
  struct Block { std::unique_ptr<std::byte, Free> data; std::uint64_t bytes = 0; };
  static constexpr std::align_val_t alignment{64};
  void give_back(Block block);

  std::mutex mutex_;
  std::vector<Block> free_;
  const std::size_t kept_blocks_;
};

inline std::shared_ptr<std::byte> BatchMemory::take(std::uint64_t bytes) {
  bytes = (bytes / 64 + 1) * 64;
  Block block;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < free_.size() && !block.data; i++) {
      // A much larger block is left for the column it fits.
      if (free_[i].bytes < bytes || free_[i].bytes / 2 > bytes) continue;
      block = std::move(free_[i]);
      free_[i] = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!block.data) block = {std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(::operator new(bytes, alignment))), bytes};
  std::byte* data = block.data.get();
  // The deleter holds the block, so that it is freed even if making the owner fails.
  auto held = std::make_shared<Block>(std::move(block));
  return {data, [memory = shared_from_this(), held](std::byte*) { memory->give_back(std::move(*held)); }};
}

inline void BatchMemory::give_back(Block block) {
  const std::lock_guard lock(mutex_);
  if (free_.size() < kept_blocks_) free_.push_back(std::move(block));
}

}  // namespace penstock::io
