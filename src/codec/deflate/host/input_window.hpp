// Input of a ParallelInflate that is read as it is decoded.
//
// Its threads decode at several places at once, each in steps. Before a step they require the bytes
// that it may read. A step is stopped at a bit, so that this is bounded whatever the input has:
// blocks without output would go on for ever.
#pragma once
#include <algorithm>
#include <cstdint>

#include "penstock/status.hpp"

namespace penstock::deflate {

class InputWindow {
 public:
  virtual ~InputWindow() = default;
  // Returns once bytes [first, last) of the input are at their addresses, or why they are not.
  // Thread-safe.
  virtual Status require(std::uint64_t first, std::uint64_t last) = 0;
  // Says that the input before `first` is decoded. Threads with dropped results may still read it,
  // and its content does not matter to them. One thread at a time.
  virtual void release(std::uint64_t first) = 0;
};

// The input that a step may read.
struct StepReads {
  InputWindow* window = nullptr;  // null: all of the input is there
  std::uint64_t step_bytes = 0;   // of output

  // A step's symbols take at most two bytes for a byte of output, and six for a match.
  std::uint64_t limit_bytes() const { return 2 * step_bytes + (128 << 10); }
  // Returns the bit at which a step from `bit` stops at the latest, but for a block's header and a
  // stored block's bytes.
  std::uint64_t last_bit(std::uint64_t bit) const {
    return window == nullptr ? UINT64_MAX : bit + 8 * limit_bytes();
  }
  Status require(std::uint64_t bit) const { return require(bit, bit + 8 * limit_bytes()); }
  Status require(std::uint64_t first_bit, std::uint64_t last_bit) const {
    if (window == nullptr) return {};
    constexpr std::uint64_t header_bytes = 4096;  // and what refills read ahead
    return window->require(first_bit / 8, last_bit / 8 + step_bytes + header_bytes);
  }
};

}  // namespace penstock::deflate
