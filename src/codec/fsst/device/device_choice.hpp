// Which rows kernels measure and decode: all of a column, or chosen ones.
#pragma once
#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

// As fsst_tables.kc has it.
struct Choice {
  static constexpr std::uint32_t is_chosen = 1, is_counted = 2;
  const Buffer* rows;     // numbers, u64
  const Buffer* counted;  // u64: how many they are, at count_at
  std::uint64_t count, count_at;
  std::uint32_t flags;
  static Choice all(const DeviceStrings& strings) {
    return {strings.groups.get(), strings.groups.get(), strings.row_count, 0, 0};
  }
};

// Each row's text bytes, a word of `lengths` each and one more, and checks of all codes:
// fsst_measure, `program`.
Status enqueue_measure(Queue& queue, const Program& program, const Traits& traits,
                       const DeviceStrings& strings, const Choice& choice, const Buffer& lengths,
                       const Buffer& verdict);

// What all decoding kernels begin with, and what those that know of a choice go on with.
std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceText& text,
                                       std::uint64_t text_capacity, const Buffer& verdict);
std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceText& text,
                                       std::uint64_t text_capacity, const Buffer& verdict,
                                       const Choice& choice);

}  // namespace penstock::fsst
