#include "exec/groups/group_exchange.hpp"

#include <algorithm>

#include "device/peer_copy.hpp"
#include "exec/kernels/group_parts_limits.h"
#include "exec/profile/recording.hpp"
#include "table/rows/device_memory.hpp"
#include "table/rows/finish_at_end.hpp"

namespace penstock::plan {

void GroupExchange::leave(std::size_t share) {
  sums_.leave(share);
  meeting_.leave(share);
  joint_rows_.leave(share);
}

// All shares come to the same answer.
bool GroupExchange::all_take_part() const {
  std::uint64_t groups = 0;
  bool wants = false;
  for (const Party& party : parties_) {
    if (!party.has_groups || party.base != parties_[0].base || party.words != parties_[0].words)
      return false;
    groups += party.groups;
    wants |= party.wants;
  }
  return parties_.size() <= PARTS_MAX && groups > 0 && (wants || groups >= min_exchanged_groups);
}

std::uint64_t GroupExchange::groups_of_range(std::size_t share) const {
  std::uint64_t groups = 0;
  for (const Party& party : parties_) groups += party.cuts[share + 1] - party.cuts[share];
  return groups;
}

bool GroupExchange::all_have(bool Party::* what) const {
  return std::ranges::all_of(parties_, [&](const Party& party) { return party.*what; });
}

bool GroupExchange::all_ranges_fit() const {
  if (!all_have(&Party::has_parts)) return false;
  for (std::size_t i = 0; i < parties_.size(); i++)
    if (groups_of_range(i) > parties_[i].max_range) return false;
  return true;
}

Status GroupExchange::divide(Party& party, GroupParts& parts, const GroupsOnDevice& groups) {
  auto divided = parts.divide(groups, bounds(parts));
  party.has_parts = divided.ok();
  if (!divided.ok())
    return divided.status().code() == Code::no_memory ? Status() : divided.status();
  party.parts = std::move(divided->groups);
  party.cuts = std::move(divided->cuts);
  return {};
}

// Returns memory for the groups of a share's range that other devices have.
Result<BufferPointer> GroupExchange::make_room(std::size_t share, GroupMerge& merge) {
  Party& own = parties_[share];
  const std::uint64_t others = groups_of_range(share) - (own.cuts[share + 1] - own.cuts[share]);
  PENSTOCK_ASSIGN(BufferPointer to, allocate_if_it_fits(*own.device, others * own.words * 8));
  if (to) { PENSTOCK_ASSIGN(own.has_room, merge.make_room(groups_of_range(share))); }
  return to;
}

// Copies the groups of a share's range out of the other devices' memory, in the order of these.
Status GroupExchange::collect(std::size_t share, const Buffer& to, RunReport& report) const {
  const Party& own = parties_[share];
  const std::uint64_t bytes_per_group = std::uint64_t{own.words} * 8;
  std::vector<device::DeviceCopy> copies;
  std::uint64_t offset = 0;
  std::size_t before = 0;  // copies out of the memory of shares before this one
  for (std::size_t i = 0; i < parties_.size(); i++) {
    const Party& from = parties_[i];
    const std::uint64_t bytes = (from.cuts[share + 1] - from.cuts[share]) * bytes_per_group;
    if (i == share || bytes == 0) continue;
    copies.push_back(
        {{own.device.get(), &to, offset},
         {&from.device->underlying(), from.parts.get(), from.cuts[share] * bytes_per_group},
         bytes});
    offset += bytes;
    before += i < share;
  }
  report.bytes_exchanged += offset;
  // Each device begins with the next device's memory. If the driver copies, all devices would
  // otherwise read the memory of one at a time.
  std::ranges::rotate(copies, copies.begin() + static_cast<std::ptrdiff_t>(before));
  return device::copy_between(copies);
}

// Floats are added in the order of the shares.
Result<GroupsOnDevice> GroupExchange::merge_range(std::size_t share, GroupMerge& merge,
                                                  const Buffer& others, Queue& queue,
                                                  RunReport& report) {
  Party& own = parties_[share];
  const FinishAtEnd finish(queue);  // before what it reads is freed
  bool fits = true;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < parties_.size() && fits; i++) {
    const std::uint64_t count = parties_[i].cuts[share + 1] - parties_[i].cuts[share];
    const bool is_own = i == share;
    if (count == 0) continue;
    PENSTOCK_ASSIGN(fits, is_own ? merge.add_groups(*own.parts, own.cuts[share], count)
                                 : merge.add_groups(others, at, count));
    if (!is_own) at += count;
  }
  if (!fits) return Status(Code::no_memory, "a range of groups exceeds the memory");
  PENSTOCK_ASSIGN(GroupsOnDevice merged, merge.collect());
  merge.add_to(report);
  PENSTOCK_TRY(queue.finish());
  own.parts.reset();
  return merged;
}

std::vector<GroupParts::KeyWords> GroupExchange::bounds(const GroupParts& parts) const {
  std::vector<const GroupParts::Samples*> samples;
  for (const Party& party : parties_) samples.push_back(&party.samples);
  return parts.bounds(samples, parties_.size());
}

Result<bool> GroupExchange::exchange(std::size_t share, const MergePlace& place,
                                     const TileProgram& program, StepId base,
                                     GroupsOnDevice* groups, RunReport& report) {
  if (!meeting_.enter(share)) return false;
  Party& party = parties_[share];
  party.device = place.device;
  party.base = base;
  party.has_groups = groups && keys_of_ranges(program) > 0;
  party.wants = place.location == MergeLocation::device;
  // No share exchanges then, and there is nothing to wait for: few groups are merged sooner than a
  // sleeping thread wakes.
  if (!party.has_groups) {
    meeting_.leave(share);
    return false;
  }
  party.groups = groups->count, party.words = groups->stride;
  if (!meeting_.meet(share, 0) || !all_take_part()) return false;
  GroupParts parts(place, program);
  const auto merge = GroupMerge::begin(place, program, MergedEntries::of_merges);
  auto samples = parts.sample(*groups);
  party.has_samples = samples.ok();
  if (samples.ok()) party.samples = std::move(samples).value();
  if (samples.status().code() != Code::no_memory) PENSTOCK_TRY(samples.status());
  if (!meeting_.meet(share, 1)) return another_share_has_ended();
  if (!all_have(&Party::has_samples)) return false;
  PENSTOCK_TRY(divide(party, parts, *groups));
  parts.add_to(report);
  party.max_range = merge->max_groups_held();
  if (!meeting_.meet(share, 2)) return another_share_has_ended();
  BufferPointer others;
  const bool may_fit = all_ranges_fit();
  if (may_fit) { PENSTOCK_ASSIGN(others, make_room(share, *merge)); }
  if (may_fit && !meeting_.meet(share, 3)) return another_share_has_ended();
  if (!may_fit || !all_have(&Party::has_room)) {
    party.parts.reset();  // no share reads them now
    return false;
  }
  groups->words.reset();  // they are in parts
  PENSTOCK_TRY(collect(share, *others, report));
  if (!meeting_.meet(share, 4)) return another_share_has_ended();
  PENSTOCK_ASSIGN(*groups, merge_range(share, *merge, *others, *place.queue, report));
  return true;
}

GroupExchange& GroupExchanges::of_program(std::size_t number) {
  const std::lock_guard lock(mutex_);
  while (programs_.size() <= number) {
    programs_.emplace_back(shares_);
    for (std::size_t share = 0; share < has_left_.size(); share++)
      if (has_left_[share]) programs_.back().leave(share);
  }
  return programs_[number];
}

void GroupExchanges::leave(std::size_t share) {
  const std::lock_guard lock(mutex_);
  has_left_[share] = true;
  for (GroupExchange& exchange : programs_) exchange.leave(share);
}

}  // namespace penstock::plan
