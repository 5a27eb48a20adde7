#include "exec/kernel/dense_group_by.hpp"

#include <algorithm>

#include "fuse/program/accumulators.hpp"

namespace penstock::plan {

Status DenseTableMemory::prepare_table(const TileContext& kernel, std::uint64_t row_count) {
  const TileProgram& program = kernel.program;
  const std::uint64_t entry_words = program.entry_words();
  layout = kernel.dense.numbers;
  PENSTOCK_TRY(kernel.reserve(limbs, kernel.dense.table.slots * limb_count(program, true) * 8));
  const std::uint64_t bytes = std::min(kernel.dense.table.slots, row_count) * entry_words * 8;
  if (!results || results->bytes() < bytes) results_are_set = false;
  PENSTOCK_TRY(kernel.reserve(results, bytes));
  return kernel.reserve(used_slots, 64);
}

void DenseTableMemory::describe_results(const TileContext& kernel, std::uint64_t row_count) {
  table_count = 1;
  slots_per_table = static_cast<std::uint32_t>(std::min(kernel.dense.table.slots, row_count));
}

Status DenseGroupBy::prepare(const TileContext& kernel, std::uint64_t row_count) {
  return prepare_table(kernel, row_count);
}

Status DenseGroupBy::enqueue(const TileContext& kernel, const TileLaunch& launch) {
  const auto slots = static_cast<std::uint32_t>(kernel.dense.table.slots);
  const DenseShape shape = dense_shape(kernel.program, kernel.policy, slots);
  describe_results(kernel, launch.row_count);
  PENSTOCK_TRY(
      launch.queue.fill(*limbs, 0, std::uint64_t{slots} * limb_count(kernel.program, true) * 8));
  PENSTOCK_TRY(launch.clear({&used_slots, &launch.overflowed}));
  PENSTOCK_TRY(clear_results(launch.queue, one_download_bytes));
  std::vector<Argument> arguments = launch.source;
  add(arguments, {&layout, &limbs, &launch.overflowed, &launch.fault});
  arguments.push_back(Argument::value(launch.row_count));
  for (const std::uint32_t number : {slots, shape.parts, shape.copies})
    arguments.push_back(Argument::value(number));
  const std::uint32_t groups =
      std::min(shape.groups, std::max(1u, kernel.tile_count(launch.row_count)) * shape.parts);
  PENSTOCK_TRY(launch.run("pipeline_group", groups, arguments));
  std::vector<Argument> collect;
  add(collect, {&layout, &limbs, &results, &used_slots});
  collect.push_back(Argument::value(slots));
  const std::uint32_t group_size = kernel.policy.group_size;
  return launch.run("pipeline_group_collect",
                    std::min(kernel.policy.groups, (slots + group_size - 1) / group_size), collect);
}

}  // namespace penstock::plan
