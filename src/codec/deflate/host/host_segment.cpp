#include "codec/deflate/host/host_segment.hpp"

namespace penstock::deflate {

Buffer BufferPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Buffer buffer = std::move(free_.back());
      free_.pop_back();
      return buffer;
    }
  }
  return large_array<std::byte>(buffer_bytes_);
}

void BufferPool::give(Buffer buffer) {
  if (!buffer) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(buffer));
}

bool HostSegment::try_start(std::uint64_t bit) {
  clear();
  decoder = std::make_unique<Decoder>(input_, bit);
  last_stop = step(UINT64_MAX, UINT64_MAX);
  return last_stop != Decoder::Stop::error;
}

bool HostSegment::try_inside(const Decoder& block, std::uint64_t bit) {
  clear();
  decoder = std::make_unique<Decoder>(block, bit);
  last_stop = step(UINT64_MAX, UINT64_MAX);
  clear();
  return last_stop == Decoder::Stop::output_full && decoder->block_bit() == block.block_bit();
}

}  // namespace penstock::deflate
