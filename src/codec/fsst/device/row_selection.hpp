// Which rows kernels measure and decode: all rows of a column, or selected ones.
#pragma once
#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

// The parameters of a selection as fsst_tables.kc documents them.
struct RowSelection {
  static constexpr std::uint32_t is_selected = 1, is_count_on_device = 2;
  const Buffer* rows;    // u64 row numbers
  const Buffer* counts;  // u64; counts[count_index] is their number if is_count_on_device
  std::uint64_t count, count_index;
  std::uint32_t flags;
  static RowSelection all(const DeviceStrings& strings) {
    return {strings.group_rows.get(), strings.group_rows.get(), strings.row_count, 0, 0};
  }
};

// Enqueues fsst_measure, `program`: writes each row's decoded size to `lengths`, u32 per row and
// one more, and checks all codes.
Status enqueue_measure(Queue& queue, const Program& program, const Traits& traits,
                       const DeviceStrings& strings, const RowSelection& selection,
                       const Buffer& lengths, const Buffer& status);

// Return the arguments that all decoding kernels begin with, without or with a selection.
std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceOutput& output,
                                       std::uint64_t output_capacity, const Buffer& status);
std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceOutput& output,
                                       std::uint64_t output_capacity, const Buffer& status,
                                       const RowSelection& selection);

}  // namespace penstock::fsst
