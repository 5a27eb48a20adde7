#include "exec/aggregate/key_slots.hpp"

#include <algorithm>

#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;

bool is_counted(Type type) {
  return !is_float(type) && (type.kind == Kind::string || width_bytes(type) <= 8);
}

// One less if it would be 2^64.
std::uint64_t extent_of(std::uint64_t low, std::uint64_t high) {
  return std::min(high - low, ~std::uint64_t{0} - 1) + 1;
}

}  // namespace

KeySlots::KeySlots(const TileProgram& program) {
  for (std::uint32_t i = 0; i < program.key_count; i++) {
    const Type type = program.graph->at(program.outputs[i].root).type;
    is_refused_ |= !is_counted(type);
    has_strings_ |= type.kind == Kind::string;
    digits_.push_back({expr::is_sign_extended(type) ? top_bit : 0});
  }
}

// Ranges that grow batch by batch grow by more than they must, so that this is seldom.
KeySlots::Digit KeySlots::covering(std::size_t i, std::span<const std::uint64_t> entries,
                                   std::size_t entry_words) const {
  Digit digit = digits_[i];
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  for (std::size_t at = 0; at < entries.size(); at += entry_words) {
    if (is_null(entries.data() + at, i)) continue;
    const std::uint64_t number = digit.number_of(entries[at + i]);
    low = std::min(low, number);
    high = std::max(high, number);
  }
  if (low > high) return digit;
  if (digit.extent == 0) {
    digit.low = low;
    digit.extent = extent_of(low, high);
    return digit;
  }
  const std::uint64_t last = digit.low + (digit.extent - 1), more = digit.extent;
  const std::uint64_t from = low < digit.low ? low - std::min(low, more) : digit.low;
  const std::uint64_t to = high > last ? high + std::min(~high, more) : last;
  digit.low = from;
  digit.extent = extent_of(from, to);
  return digit;
}

bool KeySlots::take(std::vector<Digit> digits, std::uint64_t max_slots) {
  std::uint64_t slots = 1;
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (digits[i].extent >= max_slots || slots * (digits[i].extent + 1) > max_slots) return false;
    digits[i].stride = slots;
    slots *= digits[i].extent + 1;
  }
  digits_ = std::move(digits);
  slot_count_ = slots;
  return true;
}

bool KeySlots::cover(std::span<const std::uint64_t> entries, std::size_t entry_words,
                     std::uint64_t max_slots) {
  if (is_refused_ || entries.empty()) return false;
  std::vector<Digit> digits;
  bool is_same = are_used();
  for (std::size_t i = 0; i < digits_.size(); i++) {
    digits.push_back(covering(i, entries, entry_words));
    is_same &= digits[i].low == digits_[i].low && digits[i].extent == digits_[i].extent;
  }
  if (is_same) return false;
  const bool were_used = are_used();
  if (take(std::move(digits), max_slots)) return true;
  refuse();
  return were_used;
}

}  // namespace penstock::plan
