// TileKernel's part for groups in partitions: the memory of records and tables, and launches.
#include <algorithm>

#include "plan/execution/tile_kernel.hpp"
#include "plan/fusion/accumulators.hpp"
#include "plan/variants/partition_layout.hpp"

namespace penstock::plan {

Status TileKernel::prepare_partitions(Slot& slot, std::uint64_t row_count) const {
  const std::uint64_t rows = (row_count + 3) / 4 * 4;  // read by four
  PENSTOCK_TRY(replace(slot.heads, rows * head_bytes));
  PENSTOCK_TRY(replace(slot.records, rows * record_words(program_) * 4));
  PENSTOCK_TRY(replace(slot.partitions, (policy_.partitions * std::uint64_t{3} + 1) * 4));
  return prepare_dense(slot, row_count);
}

Status TileKernel::enqueue_partitions(Queue& queue, std::vector<Argument> source,
                                      std::uint64_t row_count, Slot& slot) const {
  slot.groups = 1;  // one table, as if of one group
  slot.is_by_slots = false;
  slot.slots = static_cast<std::uint32_t>(std::min(dense_.slots, row_count));
  slot.attempt = attempts_;
  PENSTOCK_TRY(queue.fill(*slot.partitions, 0,
                          std::uint64_t{policy_.partitions} * 8));  // counts, and what is taken
  for (const auto* buffer : {&slot.used_slots, &slot.overflowed})
    PENSTOCK_TRY(queue.fill(**buffer, 0, 4));
  const auto launch = [&](const char* kernel, std::uint64_t groups, std::vector<Argument> arguments,
                          std::initializer_list<const std::shared_ptr<Buffer>*> buffers) {
    for (const auto* buffer : buffers) arguments.push_back(Argument::of(**buffer));
    arguments.push_back(Argument::value(row_count));
    return queue.launch(*compiled_, kernel,
                        static_cast<std::uint32_t>(std::max<std::uint64_t>(groups, 1)), arguments);
  };
  const PartitionShape shape = partition_shape(policy_, dense_.slots);
  const std::uint64_t counted = std::uint64_t{policy_.group_size} * policy_.counted_rows;
  const std::uint64_t counting = std::min<std::uint64_t>((row_count + counted - 1) / counted,
                                                         2 * std::uint64_t{policy_.groups});
  const std::uint64_t collecting = (dense_.slots + policy_.group_size - 1) / policy_.group_size;
  PENSTOCK_TRY(launch("pipeline_partition_count", counting, source,
                      {&slot.keys, &slot.partitions, &slot.overflowed}));
  PENSTOCK_TRY(launch("pipeline_partition", group_count(row_count), source,
                      {&slot.keys, &slot.partitions, &slot.heads, &slot.records, &slot.places,
                       &slot.overflowed, &slot.fault}));
  PENSTOCK_TRY(launch("pipeline_group", std::uint64_t{shape.shares} * shape.parts, {},
                      {&slot.keys, &slot.heads, &slot.records, &slot.partitions, &slot.places,
                       &slot.results, &slot.used_slots, &slot.overflowed}));
  return launch("pipeline_group_collect",
                std::min<std::uint64_t>(collecting, 2 * std::uint64_t{policy_.groups}), {},
                {&slot.keys, &slot.partitions, &slot.places, &slot.results, &slot.used_slots});
}

}  // namespace penstock::plan
