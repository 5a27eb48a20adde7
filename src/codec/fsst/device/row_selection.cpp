#include "codec/fsst/device/row_selection.hpp"
#include "codec/fsst/kernels/fsst_limits.h"

#include <algorithm>

namespace penstock::fsst {
namespace {

void add(std::vector<Argument>& arguments, const RowSelection& selection) {
  arguments.push_back(Argument::value(selection.count));
  arguments.push_back(Argument::value(selection.count_index));
  arguments.push_back(Argument::value(selection.flags));
}

}  // namespace

Status enqueue_measure(Queue& queue, const Program& program, const Traits& traits,
                       const DeviceStrings& strings, const RowSelection& selection,
                       const Buffer& lengths, const Buffer& status) {
  constexpr std::uint64_t rows_per_thread = FSST_MEASURED_ROWS;
  std::vector<Argument> arguments;
  for (const auto& buffer : {strings.codes, strings.offsets, strings.group_rows, strings.tables})
    arguments.push_back(Argument::of(*buffer));
  for (const Buffer* buffer : {selection.rows, selection.counts, &lengths, &status})
    arguments.push_back(Argument::of(*buffer));
  arguments.push_back(Argument::value(strings.code_bytes));
  arguments.push_back(Argument::value(strings.row_count));
  arguments.push_back(Argument::value(strings.group_count));
  add(arguments, selection);
  const std::uint64_t tiles = selection.count / (rows_per_thread * program.group_size()) + 1,
                      max_groups = traits.compute_units * std::uint64_t{64};
  return queue.launch(program, "fsst_measure",
                      static_cast<std::uint32_t>(std::min(tiles, max_groups)), arguments);
}

std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceOutput& output,
                                       std::uint64_t output_capacity, const Buffer& status) {
  std::vector<Argument> arguments;
  for (const auto& buffer : {strings.codes, strings.offsets, strings.group_rows, strings.tables,
                             output.offsets, output.bytes})
    arguments.push_back(Argument::of(*buffer));
  arguments.push_back(Argument::of(status));
  arguments.push_back(Argument::value(strings.code_bytes));
  arguments.push_back(Argument::value(output_capacity));
  return arguments;
}

std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceOutput& output,
                                       std::uint64_t output_capacity, const Buffer& status,
                                       const RowSelection& selection) {
  std::vector<Argument> arguments = decode_arguments(strings, output, output_capacity, status);
  arguments.push_back(Argument::value(strings.row_count));
  arguments.push_back(Argument::value(strings.group_count));
  arguments.push_back(Argument::of(*selection.rows));
  arguments.push_back(Argument::of(*selection.counts));
  add(arguments, selection);
  return arguments;
}

}  // namespace penstock::fsst
