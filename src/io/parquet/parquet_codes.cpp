#include "io/parquet/parquet_codes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace penstock::io {
namespace {

constexpr unsigned max_width = 31;
constexpr std::uint64_t word_bytes = 8;

// Eight codes of `width` bits are `width` bytes. The last word read ends at most word_bytes after
// them.
template <unsigned width>
void unpack_groups(const std::uint8_t* from, std::uint32_t* to, std::uint64_t groups) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  for (; groups > 0; groups--, from += width, to += 8)
    for (unsigned i = 0; i < 8; i++) {
      std::uint64_t word;
      std::memcpy(&word, from + i * width / 8, word_bytes);
      to[i] = static_cast<std::uint32_t>(word >> (i * width % 8) & mask);
    }
}

using Unpack = void (*)(const std::uint8_t*, std::uint32_t*, std::uint64_t);
constexpr auto unpackers = []<std::size_t... widths>(std::index_sequence<widths...>) {
  return std::array<Unpack, sizeof...(widths)>{unpack_groups<widths>...};
}(std::make_index_sequence<max_width + 1>());

// Tells by the sign of `last - code` whether a code is too large. Codes have up to 31 bits, and
// `count` is rounded up to eights.
bool any_outside(const std::uint32_t* codes, std::uint64_t count, std::uint32_t entry_count) {
  using Lanes [[gnu::vector_size(16)]] = std::uint32_t;
  const std::uint32_t last = entry_count - 1;
  const Lanes lasts = {last, last, last, last};
  Lanes signs = {};
  for (std::uint64_t i = 0; i < count; i += 4) {
    Lanes four;
    std::memcpy(&four, codes + i, sizeof(four));
    signs |= lasts - four;
  }
  return entry_count <= std::uint32_t{1} << max_width &&
         (signs[0] | signs[1] | signs[2] | signs[3]) >> max_width != 0;
}

}  // namespace

PageCodes::PageCodes(std::span<const std::uint8_t> bytes, std::uint32_t entry_count)
    : at_(bytes.data()), end_(bytes.data() + bytes.size()), entry_count_(entry_count) {
  if (at_ == end_) return;
  width_ = *at_++;
  if (width_ > max_width) at_ = end_;
}

PageCodes PageCodes::levels(std::span<const std::uint8_t> runs) {
  PageCodes codes;
  codes.at_ = runs.data();
  codes.end_ = runs.data() + runs.size();
  codes.width_ = 1;
  codes.entry_count_ = 2;
  return codes;
}

bool PageCodes::next_run() {
  std::uint64_t header = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (at_ == end_ || shift > 28) return false;
    header |= std::uint64_t{*at_ & 0x7fu} << shift;
    if ((*at_++ & 0x80) == 0) break;
  }
  const auto bytes_left = static_cast<std::uint64_t>(end_ - at_);
  if (header & 1) {
    // The last group may be cut short.
    packed_left_ =
        width_ == 0 ? (header >> 1) * 8 : std::min((header >> 1) * 8, bytes_left * 8 / width_);
    return true;
  }
  const std::uint64_t bytes = (width_ + 7) / 8;
  if (bytes > bytes_left) return false;
  repeated_ = 0;
  std::memcpy(&repeated_, at_, bytes);
  at_ += bytes;
  repeated_left_ = header >> 1;
  return repeated_ >> max_width == 0;
}

std::uint64_t PageCodes::unpack(std::uint64_t codes) {
  const std::uint64_t groups = (codes + 7) / 8, bytes = groups * width_;
  const auto bytes_left = static_cast<std::uint64_t>(end_ - at_);
  if (bytes + word_bytes <= bytes_left) {
    unpackers[width_](at_, codes_, groups);
  } else {
    std::uint8_t padded[block_codes / 8 * max_width + word_bytes] = {};
    std::memcpy(padded, at_, std::min(bytes, bytes_left));
    unpackers[width_](padded, codes_, groups);
  }
  at_ += std::min(bytes, bytes_left);
  return codes;
}

bool PageCodes::fill() {
  while (repeated_left_ == 0 && packed_left_ == 0)
    if (!next_run()) return false;
  first_ = 0;
  if (repeated_left_ > 0) {
    count_ = std::min(repeated_left_, block_codes);
    std::fill_n(codes_, (count_ + 7) / 8 * 8, repeated_);
    repeated_left_ -= count_;
  } else {
    count_ = unpack(std::min(packed_left_, block_codes));
    packed_left_ -= count_;
  }
  may_be_outside_ = any_outside(codes_, count_, entry_count_);
  return true;
}

std::uint64_t PageCodes::take_run(std::uint32_t code, std::uint64_t max_count) {
  if (count_ > 0) return 0;
  while (repeated_left_ == 0 && packed_left_ == 0)
    if (!next_run()) return 0;
  if (repeated_left_ == 0 || repeated_ != code) return 0;
  const std::uint64_t taken = std::min(max_count, repeated_left_);
  repeated_left_ -= taken;
  return taken;
}

std::span<const std::uint32_t> PageCodes::take(std::uint64_t max_count) {
  if (count_ == 0 && !fill()) return {};
  const std::uint64_t taken = std::min(max_count, count_);
  const std::span<const std::uint32_t> codes(codes_ + first_, taken);
  first_ += taken;
  count_ -= taken;
  return codes;
}

}  // namespace penstock::io
