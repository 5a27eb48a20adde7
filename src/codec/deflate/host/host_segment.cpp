#include "codec/deflate/host/host_segment.hpp"

#include <algorithm>

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

Decoder::Stop HostSegment::step(std::uint64_t boundary_bit, std::uint64_t symbol_bit) {
  const std::uint64_t bit = decoder->bit_position(), last_bit = reads_.last_bit(bit);
  last_stop = reads_.require(bit).ok()
                  ? decode(std::min(boundary_bit, last_bit), std::min(symbol_bit, last_bit))
                  : Decoder::Stop::error;
  return last_stop;
}

bool HostSegment::try_start(std::uint64_t bit) {
  clear();
  if (!reads_.require(bit).ok()) return false;
  decoder = std::make_unique<Decoder>(input_, bit);
  return step(UINT64_MAX, UINT64_MAX) != Decoder::Stop::error;
}

bool HostSegment::try_inside(const Decoder& block, std::uint64_t bit) {
  clear();
  if (!reads_.require(bit).ok()) return false;
  decoder = std::make_unique<Decoder>(block, bit);
  step(UINT64_MAX, UINT64_MAX);
  clear();
  return last_stop == Decoder::Stop::output_full && decoder->block_bit() == block.block_bit();
}

}  // namespace penstock::deflate
