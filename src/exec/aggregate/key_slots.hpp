// Slots of groups on the host for integer keys of narrow ranges: computed from a key, so that no
// key is compared and none is sorted.
//
// A slot is a number of mixed radix with a digit for each key. Slots have the order of the keys,
// NULLs last.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

class KeySlots {
 public:
  explicit KeySlots(const TileProgram& program);
  // Returns whether keys have slots: from cover() on, until their ranges are too wide.
  bool are_used() const { return slot_count_ > 0; }
  // Returns whether slots are in the order of the keys, which codes of strings are not.
  bool are_in_order() const { return are_used() && !has_strings_; }
  std::uint64_t count() const { return slot_count_; }

  // Makes ranges hold the keys of entries, which begin with them. There are `max_slots` at most, or
  // none from now on. Returns whether slots have changed.
  bool cover(std::span<const std::uint64_t> entries, std::size_t entry_words,
             std::uint64_t max_slots);
  // No key has a slot from now on.
  void refuse() { is_refused_ = true, slot_count_ = 0; }
  static constexpr std::uint64_t outside = ~std::uint64_t{0};
  // Returns the slot of a key, or `outside`.
  std::uint64_t slot_of(const std::uint64_t* key) const {
    std::uint64_t slot = 0;
    for (std::size_t i = 0; i < digits_.size(); i++) {
      const Digit& digit = digits_[i];
      const std::uint64_t value = digit.number_of(key[i]) - digit.low;
      if (is_null(key, i)) {
        slot += digit.extent * digit.stride;
        continue;
      }
      if (value >= digit.extent) return outside;
      slot += value * digit.stride;
    }
    return slot;
  }

 private:
  struct Digit {
    std::uint64_t flipped = 0;          // of words, so that numbers have the order of values
    std::uint64_t low = 0, extent = 0;  // of numbers with slots; NULL has one after them
    std::uint64_t stride = 0;           // slots between neighbours
    std::uint64_t number_of(std::uint64_t word) const { return word ^ flipped; }
  };
  bool is_null(const std::uint64_t* key, std::size_t i) const {
    return (key[digits_.size() + i / 64] >> (i % 64) & 1) != 0;
  }
  Digit covering(std::size_t i, std::span<const std::uint64_t> entries,
                 std::size_t entry_words) const;
  bool take(std::vector<Digit> digits, std::uint64_t max_slots);

  std::vector<Digit> digits_;
  bool has_strings_ = false, is_refused_ = false;
  std::uint64_t slot_count_ = 0;
};

}  // namespace penstock::plan
