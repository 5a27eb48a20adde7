#include "exec/physical/right_side_exchange.hpp"

#include <algorithm>

#include "table/exchange/rows_layout.hpp"
#include "table/kernels/join_table_limits.h"

namespace penstock::plan {
namespace {

struct SideOfShare {
  std::shared_ptr<Device> device;
  RightSideExchange::Rows rows;
};

struct KeysOfJoin {
  StepId join = no_step;
  bool repeat = false;
};

// Shares without rows have no columns either. Each device holds its own rows beside the rows of
// all, until the others have read them.
bool can_be_put_together(const std::vector<SideOfShare>& sides) {
  std::optional<RowsLayout> layout;
  std::uint64_t bytes = 0, row_count = 0;
  for (const auto& [device, own] : sides) {
    if (own.join != sides[0].rows.join || own.columns != sides[0].rows.columns) return false;
    row_count += own.rows.row_count;
    if (own.rows.row_count == 0) continue;
    if (!layout) layout = layout_of(own.rows);
    if (!have_one_layout(layout_of(own.rows), *layout)) return false;
    bytes += bytes_on_device(own.rows);
  }
  const auto fits = [&](const SideOfShare& side) {
    return bytes + bytes_on_device(side.rows.rows) <= side.rows.limit_bytes;
  };
  return row_count < JOIN_NO_ROW && std::ranges::all_of(sides, fits);
}

Exchanged<DeviceRows> put_together(const Collective::Member& all, Result<SideOfShare> own,
                                   RunReport& report) {
  PENSTOCK_ASSIGN(auto sides, all.gather(std::move(own)));
  if (!can_be_put_together(*sides)) return Agreement::refused();
  std::vector<RowsOfShare> pieces;
  for (const auto& [device, of_share] : *sides)
    pieces.push_back({device, of_share.rows, {0, of_share.rows.row_count}});
  auto rows = collect_rows(pieces, all.share(), report);
  sides.reset(), pieces.clear();
  PENSTOCK_TRY(all.agree(rows.status()));
  return std::move(rows).value();
}

Agreement find_unique(const Collective::Member& all, const KeysOfJoin& own) {
  PENSTOCK_ASSIGN(const auto found, all.gather<KeysOfJoin>(own));
  const bool are_unique = std::ranges::all_of(
      *found, [&](const KeysOfJoin& one) { return one.join == own.join && !one.repeat; });
  return are_unique ? Agreement() : Agreement::refused();
}

}  // namespace

// One that has succeeded took fewer right sides.
void RightSideExchange::leave(std::size_t share, bool has_succeeded) {
  if (has_succeeded) return collective_.leave(share, Agreement::refused());
  collective_.leave(share);
}

// The others are past the right sides that the share has put together already.
Status RightSideExchange::begin(std::size_t share) {
  return shares_[share].has_put_together ? end(share, Agreement::refused()) : Status();
}

Status RightSideExchange::end(std::size_t share, const Agreement& how) {
  collective_.leave(share, how);
  if (how.outcome() == Outcome::error) return how.error();
  was_refused_ = true;
  return {Code::cancelled, "devices cannot put the shares of a right side together"};
}

Result<DeviceRows> RightSideExchange::all_rows(std::size_t share,
                                               const std::shared_ptr<Device>& device,
                                               std::optional<Rows> own, RunReport& report) {
  shares_[share].has_put_together = true;
  Result<SideOfShare> side(
      Status(Code::no_memory, "rows of a right side are not in device memory"));
  if (own) side = SideOfShare{device, std::move(*own)};
  auto rows = put_together(Collective::Member(collective_, share), std::move(side), report);
  if (!rows.ok()) return end(share, rows.agreement());
  return std::move(rows).value();
}

// A share may read a right side again, for more of its columns, where another has them all. It then
// finds the same keys.
Status RightSideExchange::agree_on_keys(std::size_t share, StepId join, bool repeat) {
  if (!shares_[share].agreed.insert(join).second) return {};
  if (repeat) repeated_join_ = join;
  const Agreement found = find_unique(Collective::Member(collective_, share), {join, repeat});
  return found.ok() ? Status() : end(share, found);
}

}  // namespace penstock::plan
