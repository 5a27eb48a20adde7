#include "exec/groups/sums_exchange.hpp"

#include <algorithm>

#include "device/peer_copy.hpp"
#include "exec/kernel/dense_group_by.hpp"
#include "exec/profile/recording.hpp"
#include "fuse/kernels/group_sums_limits.h"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/dense_union.hpp"
#include "fuse/variants/partition_layout.hpp"
#include "table/rows/device_memory.hpp"
#include "table/rows/finish_at_end.hpp"

namespace penstock::plan {
namespace {

// A union with more than twice the slots of its tables, or with more slots than rows, is mostly
// without groups. Copying and searching it would take longer than merging groups.
constexpr std::uint64_t max_growth = 2;
// The first key has at least so many values for each part, so that parts are alike.
constexpr std::uint64_t min_part_values = 64;

std::uint64_t limb_bytes(const TileProgram& program) {
  return std::uint64_t{limb_count(program, true)} * 8;
}

}  // namespace

struct SumsExchange::Piece {
  std::size_t party = 0;
  const KeptSums* sums = nullptr;
  SlotRange slots;
  BufferPointer limbs;    // in its own memory, for another device's limbs
  BufferPointer numbers;  // slot_numbers()

  std::uint64_t count() const { return slots.end - slots.first; }
};

struct SumsExchange::Target {
  DenseTable table;
  BufferPointer layout, limbs, outside;
  std::vector<Piece> pieces;
};

std::uint64_t SumsExchange::all_rows() const {
  std::uint64_t rows = 0;
  for (const Party& party : parties_)
    for (const KeptSums& sums : party.sums) rows += sums.row_count;
  return rows;
}

// All shares come to the same answer.
std::optional<DenseTable> SumsExchange::whole(const TileProgram& program) const {
  std::vector<const DenseTable*> tables;
  std::uint64_t slots = 0;
  for (const Party& party : parties_) {
    if (party.base != parties_[0].base) return std::nullopt;
    for (const KeptSums& sums : party.sums) {
      tables.push_back(&sums.table);
      slots += sums.table.slots;
    }
  }
  const auto all = union_of(program, tables);
  const std::size_t parts = parties_.size();
  if (!all || all_rows() > max_launch_rows) return std::nullopt;
  if (all->slots > std::min(max_growth * slots, all_rows()) ||
      all->words[1] < min_part_values * parts)
    return std::nullopt;
  for (std::size_t part = 0; part < parts; part++)
    if (part_of(program, *all, part, parts).slots >= max_partitioned_slots) return std::nullopt;
  return all;
}

std::vector<SumsExchange::Piece> SumsExchange::pieces_of(const Share& share,
                                                         const DenseTable& part) const {
  const bool is_last = share.number + 1 == parties_.size();
  std::vector<Piece> pieces;
  for (std::size_t party = 0; party < parties_.size(); party++)
    for (const KeptSums& sums : parties_[party].sums) {
      const SlotRange range = slots_of_part(share.program, sums.table, part, is_last);
      if (range.first < range.end) pieces.push_back({party, &sums, range, nullptr, nullptr});
    }
  return pieces;
}

Result<bool> SumsExchange::make_target(const Share& share, const MergePlace& place,
                                       Target& target) const {
  const Traits& traits = place.device->traits();
  const std::uint64_t per_slot = limb_bytes(share.program), slots = target.table.slots;
  const std::uint64_t entry_bytes = std::min(slots, all_rows()) * share.sums->front().entry_bytes;
  std::uint64_t bytes = slots * per_slot + entry_bytes;
  for (const Piece& piece : target.pieces)
    if (piece.party != share.number) bytes += piece.count() * per_slot;
  if (entry_bytes > traits.max_allocation_bytes ||
      !fits_memory(traits, place.memory_limit_bytes, bytes))
    return false;
  bool fits = true;
  const auto make = [&](BufferPointer& to, std::uint64_t size) -> Status {
    if (fits) { PENSTOCK_ASSIGN(to, allocate_if_it_fits(*place.device, size)); }
    fits = fits && to;
    return {};
  };
  PENSTOCK_TRY(make(target.limbs, slots * per_slot));
  PENSTOCK_TRY(make(target.outside, 4));
  PENSTOCK_TRY(make(target.layout, share.sums->front().layout->bytes()));
  for (Piece& piece : target.pieces) {
    PENSTOCK_TRY(make(piece.numbers, share.program.key_count * std::uint64_t{SUMS_KEY_WORDS} * 8));
    if (piece.party != share.number) PENSTOCK_TRY(make(piece.limbs, piece.count() * per_slot));
  }
  return fits;
}

// A table has the lowest limbs of all slots together, then the next ones.
Status SumsExchange::copy(const Share& share, const Target& target, RunReport& report) const {
  std::vector<device::DeviceCopy> copies;
  std::ptrdiff_t before = 0;  // copies out of the memory of shares before this one
  for (const Piece& piece : target.pieces) {
    if (piece.party == share.number) continue;
    const std::uint64_t bytes = piece.count() * 8;
    for (std::uint64_t limb = 0; limb < limb_count(share.program, true); limb++)
      copies.push_back({{parties_[share.number].device.get(), piece.limbs.get(), limb * bytes},
                        {&parties_[piece.party].device->underlying(), piece.sums->limbs.get(),
                         (limb * piece.sums->table.slots + piece.slots.first) * 8},
                        bytes});
    report.bytes_exchanged += piece.count() * limb_bytes(share.program);
    if (piece.party < share.number) before = static_cast<std::ptrdiff_t>(copies.size());
  }
  // Each device begins with the next device's memory. If the driver copies, all devices would
  // otherwise read the memory of one at a time.
  std::ranges::rotate(copies, copies.begin() + before);
  return device::copy_between(copies);
}

Status SumsExchange::add_piece(const Share& share, Queue& queue, const Piece& piece,
                               const Target& target) {
  const KeptSums& from = *piece.sums;
  const bool is_copy = piece.limbs != nullptr;
  std::vector<Argument> arguments;
  add(arguments,
      {is_copy ? &piece.limbs : &from.limbs, &piece.numbers, &target.limbs, &target.outside});
  for (const std::uint64_t value :
       {piece.count(), piece.slots.first, is_copy ? 0 : piece.slots.first,
        is_copy ? piece.count() : from.table.slots, target.table.slots,
        *maximum_limbs(share.program)})
    arguments.push_back(Argument::value(value));
  for (const std::uint32_t value :
       {limb_count(share.program, true), seen_limb(share.program), share.program.key_count})
    arguments.push_back(Argument::value(value));
  return share.kernels->launch(queue, "group_sums_add", piece.count(), arguments);
}

Status SumsExchange::add_up(const Share& share, const MergePlace& place, const Target& target,
                            RunReport& report) const {
  const std::uint64_t per_slot = limb_bytes(share.program);
  std::uint64_t bytes_moved = target.table.slots * per_slot;
  std::uint32_t outside = 0;
  std::vector<std::uint64_t> layout = target.table.words;
  for (const std::uint64_t word : partition_shape(share.policy, target.table.slots).words())
    layout.push_back(word);
  std::vector<std::vector<std::uint64_t>> numbers;
  for (const Piece& piece : target.pieces)
    numbers.push_back(slot_numbers(share.program, piece.sums->table, target.table));
  Queue& queue = *place.queue;
  const FinishAtEnd finish(queue);
  PENSTOCK_TRY(share.kernels->wait());
  PENSTOCK_ASSIGN(const auto begun, queue.record());
  PENSTOCK_TRY(queue.upload(*target.layout, layout.data(), layout.size() * 8));
  PENSTOCK_TRY(queue.fill(*target.outside, 0, 4));
  PENSTOCK_TRY(queue.fill(*target.limbs, 0, target.table.slots * per_slot));
  for (std::size_t i = 0; i < numbers.size(); i++) {
    const Piece& piece = target.pieces[i];
    PENSTOCK_TRY(queue.upload(*piece.numbers, numbers[i].data(), numbers[i].size() * 8));
    PENSTOCK_TRY(add_piece(share, queue, piece, target));
    bytes_moved += 3 * piece.count() * per_slot;
  }
  PENSTOCK_ASSIGN(const auto done, queue.record());
  PENSTOCK_TRY(queue.download(&outside, *target.outside, 4));
  PENSTOCK_TRY(queue.finish());
  if (outside != 0) return Status(Code::internal, "a group lies outside the union of its tables");
  PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
  share.kernels->add_to(report, "group_sums", {share.kernels->launches(), bytes_moved, seconds});
  return {};
}

Result<bool> SumsExchange::exchange(const Share& share, const MergePlace& place,
                                    RunReport& report) {
  if (!meeting_.enter(share.number)) return false;
  // No share exchanges sums then, and there is nothing to wait for.
  if (!share.sums || share.sums->empty() || share.policy.partitions == 0 ||
      !maximum_limbs(share.program)) {
    meeting_.leave(share.number);
    return false;
  }
  Party& own = parties_[share.number];
  own.device = place.device;
  own.base = share.base;
  own.sums = *share.sums;
  PENSTOCK_TRY(place.queue->finish());  // others read what it writes
  if (!meeting_.meet(share.number, 0)) return give_up(own);
  const auto all = whole(share.program);
  if (!all) return give_up(own);
  Target target;
  target.table = part_of(share.program, *all, share.number, parties_.size());
  target.pieces = pieces_of(share, target.table);
  PENSTOCK_ASSIGN(own.fits, make_target(share, place, target));
  if (!meeting_.meet(share.number, 1)) return another_share_has_ended();
  if (!std::ranges::all_of(parties_, &Party::fits)) return give_up(own);
  PENSTOCK_TRY(copy(share, target, report));
  PENSTOCK_TRY(add_up(share, place, target, report));
  const std::uint64_t row_count = all_rows();
  if (!meeting_.meet(share.number, 2)) return another_share_has_ended();
  own.sums.clear();  // nobody reads them any more
  take(share, std::move(target), row_count);
  return true;
}

// Other shares may yet read the tables' numbers, but no sums.
bool SumsExchange::give_up(Party& own) {
  for (KeptSums& sums : own.sums) sums.limbs.reset();
  return false;
}

void SumsExchange::take(const Share& share, Target target, std::uint64_t row_count) {
  share.sums->resize(1);
  KeptSums& result = share.sums->front();
  result.layout = std::move(target.layout);
  result.limbs = std::move(target.limbs);
  result.table = std::move(target.table);
  result.row_count = row_count;
  result.collecting_groups = collecting_groups(share.policy, result.table.slots);
}

}  // namespace penstock::plan
