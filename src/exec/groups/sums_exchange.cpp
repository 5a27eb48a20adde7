#include "exec/groups/sums_exchange.hpp"

#include <algorithm>

#include "device/allocate.hpp"
#include "exec/kernel/dense_group_by.hpp"
#include "exec/profile/recording.hpp"
#include "fuse/kernels/group_sums_limits.h"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/dense_union.hpp"
#include "fuse/variants/partition_layout.hpp"
#include "table/exchange/collect_rows.hpp"
#include "table/rows/device_memory.hpp"
#include "table/rows/finish_at_end.hpp"

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

struct SumsOfShare {
  std::shared_ptr<Device> device;
  StepId base = no_step;
  std::vector<KeptSums> sums;
};

// Slots of one table, that a part takes.
struct Piece {
  std::size_t from = 0;  // the share that has the table
  const KeptSums* sums = nullptr;
  SlotRange slots;
  BufferPointer limbs;    // its own memory, of another device
  BufferPointer numbers;  // slot_numbers()

  std::uint64_t count() const { return slots.end - slots.first; }
};

// The part of a share, and what it takes.
struct Target {
  DenseTable table;
  BufferPointer layout, limbs, outside;
  std::vector<Piece> pieces;
};

std::uint64_t rows_of(const std::vector<SumsOfShare>& shares) {
  std::uint64_t rows = 0;
  for (const SumsOfShare& share : shares)
    for (const KeptSums& sums : share.sums) rows += sums.row_count;
  return rows;
}

// Returns the union of all tables, or nothing where groups are exchanged in place of sums.
std::optional<DenseTable> whole_of(const std::vector<SumsOfShare>& shares,
                                   const TileProgram& program) {
  std::vector<const DenseTable*> tables;
  std::uint64_t slots = 0;
  for (const SumsOfShare& share : shares) {
    if (share.base != shares[0].base) return std::nullopt;
    for (const KeptSums& sums : share.sums) {
      tables.push_back(&sums.table);
      slots += sums.table.slots;
    }
  }
  auto all = union_of(program, tables);
  const std::size_t parts = shares.size();
  const std::uint64_t rows = rows_of(shares);
  if (!all || rows > max_launch_rows) return std::nullopt;
  if (all->slots > std::min(max_growth * slots, rows) || all->words[1] < min_part_values * parts)
    return std::nullopt;
  for (std::size_t part = 0; part < parts; part++)
    if (part_of(program, *all, part, parts).slots >= max_partitioned_slots) return std::nullopt;
  return all;
}

std::vector<Piece> pieces_of(const std::vector<SumsOfShare>& shares,
                             const SumsExchange::Share& share, const DenseTable& part) {
  const bool is_last = share.number + 1 == shares.size();
  std::vector<Piece> pieces;
  for (std::size_t from = 0; from < shares.size(); from++)
    for (const KeptSums& sums : shares[from].sums) {
      const SlotRange range = slots_of_part(share.program, sums.table, part, is_last);
      if (range.first < range.end) pieces.push_back({from, &sums, range, nullptr, nullptr});
    }
  return pieces;
}

// Allocates what a share takes. Code::no_memory also where the entries that are made of it do not
// fit. `row_count`: of all shares.
Status allocate(const SumsExchange::Share& share, const MergePlace& place, std::uint64_t row_count,
                Target& target) {
  const Traits& traits = place.device->traits();
  const std::uint64_t per_slot = limb_bytes(share.program), slots = target.table.slots;
  const std::uint64_t entry_bytes = std::min(slots, row_count) * share.sums->front().entry_bytes;
  std::uint64_t bytes = slots * per_slot + entry_bytes;
  for (const Piece& piece : target.pieces)
    if (piece.from != share.number) bytes += piece.count() * per_slot;
  if (entry_bytes > traits.max_allocation_bytes ||
      !fits_memory(traits, place.memory_limit_bytes, bytes))
    return {Code::no_memory, "a part of the sums does not fit its device"};
  const auto make = [&](BufferPointer& to, std::uint64_t size) -> Status {
    PENSTOCK_ASSIGN(to, device::allocate(*place.device, size));
    return {};
  };
  PENSTOCK_TRY(make(target.limbs, slots * per_slot));
  PENSTOCK_TRY(make(target.outside, 4));
  PENSTOCK_TRY(make(target.layout, share.sums->front().layout->bytes()));
  for (Piece& piece : target.pieces) {
    PENSTOCK_TRY(make(piece.numbers, share.program.key_count * std::uint64_t{SUMS_KEY_WORDS} * 8));
    if (piece.from != share.number) PENSTOCK_TRY(make(piece.limbs, piece.count() * per_slot));
  }
  return {};
}

// A table has the lowest limbs of all slots together, then the next ones.
Status copy(const std::vector<SumsOfShare>& shares, const SumsExchange::Share& share,
            const Target& target, RunReport& report) {
  std::vector<std::vector<device::DeviceCopy>> copies(shares.size());
  for (const Piece& piece : target.pieces) {
    if (piece.from == share.number) continue;
    const std::uint64_t bytes = piece.count() * 8;
    for (std::uint64_t limb = 0; limb < limb_count(share.program, true); limb++)
      copies[piece.from].push_back(
          {{shares[share.number].device.get(), piece.limbs.get(), limb * bytes},
           {&shares[piece.from].device->underlying(), piece.sums->limbs.get(),
            (limb * piece.sums->table.slots + piece.slots.first) * 8},
           bytes});
  }
  return copy_in_turn(copies, share.number, report);
}

Status add_piece(const SumsExchange::Share& share, Queue& queue, const Piece& piece,
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

Status add_up(const SumsExchange::Share& share, const MergePlace& place, const Target& target,
              RunReport& report) {
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

Status add_parts(const std::vector<SumsOfShare>& shares, const SumsExchange::Share& share,
                 const MergePlace& place, const Target& target, RunReport& report) {
  PENSTOCK_TRY(copy(shares, share, target, report));
  return add_up(share, place, target, report);
}

Agreement exchange_sums(const Collective::Member& all, const SumsExchange::Share& share,
                        const MergePlace& place, RunReport& report) {
  PENSTOCK_TRY(place.queue->finish());  // others read what it writes
  PENSTOCK_ASSIGN(auto shares,
                  all.gather<SumsOfShare>(SumsOfShare{place.device, share.base, *share.sums}));
  const auto whole = whole_of(*shares, share.program);
  if (!whole) return Agreement::refused();
  const std::uint64_t row_count = rows_of(*shares);
  Target target;
  target.table = part_of(share.program, *whole, share.number, all.shares());
  target.pieces = pieces_of(*shares, share, target.table);
  PENSTOCK_TRY(all.agree(allocate(share, place, row_count, target)));
  const Status added = add_parts(*shares, share, place, target, report);
  target.pieces.clear(), shares.reset();
  PENSTOCK_TRY(all.agree(added));
  share.sums->resize(1);
  KeptSums& result = share.sums->front();
  result.layout = std::move(target.layout);
  result.limbs = std::move(target.limbs);
  result.table = std::move(target.table);
  result.row_count = row_count;
  result.collecting_groups = collecting_groups(share.policy, result.table.slots);
  return {};
}

}  // namespace

Result<bool> SumsExchange::exchange(const Share& share, const MergePlace& place,
                                    RunReport& report) {
  const auto part = [&](const Collective::Member& all) -> Agreement {
    // Nobody exchanges sums then, and there is nothing to wait for.
    if (!share.sums || share.sums->empty() || share.policy.partition.max_count == 0 ||
        !maximum_limbs(share.program))
      return Agreement::refused();
    return exchange_sums(all, share, place, report);
  };
  return collective_.take_part(share.number, part).result();
}

}  // namespace penstock::plan
