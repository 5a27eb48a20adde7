// Which rows kernels measure and decode: all of a column, or chosen ones.
#pragma once
#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

// As fsst_tables.kc has it.
struct RowSelection {
  static constexpr std::uint32_t is_selected = 1, is_count_on_device = 2;
  const Buffer* rows;    // numbers, u64
  const Buffer* counts;  // u64: how many they are, at count_index
  std::uint64_t count, count_index;
  std::uint32_t flags;
  static RowSelection all(const DeviceStrings& strings) {
    return {strings.groups.get(), strings.groups.get(), strings.row_count, 0, 0};
  }
};

// Each row's text bytes, a word of `lengths` each and one more, and checks of all codes:
// fsst_measure, `program`.
Status enqueue_measure(Queue& queue, const Program& program, const Traits& traits,
                       const DeviceStrings& strings, const RowSelection& selection,
                       const Buffer& lengths, const Buffer& status);

// What all decoding kernels begin with, and what those that know of a selection go on with.
std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceOutput& text,
                                       std::uint64_t output_capacity, const Buffer& status);
std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceOutput& text,
                                       std::uint64_t output_capacity, const Buffer& status,
                                       const RowSelection& selection);

}  // namespace penstock::fsst
