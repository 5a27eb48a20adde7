#include <algorithm>

#include "plan/execution/dense_group_by.hpp"
#include "plan/variants/partition_layout.hpp"

namespace penstock::plan {

Status PartitionedGroupBy::prepare(const TileContext& kernel, std::uint64_t row_count) {
  const std::uint64_t rows = (row_count + 3) / 4 * 4;  // kernels read four at once
  PENSTOCK_TRY(kernel.reserve(heads, rows * head_bytes));
  PENSTOCK_TRY(kernel.reserve(records, rows * record_words(kernel.program) * 4));
  PENSTOCK_TRY(kernel.reserve(partitions, (kernel.policy.partitions * std::uint64_t{3} + 1) * 4));
  return prepare_table(kernel, row_count);
}

Status PartitionedGroupBy::enqueue(const TileContext& kernel, const TileLaunch& launch) {
  const Policy& policy = kernel.policy;
  const std::uint64_t slots = kernel.dense.table.slots, row_count = launch.row_count;
  describe_results(kernel, row_count);
  // Counts, and how many records of each partition are taken.
  PENSTOCK_TRY(launch.queue.fill(*partitions, 0, std::uint64_t{policy.partitions} * 8));
  PENSTOCK_TRY(launch.clear({&used_slots, &launch.overflowed}));
  const auto run = [&](const char* name, std::uint64_t groups, std::vector<Argument> arguments,
                       std::initializer_list<const BufferPointer*> buffers) {
    add(arguments, buffers);
    arguments.push_back(Argument::value(row_count));
    return launch.run(name, static_cast<std::uint32_t>(std::max<std::uint64_t>(groups, 1)),
                      arguments);
  };
  const PartitionShape shape = partition_shape(policy, slots);
  const std::uint64_t counted = std::uint64_t{policy.group_size} * policy.counted_rows;
  const std::uint64_t counting = std::min<std::uint64_t>((row_count + counted - 1) / counted,
                                                         2 * std::uint64_t{policy.groups});
  const std::uint64_t collecting = (slots + policy.group_size - 1) / policy.group_size;
  PENSTOCK_TRY(run("pipeline_partition_count", counting, launch.source,
                   {&layout, &partitions, &launch.overflowed}));
  PENSTOCK_TRY(
      run("pipeline_partition", kernel.group_count(row_count), launch.source,
          {&layout, &partitions, &heads, &records, &limbs, &launch.overflowed, &launch.fault}));
  PENSTOCK_TRY(run(
      "pipeline_group", std::uint64_t{shape.shares} * shape.parts, {},
      {&layout, &heads, &records, &partitions, &limbs, &results, &used_slots, &launch.overflowed}));
  return run("pipeline_group_collect",
             std::min<std::uint64_t>(collecting, 2 * std::uint64_t{policy.groups}), {},
             {&layout, &partitions, &limbs, &results, &used_slots});
}

}  // namespace penstock::plan
