// What the tests of FSST on devices share: memory that shows what was written to it.
#pragma once
#include <vector>

#include "penstock/device.hpp"

namespace penstock::fsst {

// What every byte of a memory holds that something is to write to, and how many there are behind what it should write.
constexpr std::uint8_t canary = 0xa5;
constexpr std::uint64_t canary_bytes = 4096;

// Queue::fill() would leave up to three bytes at the end as they are.
inline Status cover(Queue& queue, const Buffer& buffer) {
  const std::vector<std::uint8_t> canaries(buffer.bytes(), canary);
  PENSTOCK_TRY(queue.upload(buffer, canaries.data(), canaries.size()));
  return queue.finish();
}

}  // namespace penstock::fsst
