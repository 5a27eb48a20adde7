// Merges the tables of a chunk: all of them by two launches, or one after another.
#include <algorithm>

#include "device/memory_budget.hpp"
#include "exec/groups/group_merge.hpp"
#include "exec/kernels/group_merge_limits.h"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {
namespace {

// Distances of entries in words: `slot` between the entries of a table, `table` between tables.
struct EntryStrides {
  std::uint64_t table = 0, slot = 0;
};

EntryStrides strides_of(const TileProgram& program, const GroupByResults& tables) {
  const std::uint64_t words = program.entry_words();
  if (tables.is_slot_major) return {words, words * tables.table_count};
  return {words * tables.slots_per_table, words};
}

}  // namespace

// Returns whether all tables are merged by two launches: `count` entries, numbered slot by slot.
bool GroupMerge::links(const GroupByResults& tables, std::uint64_t count) {
  if (!adds_in_any_order_ || tables.table_count == 1 || count >= MERGE_LINKED) return false;
  if (links_ && links_->bytes() >= count * 8) return true;
  auto links = place_.device->allocate(count * 8);
  if (links.ok()) links_ = std::move(links).value();
  return links.ok();
}

Status GroupMerge::merge_linked(const GroupByResults& tables, std::uint32_t count) {
  const EntryStrides strides = strides_of(program_, tables);
  const auto add_shape = [&](std::vector<Argument>& arguments) {
    arguments.push_back(Argument::value(tables.table_count));
    arguments.push_back(Argument::value(strides.table));
    arguments.push_back(Argument::value(strides.slot));
    arguments.push_back(Argument::value(count));
  };
  std::vector<Argument> arguments;
  plan::add(arguments, {&tables.results, &tables.used_slots, &layout_, &slots_.states,
                        &slots_.words, &links_});
  add_shape(arguments);
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(slots_.count - 1)));
  PENSTOCK_TRY(launch("group_merge_link", count, arguments));
  arguments.clear();
  plan::add(arguments, {&tables.results, &tables.used_slots, &layout_, &links_, &slots_.states,
                        &slots_.words, &totals_});
  add_shape(arguments);
  return launch("group_merge_linked", count, arguments);
}

Result<bool> GroupMerge::add_only(const GroupByResults& tables, std::uint32_t count) {
  if (merges_ > 0 || count == 0 || tables.table_count != 1) return add(tables, {&count, 1});
  const Traits& traits = place_.device->traits();
  const std::uint64_t bytes = count * std::uint64_t{slot_words_} * 8;
  if (bytes > device::MemoryBudget(traits, place_.memory_limit_bytes)
                  .buffer_of(device::MemoryUse::merged_groups))
    return add(tables, {&count, 1});
  if (!layout_) PENSTOCK_TRY(open());
  PENSTOCK_ASSIGN(const auto begun, place_.queue->record());
  auto words = place_.device->allocate(bytes);
  if (words.status().code() == Code::no_memory) return add(tables, {&count, 1});
  PENSTOCK_ASSIGN(only_.words, std::move(words));
  only_.count = count;
  only_.stride = slot_words_;
  only_.is_in_order = tables.is_in_order;
  PENSTOCK_TRY(widen(tables, only_));
  PENSTOCK_TRY(read_totals(count, begun));
  return true;
}

Status GroupMerge::widen(const GroupByResults& tables, const GroupsOnDevice& to) {
  std::vector<Argument> arguments;
  plan::add(arguments, {&tables.results, &layout_, &to.words});
  arguments.push_back(Argument::value(strides_of(program_, tables).slot));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(to.count)));
  return launch("group_merge_widen", to.count, arguments);
}

// Merges all tables at once, or table after table, in the order in which the host would add them.
Status GroupMerge::merge(const GroupByResults& tables, std::span<const std::uint32_t> counts) {
  const std::uint64_t all =
      counts.size() * std::uint64_t{*std::max_element(counts.begin(), counts.end())};
  if (links(tables, all)) return merge_linked(tables, static_cast<std::uint32_t>(all));
  const EntryStrides strides = strides_of(program_, tables);
  for (std::size_t table = 0; table < counts.size(); table++)
    PENSTOCK_TRY(merge_table(*tables.results, table * strides.table, strides.slot, counts[table]));
  return {};
}

// Merges entries with different keys, `stride` words apart from word `first` on.
Status GroupMerge::merge_table(const Buffer& entries, std::uint64_t first, std::uint64_t stride,
                               std::uint32_t count) {
  std::vector<Argument> arguments = {Argument::of(entries)};
  plan::add(arguments, {&layout_, &slots_.states, &slots_.words, &totals_});
  arguments.push_back(Argument::value(first));
  arguments.push_back(Argument::value(stride));
  arguments.push_back(Argument::value(count));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(slots_.count - 1)));
  arguments.push_back(Argument::value(launch_number_++));
  return launch("group_merge", count, arguments);
}

}  // namespace penstock::plan
