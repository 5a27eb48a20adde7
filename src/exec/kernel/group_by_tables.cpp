#include "exec/kernel/group_by_tables.hpp"

#include <algorithm>

namespace penstock::plan {
namespace {

std::uint64_t position_bytes(const TileContext& kernel) {
  return kernel.size.slots * std::uint64_t{2} * global_position_words(kernel.program) * 4;
}

// Returns the work groups of tables in local memory. These are small, and the more rows a group
// has, the more keys: large chunks have more groups, each with the rows that 2^22 give it.
std::uint32_t local_group_count(const TileContext& kernel, std::uint64_t row_count) {
  constexpr std::uint64_t rows_at_once = 1 << 22;
  const std::uint64_t turns = (row_count + rows_at_once - 1) / rows_at_once;
  const std::uint32_t groups = kernel.group_count(std::min(row_count, rows_at_once));
  return static_cast<std::uint32_t>(
      std::min(std::max<std::uint64_t>(turns, 1) * groups,
               std::max<std::uint64_t>(kernel.tile_count(row_count), 1)));
}

// The results of one table for each of `groups` work groups.
Status prepare_results(const TileContext& kernel, GroupByResults& tables, std::uint64_t groups) {
  const std::uint64_t entry_words =
      kernel.program.key_words() + kernel.program.accumulator_words() + 1;
  const std::uint64_t bytes = groups * kernel.size.slots * entry_words * 8;
  if (!tables.results || tables.results->bytes() < bytes) tables.results_are_set = false;
  PENSTOCK_TRY(kernel.reserve(tables.results, bytes));
  return kernel.reserve(tables.used_slots, groups * 4);
}

Status launch_group(const TileLaunch& launch, const GroupByResults& tables,
                    std::vector<Argument> arguments, std::initializer_list<std::uint32_t> size) {
  add(arguments, {&tables.results, &tables.used_slots, &launch.overflowed, &launch.fault});
  arguments.push_back(Argument::value(launch.row_count));
  for (const std::uint32_t number : size) arguments.push_back(Argument::value(number));
  return launch.run("pipeline_group", tables.table_count, arguments);
}

}  // namespace

Status GroupByResults::clear_results(Queue& queue, std::uint64_t max_bytes) {
  if (!results_are_set)
    PENSTOCK_TRY(queue.fill(*results, 0, std::min(results->bytes() / 4 * 4, max_bytes)));
  results_are_set = true;
  return {};
}

// The tables of all groups together stay within a gigabyte.
static std::uint32_t private_group_count(const TileContext& kernel, std::uint64_t row_count) {
  const std::uint64_t bytes = std::uint64_t{8} * kernel.size.slots * kernel.policy.group_size *
                              std::max(1u, kernel.program.accumulator_words());
  std::uint32_t groups = kernel.group_count(row_count);
  while (groups > 1 && bytes * groups > (std::uint64_t{1} << 30)) groups = (groups + 1) / 2;
  return groups;
}

Status PrivateGroupBy::prepare(const TileContext& kernel, std::uint64_t row_count) {
  const std::uint64_t words = kernel.program.accumulator_words() + 1;
  const std::uint32_t groups = private_group_count(kernel, row_count);
  const std::uint64_t slots = std::uint64_t{groups} * kernel.size.slots;
  PENSTOCK_TRY(kernel.reserve(positions, slots * 2 * 4));
  PENSTOCK_TRY(kernel.reserve(keys, slots * kernel.program.key_words() * 8));
  PENSTOCK_TRY(kernel.reserve(scratch, slots * words * kernel.policy.group_size * 8));
  return prepare_results(kernel, *this, groups);
}

Status PrivateGroupBy::enqueue(const TileContext& kernel, const TileLaunch& launch) {
  table_count = private_group_count(kernel, launch.row_count);
  slots_per_table = kernel.size.slots;
  PENSTOCK_TRY(launch.clear({&launch.overflowed}));
  PENSTOCK_TRY(clear_results(launch.queue, one_download_bytes));
  std::vector<Argument> arguments = launch.source;
  add(arguments, {&positions, &keys, &scratch});
  return launch_group(launch, *this, std::move(arguments), {slots_per_table});
}

constexpr std::uint64_t state_words = 3;  // of a kept table: group_kept.kc

// A launch moves no more entries than tables had and rows add; as many as fit a gigabyte must do.
Status KeptGroupBy::prepare(const TileContext& kernel, std::uint64_t row_count) {
  const std::uint64_t tables = kernel.policy.groups, slots = kernel.policy.group.slots;
  const std::uint64_t entry_bytes = kernel.program.entry_words() * std::uint64_t{8};
  const std::uint64_t tiles = (kernel.tile_count(row_count) + tables - 1) / tables;
  const std::uint64_t fitting =
      std::max((std::uint64_t{1} << 30) / tables / entry_bytes, 2 * slots);
  slots_per_table =
      static_cast<std::uint32_t>(std::min(tiles * kernel.policy.tile_rows + slots, fitting));
  table_count = kernel.policy.groups;
  PENSTOCK_TRY(kernel.reserve(kernel.kept.states, tables * state_words * 4));
  PENSTOCK_TRY(kernel.reserve(kernel.kept.positions, tables * 2 * slots * 4));
  PENSTOCK_TRY(kernel.reserve(kernel.kept.entries, tables * slots * entry_bytes));
  PENSTOCK_TRY(kernel.reserve(results, tables * slots_per_table * entry_bytes));
  return kernel.reserve(used_slots, tables * 4);
}

Status KeptGroupBy::enqueue(const TileContext& kernel, const TileLaunch& launch) {
  KeptTables& kept = kernel.kept;
  if (kept.table_count == 0 || kernel.runs_alone) {
    PENSTOCK_TRY(launch.queue.fill(*kept.states, 0, table_count * state_words * 4));
    kept.row_count = 0;
    kept.table_count = table_count;
    kept.slots = kernel.policy.group.slots;
  }
  const bool sums_are_full = kept.row_count + launch.row_count > max_launch_rows;
  kept.row_count = (sums_are_full ? 0 : kept.row_count) + launch.row_count;
  PENSTOCK_TRY(launch.clear({&launch.overflowed}));
  std::vector<Argument> arguments = launch.source;
  add(arguments, {&kept.states, &kept.positions, &kept.entries, &results, &used_slots,
                  &launch.overflowed, &launch.fault});
  arguments.push_back(Argument::value(launch.row_count));
  arguments.push_back(Argument::value(slots_per_table));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(sums_are_full)));
  return launch.run("pipeline_group", table_count, arguments);
}

GroupByResults rest_of(const KeptTables& tables) {
  GroupByResults rest;
  rest.results = tables.entries;
  rest.used_slots = tables.states;
  rest.table_count = tables.table_count;
  rest.slots_per_table = tables.slots;
  return rest;
}

Status LocalGroupBy::prepare(const TileContext& kernel, std::uint64_t row_count) {
  return prepare_results(kernel, *this, local_group_count(kernel, row_count));
}

Status LocalGroupBy::enqueue(const TileContext& kernel, const TileLaunch& launch) {
  const TableSize& size = kernel.size;
  table_count = local_group_count(kernel, launch.row_count);
  slots_per_table = size.slots;
  PENSTOCK_TRY(launch.clear({&launch.overflowed}));
  PENSTOCK_TRY(clear_results(launch.queue, results->bytes()));
  return launch_group(launch, *this, launch.source, {size.slots, size.positions, size.copies});
}

Status GlobalGroupBy::prepare(const TileContext& kernel, std::uint64_t) {
  const std::uint64_t entry_words =
      kernel.program.key_words() + kernel.program.accumulator_words() + 1;
  PENSTOCK_TRY(kernel.reserve(positions, position_bytes(kernel)));
  PENSTOCK_TRY(kernel.reserve(used_positions, 64));
  PENSTOCK_TRY(kernel.reserve(results, kernel.size.slots * entry_words * 8));
  return kernel.reserve(used_slots, 64);
}

Status GlobalGroupBy::enqueue(const TileContext& kernel, const TileLaunch& launch) {
  const Argument position_count = Argument::value(kernel.size.slots * 2);
  table_count = 1;
  slots_per_table = kernel.size.slots;
  PENSTOCK_TRY(launch.queue.fill(*positions, 0, position_bytes(kernel)));
  PENSTOCK_TRY(launch.clear({&used_positions, &used_slots, &launch.overflowed}));
  PENSTOCK_TRY(clear_results(launch.queue, one_download_bytes));
  std::vector<Argument> arguments = launch.source;
  add(arguments, {&positions, &used_positions, &launch.overflowed, &launch.fault});
  arguments.push_back(Argument::value(launch.row_count));
  arguments.push_back(position_count);
  PENSTOCK_TRY(launch.run("pipeline_group", kernel.group_count(launch.row_count), arguments));
  std::vector<Argument> collect;
  add(collect, {&positions, &results, &used_slots});
  collect.push_back(position_count);
  return launch.run("pipeline_group_collect", kernel.policy.groups, collect);
}

}  // namespace penstock::plan
