#include "plan/execution/sums_exchange.hpp"

#include <algorithm>

#include "device/peer_copy.hpp"
#include "plan/fusion/accumulators.hpp"
#include "plan/profile/recording.hpp"
#include "plan/rows/device_memory.hpp"
#include "plan/rows/finish_at_end.hpp"
#include "plan/variants/dense_union.hpp"
#include "plan/variants/partition_layout.hpp"

namespace penstock::plan {
namespace {

// A union of more slots than twice those of its tables, or than there are rows, is mostly without
// groups: to copy it and to look through it would take longer than to merge groups.
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
  BufferPointer limbs;  // its own memory of those of another device

  std::uint64_t count() const { return slots.end - slots.first; }
};

struct SumsExchange::Target {
  DenseTable table;
  BufferPointer limbs, numbers, outside;
  std::vector<Piece> pieces;
};

std::uint64_t SumsExchange::all_rows() const {
  std::uint64_t rows = 0;
  for (const Party& party : parties_)
    for (const KeptSums& sums : party.sums) rows += sums.row_count;
  return rows;
}

// The same answer for every share.
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

// Makes memory for a share's part and for what it takes of others. Returns whether that fits.
Result<bool> SumsExchange::make_target(const Share& share, const MergePlace& place,
                                       const DenseTable& whole, Target& target) const {
  const std::size_t parts = parties_.size();
  const bool is_last = share.number + 1 == parts;
  target.table = part_of(share.program, whole, share.number, parts);
  std::uint64_t slots = target.table.slots;
  for (std::size_t party = 0; party < parts; party++)
    for (const KeptSums& sums : parties_[party].sums) {
      const SlotRange range = slots_of_part(share.program, sums.table, target.table, is_last);
      if (range.first == range.end) continue;
      target.pieces.push_back({party, &sums, range, nullptr});
      if (party != share.number) slots += range.end - range.first;
    }
  const std::uint64_t per_slot = limb_bytes(share.program);
  if (!fits_memory(place.device->traits(), place.memory_limit_bytes, slots * per_slot))
    return false;
  const auto allocate = [&](BufferPointer& to, std::uint64_t bytes) -> Result<bool> {
    auto memory = place.device->allocate(std::max<std::uint64_t>(bytes, 64));
    if (memory.status().code() == Code::no_memory) return false;
    PENSTOCK_ASSIGN(to, std::move(memory));
    return true;
  };
  PENSTOCK_ASSIGN(bool has_room, allocate(target.limbs, target.table.slots * per_slot));
  for (Piece& piece : target.pieces) {
    if (!has_room) break;
    if (piece.party == share.number) continue;
    PENSTOCK_ASSIGN(has_room, allocate(piece.limbs, piece.count() * per_slot));
  }
  return has_room;
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
                        {&unrecorded(*parties_[piece.party].device), piece.sums->limbs.get(),
                         (limb * piece.sums->table.slots + piece.slots.first) * 8},
                        bytes});
    report.bytes_exchanged += piece.count() * limb_bytes(share.program);
    if (piece.party < share.number) before = static_cast<std::ptrdiff_t>(copies.size());
  }
  // Each device begins with the next one's memory: otherwise all would read one's at a time.
  std::ranges::rotate(copies, copies.begin() + before);
  return device::copy_between(copies);
}

Status SumsExchange::add_up(const Share& share, const MergePlace& place, Target& target,
                            RunReport& report) const {
  const std::uint64_t slots = target.table.slots;
  std::uint64_t bytes_moved = slots * limb_bytes(share.program);
  std::uint32_t outside = 0;
  std::vector<std::vector<std::uint64_t>> numbers;
  std::vector<BufferPointer> uploaded;
  Queue& queue = *place.queue;
  RowKernels kernels(place.device, {"group_sums"});
  const FinishAtEnd finish(queue);
  PENSTOCK_TRY(kernels.wait());
  PENSTOCK_ASSIGN(const auto flag, place.device->allocate(64));
  PENSTOCK_ASSIGN(const auto begun, queue.record());
  PENSTOCK_TRY(queue.fill(*flag, 0, 4));
  PENSTOCK_TRY(queue.fill(*target.limbs, 0, slots * limb_bytes(share.program)));
  numbers.reserve(target.pieces.size());
  for (const Piece& piece : target.pieces) {
    const KeptSums& from = *piece.sums;
    numbers.push_back(slot_numbers(share.program, from.table, target.table));
    const std::uint64_t bytes = numbers.back().size() * 8;
    PENSTOCK_ASSIGN(uploaded.emplace_back(), place.device->allocate(bytes));
    PENSTOCK_TRY(queue.upload(*uploaded.back(), numbers.back().data(), bytes));
    const BufferPointer& limbs = piece.limbs ? piece.limbs : from.limbs;
    std::vector<Argument> arguments;
    add(arguments, {&limbs, &uploaded.back(), &target.limbs});
    arguments.push_back(Argument::of(*flag));
    for (const std::uint64_t value :
         {piece.count(), piece.slots.first, piece.limbs ? 0 : piece.slots.first,
          piece.limbs ? piece.count() : from.table.slots, slots, *maximum_limbs(share.program)})
      arguments.push_back(Argument::value(value));
    for (const std::uint32_t value :
         {limb_count(share.program, true), seen_limb(share.program), share.program.key_count})
      arguments.push_back(Argument::value(value));
    PENSTOCK_TRY(kernels.launch(queue, "group_sums_add", piece.count(), arguments));
    bytes_moved += 3 * piece.count() * limb_bytes(share.program);
  }
  PENSTOCK_ASSIGN(const auto done, queue.record());
  PENSTOCK_TRY(queue.download(&outside, *flag, 4));
  PENSTOCK_TRY(queue.finish());
  if (outside != 0) return Status(Code::internal, "a group lies outside the union of its tables");
  PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
  kernels.add_to(report, "group_sums", {kernels.launches(), bytes_moved, seconds});
  return {};
}

Result<bool> SumsExchange::exchange(const Share& share, const MergePlace& place,
                                    RunReport& report) {
  if (!meeting_.enter(share.number)) return false;
  // Nobody exchanges sums then, and there is nothing to wait for.
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
  PENSTOCK_ASSIGN(own.has_room, make_target(share, place, *all, target));
  if (!meeting_.meet(share.number, 1)) return another_share_has_ended();
  if (!std::ranges::all_of(parties_, &Party::has_room)) return give_up(own);
  PENSTOCK_TRY(copy(share, target, report));
  PENSTOCK_TRY(add_up(share, place, target, report));
  const std::uint64_t row_count = all_rows();
  if (!meeting_.meet(share.number, 2)) return another_share_has_ended();
  own.sums.clear();  // nobody reads them any more
  return take(share, place, std::move(target), row_count);
}

// Others may yet read the tables' numbers, but no sums.
bool SumsExchange::give_up(Party& own) {
  for (KeptSums& sums : own.sums) sums.limbs.reset();
  return false;
}

Result<bool> SumsExchange::take(const Share& share, const MergePlace& place, Target target,
                                std::uint64_t row_count) {
  KeptSums& result = share.sums->front();
  std::vector<std::uint64_t> words = target.table.words;
  for (const std::uint64_t word : partition_shape(share.policy, target.table.slots).words())
    words.push_back(word);
  PENSTOCK_ASSIGN(result.layout, place.device->allocate(words.size() * 8));
  PENSTOCK_TRY(place.queue->upload(*result.layout, words.data(), words.size() * 8));
  PENSTOCK_TRY(place.queue->finish());
  result.limbs = std::move(target.limbs);
  result.table = std::move(target.table);
  result.row_count = row_count;
  share.sums->resize(1);
  return true;
}

}  // namespace penstock::plan
