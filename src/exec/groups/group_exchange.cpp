#include "exec/groups/group_exchange.hpp"

#include <algorithm>
#include <utility>

#include "device/allocate.hpp"
#include "exec/groups/group_parts.hpp"
#include "exec/kernels/group_parts_limits.h"
#include "exec/profile/recording.hpp"
#include "table/exchange/collect_rows.hpp"
#include "table/rows/device_memory.hpp"
#include "table/rows/finish_at_end.hpp"

namespace penstock::plan {
namespace {

// A share tells this of its groups before they are exchanged.
struct GroupsOfShare {
  StepId base = no_step;
  std::uint64_t count = 0;
  std::uint32_t words = 0;  // of a group
  bool must_merge = false;  // on devices, however few they are
};

// Groups of one range of keys that lie in the memory of one device.
struct GroupsOfRange {
  std::shared_ptr<Device> device;
  BufferPointer words;
  std::uint64_t first = 0, count = 0;
};

bool are_exchanged(const std::vector<GroupsOfShare>& shares) {
  std::uint64_t groups = 0;
  bool must_merge = false;
  for (const GroupsOfShare& share : shares) {
    if (share.base != shares[0].base || share.words != shares[0].words) return false;
    groups += share.count;
    must_merge |= share.must_merge;
  }
  return shares.size() <= PARTS_MAX && groups > 0 && (must_merge || groups >= min_exchanged_groups);
}

// Returns the groups of each range: what each share gets.
Result<std::vector<GroupsOfRange>> divide(const MergePlace& place, GroupParts& parts,
                                          const GroupsOnDevice& groups,
                                          const std::vector<GroupParts::Samples>& by_share,
                                          RunReport& report) {
  std::vector<const GroupParts::Samples*> samples;
  for (const GroupParts::Samples& of_share : by_share) samples.push_back(&of_share);
  auto divided = parts.divide(groups, parts.bounds(samples, by_share.size()));
  parts.add_to(report);
  PENSTOCK_TRY(divided);
  std::vector<GroupsOfRange> ranges;
  for (std::size_t i = 0; i < by_share.size(); i++)
    ranges.push_back(
        {place.device, divided->groups, divided->cuts[i], divided->cuts[i + 1] - divided->cuts[i]});
  return ranges;
}

// Returns memory for the groups of a share's range that other devices have.
Result<BufferPointer> make_room(std::size_t share, const std::vector<GroupsOfRange>& pieces,
                                std::uint32_t words, GroupMerge& merge) {
  std::uint64_t groups = 0;
  for (const GroupsOfRange& piece : pieces) groups += piece.count;
  const Status too_many(Code::no_memory, "a range of groups does not fit its device");
  if (groups > merge.max_groups_held()) return too_many;
  const std::uint64_t bytes = (groups - pieces[share].count) * words * 8;
  PENSTOCK_ASSIGN(BufferPointer to, device::allocate(*pieces[share].device, bytes));
  PENSTOCK_ASSIGN(const bool has_room, merge.make_room(groups));
  return has_room ? Result(std::move(to)) : too_many;
}

// Copies the groups of a share's range out of the other devices' memory, in the order of these, and
// lets go of that.
Status collect(std::size_t share, std::vector<GroupsOfRange>& pieces, std::uint32_t words,
               const Buffer& to, RunReport& report) {
  const std::uint64_t bytes_per_group = std::uint64_t{words} * 8;
  std::vector<std::vector<device::DeviceCopy>> copies(pieces.size());
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < pieces.size(); i++) {
    const GroupsOfRange& from = pieces[i];
    const std::uint64_t bytes = from.count * bytes_per_group;
    if (i == share || bytes == 0) continue;
    copies[i].push_back(
        {{pieces[share].device.get(), &to, offset},
         {&from.device->underlying(), from.words.get(), from.first * bytes_per_group},
         bytes});
    offset += bytes;
  }
  Status copied = copy_in_turn(copies, share, report);
  for (std::size_t i = 0; i < pieces.size(); i++)
    if (i != share) pieces[i].words.reset();
  return copied;
}

// Floats are added in the order of the shares.
Result<GroupsOnDevice> merge_range(std::size_t share, const std::vector<GroupsOfRange>& pieces,
                                   GroupMerge& merge, const Buffer& others, Queue& queue,
                                   RunReport& report) {
  const FinishAtEnd finish(queue);  // before what it reads is freed
  bool fits = true;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < pieces.size() && fits; i++) {
    const GroupsOfRange& piece = pieces[i];
    if (piece.count == 0) continue;
    PENSTOCK_ASSIGN(fits, i == share ? merge.add_groups(*piece.words, piece.first, piece.count)
                                     : merge.add_groups(others, at, piece.count));
    if (i != share) at += piece.count;
  }
  if (!fits) return Status(Code::no_memory, "a range of groups exceeds the memory");
  PENSTOCK_ASSIGN(GroupsOnDevice merged, merge.collect());
  merge.add_to(report);
  PENSTOCK_TRY(queue.finish());
  return merged;
}

Agreement exchange_groups(const Collective::Member& all, const MergePlace& place,
                          const TileProgram& program, StepId base, GroupsOnDevice& groups,
                          RunReport& report) {
  const bool must_merge = place.location == MergeLocation::device;
  PENSTOCK_ASSIGN(const auto shares, all.gather<GroupsOfShare>(GroupsOfShare{
                                         base, groups.count, groups.stride, must_merge}));
  if (!are_exchanged(*shares)) return Agreement::refused();
  GroupParts parts(place, program);
  const auto merge = GroupMerge::begin(place, program, MergedEntries::of_merges);
  PENSTOCK_ASSIGN(const auto samples, all.gather(parts.sample(groups)));
  PENSTOCK_ASSIGN(auto pieces, all.all_to_all(divide(place, parts, groups, *samples, report)));
  const auto others = make_room(all.share(), pieces, groups.stride, *merge);
  PENSTOCK_TRY(all.agree(others.status()));
  PENSTOCK_TRY(all.agree(collect(all.share(), pieces, groups.stride, **others, report)));
  groups.words.reset();  // they are in pieces
  PENSTOCK_ASSIGN(groups, merge_range(all.share(), pieces, *merge, **others, *place.queue, report));
  return {};
}

}  // namespace

void GroupExchange::leave(std::size_t share) {
  sums_.leave(share);
  collective_.leave(share);
  joint_rows_.leave(share);
}

Result<bool> GroupExchange::exchange(std::size_t share, const MergePlace& place,
                                     const TileProgram& program, StepId base,
                                     GroupsOnDevice* groups, RunReport& report) {
  const auto part = [&](const Collective::Member& all) -> Agreement {
    // Nobody exchanges then, and there is nothing to wait for: few groups are merged sooner than a
    // thread that sleeps is woken.
    if (!groups || keys_of_ranges(program) == 0) return Agreement::refused();
    return exchange_groups(all, place, program, base, *groups, report);
  };
  return collective_.take_part(share, part).result();
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
