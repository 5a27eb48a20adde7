#include <algorithm>

#include "exec/kernel/dense_group_by.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/partition_layout.hpp"

namespace penstock::plan {
namespace {

std::uint64_t limb_bytes(const TileContext& kernel) {
  return kernel.dense.table.slots * limb_count(kernel.program, true) * 8;
}

std::uint64_t entry_bytes(const TileContext& kernel) {
  return kernel.program.entry_words() * std::uint64_t{8};
}

// Returns whether a launch adds to the sums of the launch before it.
bool continues(const TileContext& kernel, std::uint64_t row_count) {
  const std::vector<KeptSums>& all = kernel.kept.sums;
  return !all.empty() && all.back().layout == kernel.dense.numbers &&
         all.back().row_count + row_count <= max_launch_rows;
}

// Limbs hold every value of exact sums. Limbs of floats are for the exponents that were met, and
// another chunk may have other exponents. Sums of several layouts stay until the end. One of them
// and its entries are in memory together then. They keep to the limit for tables of groups, as the
// tables of one launch do. A table is not cleared for a chunk of few rows.
bool keeps(const TileContext& kernel, std::uint64_t row_count) {
  if (kernel.runs_alone || !adds_exactly(kernel.program)) return false;
  if (continues(kernel, row_count)) return true;
  const std::uint64_t slots = kernel.dense.table.slots, entries = slots * entry_bytes(kernel);
  std::uint64_t bytes = limb_bytes(kernel) + entries;
  for (const KeptSums& sums : kernel.kept.sums) bytes += sums.limbs->bytes();
  return slots <= std::max<std::uint64_t>(1 << 20, 8 * row_count) &&
         entries <= kernel.device.traits().max_allocation_bytes && bytes <= kernel.memory_bytes / 8;
}

// Begins another table if the layout has changed, or if there are more rows than sums hold.
Result<KeptSums*> kept_sums(const TileContext& kernel, const TileLaunch& launch) {
  std::vector<KeptSums>& all = kernel.kept.sums;
  if (!continues(kernel, launch.row_count)) {
    KeptSums sums{launch.compiled, kernel.dense.numbers, nullptr, kernel.dense.table};
    sums.collecting_groups = collecting_groups(kernel.policy, sums.table.slots);
    sums.entry_bytes = entry_bytes(kernel);
    PENSTOCK_TRY(kernel.reserve(sums.limbs, limb_bytes(kernel)));
    PENSTOCK_TRY(launch.queue.fill(*sums.limbs, 0, limb_bytes(kernel)));
    all.push_back(std::move(sums));
  }
  all.back().row_count += launch.row_count;
  return &all.back();
}

}  // namespace

std::uint32_t collecting_groups(const Policy& policy, std::uint64_t slots) {
  const std::uint64_t groups = (slots + policy.group_size - 1) / policy.group_size;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(groups, 1, 2 * std::uint64_t{policy.groups}));
}

Status PartitionedGroupBy::prepare(const TileContext& kernel, std::uint64_t row_count) {
  const std::uint64_t rows = (row_count + 3) / 4 * 4;  // kernels read four at once
  PENSTOCK_TRY(kernel.reserve(heads, rows * head_bytes));
  PENSTOCK_TRY(kernel.reserve(records, rows * record_words(kernel.program) * 4));
  PENSTOCK_TRY(
      kernel.reserve(partitions, (kernel.policy.partition.max_count * std::uint64_t{3} + 1) * 4));
  is_kept_ = keeps(kernel, row_count);
  if (!is_kept_) return prepare_table(kernel, row_count);
  layout = kernel.dense.numbers;
  PENSTOCK_TRY(kernel.reserve(results, 0));
  return kernel.reserve(used_slots, 64);
}

Status PartitionedGroupBy::enqueue(const TileContext& kernel, const TileLaunch& launch) {
  describe_results(kernel, launch.row_count);
  if (is_kept_) {
    PENSTOCK_ASSIGN(const KeptSums* const sums, kept_sums(kernel, launch));
    return enqueue_sums(kernel, launch, sums->limbs);
  }
  PENSTOCK_TRY(enqueue_sums(kernel, launch, limbs));
  std::vector<Argument> arguments;
  add(arguments, {&layout, &partitions, &limbs, &results, &used_slots});
  arguments.push_back(Argument::value(launch.row_count));
  return launch.run("pipeline_group_collect",
                    collecting_groups(kernel.policy, kernel.dense.table.slots), arguments);
}

Status PartitionedGroupBy::enqueue_sums(const TileContext& kernel, const TileLaunch& launch,
                                        const BufferPointer& sums) {
  const Policy& policy = kernel.policy;
  const std::uint64_t row_count = launch.row_count;
  // Counts, and how many records of each partition are taken.
  PENSTOCK_TRY(launch.queue.fill(*partitions, 0, std::uint64_t{policy.partition.max_count} * 8));
  PENSTOCK_TRY(launch.clear({&used_slots, &launch.overflowed}));
  const auto run = [&](const char* name, std::uint64_t groups, std::vector<Argument> arguments,
                       std::initializer_list<const BufferPointer*> buffers, bool may_be_kept) {
    add(arguments, buffers);
    arguments.push_back(Argument::value(row_count));
    if (may_be_kept) arguments.push_back(Argument::value(std::uint32_t{is_kept_}));
    return launch.run(name, static_cast<std::uint32_t>(std::max<std::uint64_t>(groups, 1)),
                      arguments);
  };
  const PartitionShape shape = partition_shape(policy, kernel.dense.table.slots);
  const std::uint64_t counted = std::uint64_t{policy.group_size} * policy.partition.counted_rows;
  const std::uint64_t counting = std::min<std::uint64_t>((row_count + counted - 1) / counted,
                                                         2 * std::uint64_t{policy.groups});
  PENSTOCK_TRY(run("pipeline_partition_count", counting, launch.source,
                   {&layout, &partitions, &launch.overflowed}, false));
  PENSTOCK_TRY(run(
      "pipeline_partition", kernel.group_count(row_count), launch.source,
      {&layout, &partitions, &heads, &records, &sums, &launch.overflowed, &launch.fault}, true));
  return run(
      "pipeline_group", std::uint64_t{shape.shares} * shape.parts, {},
      {&layout, &heads, &records, &partitions, &sums, &results, &used_slots, &launch.overflowed},
      true);
}

Result<GroupByResults> entries_of(const KeptSums& sums, Device& device, Queue& queue) {
  GroupByResults entries;
  entries.table_count = 1;
  entries.is_in_order = true;
  entries.slots_per_table = static_cast<std::uint32_t>(std::min(sums.table.slots, sums.row_count));
  const std::uint64_t bytes = entries.slots_per_table * sums.entry_bytes;
  PENSTOCK_ASSIGN(entries.results, device.allocate(std::max<std::uint64_t>(bytes, 64)));
  PENSTOCK_ASSIGN(entries.used_slots, device.allocate(64));
  PENSTOCK_ASSIGN(const BufferPointer counts,
                  device.allocate(std::max<std::uint64_t>(sums.collecting_groups * 4, 64)));
  std::vector<Argument> arguments;
  add(arguments, {&sums.layout, &sums.limbs, &counts});
  PENSTOCK_TRY(
      queue.launch(*sums.compiled, "pipeline_group_kept_count", sums.collecting_groups, arguments));
  add(arguments, {&entries.results, &entries.used_slots});
  arguments.push_back(Argument::value(sums.row_count));
  PENSTOCK_TRY(queue.launch(*sums.compiled, "pipeline_group_kept_collect", sums.collecting_groups,
                            arguments));
  return entries;
}

}  // namespace penstock::plan
