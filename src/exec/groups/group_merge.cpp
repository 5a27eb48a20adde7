#include "exec/groups/group_merge.hpp"
#include "device/memory_budget.hpp"
#include "exec/kernel/exec_kernels.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "exec/kernels/group_merge_limits.h"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/program/accumulators.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t min_slots = 1 << 10, max_slots = std::uint64_t{1} << 31;
constexpr std::uint64_t piece_bytes = 16 << 20;  // of groups that are downloaded at once

std::uint32_t minimum_of(Type type) {
  if (type.kind == Kind::float32) return MERGE_MINIMUM_F32;
  if (type.kind == Kind::float64) return MERGE_MINIMUM_F64;
  if (expr::is_wide(type)) return MERGE_MINIMUM_I128;
  return type.kind == Kind::uint64 ? MERGE_MINIMUM_U64 : MERGE_MINIMUM_I64;
}

std::uint32_t operation_of(const Accumulator& a) {
  const std::uint32_t operation = *row_of(a).merge_operation;
  return is_extreme(a) ? operation - MERGE_MINIMUM_I64 + minimum_of(a.type) : operation;
}

std::vector<std::uint32_t> layout_of(const TileProgram& program, MergedEntries entries) {
  const auto count = static_cast<std::uint32_t>(program.accumulators.size());
  std::vector<std::uint32_t> words = {program.key_words(), count};
  for (std::uint32_t i = 0; i < count; i++) {
    const Accumulator& a = program.accumulators[i];
    const std::uint32_t operation = operation_of(a);
    if (entries == MergedEntries::of_kernels)
      words.insert(words.end(), {operation, a.word});
    else
      words.insert(words.end(), {operation == MERGE_SUM_I64 ? MERGE_SUM_I128 : operation, 2 * i});
  }
  return words;
}

// Zeroes of floats differ by their sign, though none is less.
bool adds_in_any_order(const TileProgram& program) {
  return std::ranges::none_of(program.accumulators, [](const Accumulator& a) {
    return is_rounded_sum(a) || (is_extreme(a) && is_float(a.type));
  });
}

bool merges_on_device(const MergePlace& place, const TileProgram& program) {
  const bool has_operations = std::ranges::all_of(program.accumulators, [](const Accumulator& a) {
    return row_of(a).merge_operation.has_value();
  });
  if (place.location == MergeLocation::host || !has_operations) return false;
  return place.location == MergeLocation::device || !place.device->traits().shares_host_cores();
}

}  // namespace

GroupMerge::GroupMerge(MergePlace place, const TileProgram& program, MergedEntries entries)
    : place_(std::move(place)),
      program_(program),
      layout_words_(layout_of(program, entries)),
      kernels_(place_.device, exec_kernels("group_merge")),
      adds_in_any_order_(adds_in_any_order(program)),
      launch_number_(MERGE_FIRST_LAUNCH) {
  slot_words_ = layout_words_[0] + 2 * layout_words_[1];
}

std::unique_ptr<GroupMerge> GroupMerge::begin(const MergePlace& place, const TileProgram& program,
                                              MergedEntries entries) {
  if (!merges_on_device(place, program)) return nullptr;
  return std::unique_ptr<GroupMerge>(new GroupMerge(place, program, entries));
}

bool GroupMerge::wants(std::span<const std::uint32_t> counts) const {
  return merges_ > 0 || place_.location == MergeLocation::device ||
         *std::max_element(counts.begin(), counts.end()) >= min_merged_groups ||
         (adds_in_any_order_ &&
          std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) >= min_linked_groups);
}

Status GroupMerge::open() {
  PENSTOCK_TRY(kernels_.wait());
  const std::uint64_t layout_bytes = layout_words_.size() * 4;
  PENSTOCK_ASSIGN(layout_, place_.device->allocate(std::max<std::uint64_t>(layout_bytes, 64)));
  PENSTOCK_ASSIGN(totals_, place_.device->allocate(64));
  PENSTOCK_TRY(place_.queue->upload(*layout_, layout_words_.data(), layout_bytes));
  return place_.queue->fill(*totals_, 0, 64);
}

Status GroupMerge::launch(std::string_view kernel, std::uint64_t count,
                          std::span<const Argument> arguments) {
  return kernels_.launch(*place_.queue, kernel, count, arguments);
}

std::uint64_t GroupMerge::max_groups() const {
  std::uint64_t groups = known_groups_;
  for (const Unread& unread : unread_) groups += unread.entries;
  return groups;
}

// While the table grows there are two. At the end there is a copy of the groups, at most half as
// large as the table.
bool GroupMerge::fits(std::uint64_t slots) const {
  const Traits& traits = place_.device->traits();
  const std::uint64_t beside = std::max(slots_.count, slots / 2);
  return slots <= max_slots && slots * 8 * slot_words_ <= traits.max_allocation_bytes &&
         (slots + beside) * slot_bytes() <= device::MemoryBudget(traits, place_.memory_limit_bytes)
                                                .share_of(device::MemoryUse::merged_groups);
}

Result<bool> GroupMerge::make_room(std::uint64_t groups) {
  if (!layout_) PENSTOCK_TRY(open());
  return reserve(groups);
}

std::uint64_t GroupMerge::max_groups_held() const {
  std::uint64_t slots = max_slots;
  while (slots >= min_slots && !fits(slots)) slots /= 2;
  return slots < min_slots ? 0 : slots / 3;
}

// Makes a table that the groups and `entries` more fill to a half at most.
Result<bool> GroupMerge::reserve(std::uint64_t entries) {
  if (slots_.count >= 2 * (max_groups() + entries)) return true;
  const auto wanted = [&] {
    return std::bit_ceil(std::max(min_slots, 3 * (max_groups() + entries)));
  };
  if (!fits(wanted())) PENSTOCK_TRY(take_all_totals());
  if (slots_.count >= 2 * (max_groups() + entries)) return true;
  PENSTOCK_ASSIGN(const bool has_grown, fits(wanted()) ? grow(wanted()) : Result<bool>(false));
  if (!has_grown) refused_slots_ = wanted();
  return has_grown;
}

Result<bool> GroupMerge::grow(std::uint64_t slots) {
  Slots larger;
  larger.count = slots;
  const auto allocate = [&](BufferPointer& to, std::uint64_t bytes) -> Result<bool> {
    auto buffer = place_.device->allocate(bytes);
    if (!buffer.ok() && buffer.status().code() == Code::no_memory) return false;
    PENSTOCK_ASSIGN(to, std::move(buffer));
    return true;
  };
  PENSTOCK_ASSIGN(const bool has_states, allocate(larger.states, slots * 4));
  if (!has_states) return false;
  PENSTOCK_ASSIGN(const bool has_words, allocate(larger.words, slots * slot_words_ * 8));
  if (!has_words) return false;
  PENSTOCK_TRY(place_.queue->fill(*larger.states, MERGE_FREE, slots * 4));
  if (slots_.count > 0) {
    std::vector<Argument> arguments;
    plan::add(arguments, {&slots_.states, &slots_.words, &layout_, &larger.states, &larger.words});
    arguments.push_back(Argument::value(static_cast<std::uint32_t>(slots_.count)));
    arguments.push_back(Argument::value(static_cast<std::uint32_t>(slots - 1)));
    PENSTOCK_TRY(launch("group_merge_move", slots_.count, arguments));
  }
  slots_ = std::move(larger);
  return true;
}

Result<bool> GroupMerge::add(const GroupByResults& tables, std::span<const std::uint32_t> counts) {
  std::uint64_t entries = 0;
  for (const std::uint32_t count : counts) entries += count;
  return add(entries, [&] { return merge(tables, counts); });
}

Result<bool> GroupMerge::add_groups(const Buffer& groups, std::uint64_t first,
                                    std::uint64_t count) {
  return add(count, [&] {
    return merge_table(groups, first * slot_words_, slot_words_, static_cast<std::uint32_t>(count));
  });
}

Result<bool> GroupMerge::add(std::uint64_t entries, const std::function<Status()>& enqueue) {
  if (entries == 0) return true;
  if (!layout_) PENSTOCK_TRY(open());
  PENSTOCK_TRY(take_totals(unread_[merges_ % max_unread]));
  PENSTOCK_ASSIGN(const auto begun, place_.queue->record());
  PENSTOCK_ASSIGN(const bool has_slots, reserve(entries));
  if (!has_slots) return false;
  PENSTOCK_TRY(enqueue());
  PENSTOCK_TRY(read_totals(entries, begun));
  return true;
}

Status GroupMerge::read_totals(std::uint64_t entries, std::shared_ptr<Event> begun) {
  Unread& unread = unread_[merges_++ % max_unread];
  unread.entries = entries;
  unread.begun = std::move(begun);
  entries_merged_ += entries;
  PENSTOCK_ASSIGN(unread.done, place_.queue->record());
  PENSTOCK_TRY(place_.queue->flush());
  PENSTOCK_TRY(unread.read_back.begin(place_.device, *unread.done));
  PENSTOCK_ASSIGN(unread.totals, unread.read_back.read<std::uint32_t>(*totals_, MERGE_TOTAL_WORDS));
  return {};
}

// Takes the totals that were read after the oldest merge. A later merge may have added to them by
// then.
Status GroupMerge::take_totals(Unread& unread) {
  if (!unread.done) return {};
  PENSTOCK_TRY(unread.read_back.wait());
  PENSTOCK_ASSIGN(const double seconds, unread.done->seconds_since(*unread.begun));
  device_seconds_ += seconds;
  known_groups_ = std::max<std::uint64_t>(known_groups_, unread.totals[MERGE_GROUP_COUNT]);
  unread.entries = 0;
  unread.done.reset();
  return unread.totals[MERGE_OVERFLOWED] == 0 ? Status() : sum_too_large();
}

Status GroupMerge::take_all_totals() {
  for (std::size_t i = 0; i < max_unread; i++)
    PENSTOCK_TRY(take_totals(unread_[(merges_ + i) % max_unread]));
  return {};
}

Result<GroupsOnDevice> GroupMerge::collect() {
  PENSTOCK_TRY(take_all_totals());
  if (only_.words) return std::exchange(only_, {});
  GroupsOnDevice groups{nullptr, known_groups_, slot_words_};
  if (known_groups_ == 0) return groups;
  PENSTOCK_ASSIGN(groups.words, place_.device->allocate(known_groups_ * slot_words_ * 8));
  std::vector<Argument> arguments;
  plan::add(arguments, {&slots_.states, &slots_.words, &layout_, &groups.words, &totals_});
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(slots_.count)));
  PENSTOCK_TRY(launch("group_merge_collect", slots_.count, arguments));
  groups_taken_ = known_groups_;
  slots_ = {};
  return groups;
}

Status GroupMerge::take_all(const std::function<void(std::span<const std::uint64_t>)>& take) {
  PENSTOCK_ASSIGN(const GroupsOnDevice groups, collect());
  return download(groups, take);
}

// While the host takes one piece the next one arrives.
Status GroupMerge::download(const GroupsOnDevice& groups,
                            const std::function<void(std::span<const std::uint64_t>)>& take) const {
  if (groups.count == 0) return {};
  const std::uint64_t words = groups.count * slot_words_,
                      piece =
                          std::max<std::uint64_t>(piece_bytes / 8 / slot_words_, 1) * slot_words_;
  PENSTOCK_ASSIGN(const auto done, place_.queue->record());
  PENSTOCK_TRY(place_.queue->flush());
  std::array<ReadBack, 2> reads;
  std::array<std::span<const std::uint64_t>, 2> pieces;
  for (std::uint64_t first = 0, turn = 0; first < words + piece; first += piece, turn++) {
    if (first < words) {
      PENSTOCK_TRY(reads[turn % 2].begin(place_.device, *done));
      PENSTOCK_ASSIGN(pieces[turn % 2], reads[turn % 2].read<std::uint64_t>(
                                            *groups.words, std::min(piece, words - first), first));
    }
    if (turn == 0) continue;
    PENSTOCK_TRY(reads[(turn + 1) % 2].wait());
    take(pieces[(turn + 1) % 2]);
  }
  return {};
}

void GroupMerge::add_note(RunReport& report) const {
  const Traits& traits = place_.device->traits();
  report.notes.push_back(
      (groups_taken_ > 0
           ? "groups were merged on the host after the first " + count_text(groups_taken_)
           : "groups were merged on the host") +
      ": a table for more takes " + bytes_text(refused_slots_ * slot_bytes()) + " on " + traits.id +
      ", where a quarter of " +
      bytes_text(device::MemoryBudget(traits, place_.memory_limit_bytes).bytes()) + " is for it");
}

void GroupMerge::add_to(RunReport& report) const {
  if (refused_slots_ > 0) add_note(report);
  if (merges_ == 0) return;
  const std::uint64_t bytes_moved =
      entries_merged_ *
      (8 * (program_.key_words() + program_.accumulator_words()) + 2 * slot_bytes());
  kernels_.add_to(report, "group_merge", {kernels_.launches(), bytes_moved, device_seconds_});
}

}  // namespace penstock::plan
