#include "exec/physical/right_side_exchange.hpp"

#include <algorithm>

#include "table/exchange/joint_rows.hpp"
#include "table/kernels/join_table_limits.h"

namespace penstock::plan {

RightSideExchange::RightSideExchange(Shares shares, std::set<StepId> joins,
                                     const std::set<StepId>& by_key)
    : joins_(std::move(joins)), meeting_(shares), parties_(shares.count) {
  for (const StepId join : by_key)
    found_keys_.emplace(join, std::vector<std::atomic<FoundKeys>>(shares.count));
}

void RightSideExchange::leave(std::size_t share, bool has_succeeded) {
  if (has_succeeded) has_success_ = true;
  meeting_.leave(share);
}

// The others are past the right sides that the share has put together already.
Status RightSideExchange::begin(std::size_t share) {
  return parties_[share].has_put_together ? refused() : Status();
}

Status RightSideExchange::refused() {
  was_refused_ = true;
  return {Code::cancelled, "devices cannot put the shares of a right side together"};
}

// Shares without rows have no columns either. Each device holds its own rows beside those of all,
// until the others have read them. Returns the same to every share.
bool RightSideExchange::can_be_put_together() const {
  const Rows* layout = nullptr;
  std::uint64_t bytes = 0, row_count = 0;
  for (const Party& party : parties_) {
    if (!party.rows || party.rows->join != parties_[0].rows->join ||
        party.rows->columns != parties_[0].rows->columns)
      return false;
    row_count += party.rows->rows.row_count;
    if (party.rows->rows.row_count == 0) continue;
    if (!layout) layout = &*party.rows;
    if (!have_one_layout(party.rows->rows, layout->rows)) return false;
    bytes += bytes_on_device(party.rows->rows);
  }
  const auto fits = [&](const Party& party) {
    return bytes + bytes_on_device(party.rows->rows) <= party.rows->limit_bytes;
  };
  return row_count < JOIN_NO_ROW && std::ranges::all_of(parties_, fits);
}

Result<DeviceRows> RightSideExchange::all_rows(std::size_t share,
                                               const std::shared_ptr<Device>& device,
                                               std::optional<Rows> own, RunReport& report) {
  Party& party = parties_[share];
  party.device = device;
  party.rows = std::move(own);
  party.has_put_together = true;
  if (!meeting_.meet(share, party.phase++))  // one that has succeeded took fewer right sides
    return has_success_ ? refused() : another_share_has_ended();
  if (!can_be_put_together()) return refused();
  std::vector<RowsOfShare> pieces;
  for (const Party& from : parties_)
    pieces.push_back({from.device, &from.rows->rows, {0, from.rows->rows.row_count}});
  auto all = collect_rows(pieces, share, report);
  const Code code = all.status().code();
  if (code == Code::no_memory || code == Code::capacity) return refused();
  PENSTOCK_TRY(all);
  if (!meeting_.meet(share, party.phase++)) return another_share_has_ended();
  party.rows.reset();  // the others have read them
  return all;
}

// A share may read a right side again, for more of its columns, where another has them all. It then
// finds the same keys.
Status RightSideExchange::agree_on_keys(std::size_t share, StepId join, bool repeat) {
  Party& party = parties_[share];
  if (!party.agreed.insert(join).second) return {};
  std::vector<std::atomic<FoundKeys>>& found = found_keys_.at(join);
  found[share] = repeat ? FoundKeys::repeated : FoundKeys::unique;
  if (!meeting_.meet(share, party.phase++))
    return has_success_ ? refused() : another_share_has_ended();
  bool are_unique = true;
  for (const std::atomic<FoundKeys>& one : found) {
    are_unique &= one == FoundKeys::unique;
    if (one == FoundKeys::repeated) repeated_join_ = join;
  }
  return are_unique ? Status() : refused();
}

}  // namespace penstock::plan
