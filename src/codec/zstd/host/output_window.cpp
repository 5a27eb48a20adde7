#include "codec/zstd/host/output_window.hpp"

#include <algorithm>

#include "base/huge_page_allocator.hpp"

namespace penstock::zstd {

OutputWindow::OutputWindow(std::span<Byte> buffer, std::span<const Byte> dictionary)
    : at_(buffer.data()),
      end_(buffer.data() + buffer.size()),
      source_{buffer.data(), dictionary.data() + dictionary.size(), dictionary.size()} {}

// When a block goes to the beginning, less than a block and its slack was left: the kept output
// ends behind the rest of the memory, and begins no earlier than the block's slack ends.
OutputWindow::OutputWindow(std::uint64_t kept_bytes, std::uint32_t block_bytes,
                           std::span<const Byte> dictionary) {
  const std::uint64_t bytes = kept_bytes + 2 * (block_bytes + copy_slack_bytes);
  ring_ = large_array<Byte>(bytes);
  at_ = ring_.get();
  end_ = at_ + bytes;
  source_ = {at_, dictionary.data() + dictionary.size(), dictionary.size()};
}

bool OutputWindow::make_capacity(std::uint64_t bytes) {
  if (ring_ == nullptr) return static_cast<std::uint64_t>(end_ - at_) >= bytes;
  if (has_slack(bytes)) return true;
  const auto segment_bytes = static_cast<std::uint64_t>(at_ - source_.begin);
  segment_first_ += segment_bytes;
  source_.before_end = at_;
  source_.before_bytes = segment_bytes;
  at_ = source_.begin;
  return true;
}

std::span<const Byte> OutputSpans::bytes(std::uint64_t from, std::uint64_t to) const {
  if (from >= segment_first) return {begin + (from - segment_first), to - from};
  return {before_end - (segment_first - from), std::min(to, segment_first) - from};
}

}  // namespace penstock::zstd
