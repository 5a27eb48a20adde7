#include "plan/execution/right_side_exchange.hpp"

#include <algorithm>

#include "plan/order/joint_rows.hpp"

namespace penstock::plan {

void RightSideExchange::leave(std::size_t share) { meeting_.leave(share); }

Status RightSideExchange::refused() {
  was_refused_ = true;
  return {Code::cancelled, "devices cannot put the shares of a right side together"};
}

// Shares without rows have no columns either. Returns the same to every share.
bool RightSideExchange::can_be_put_together() const {
  const Rows* layout = nullptr;
  std::uint64_t bytes = 0;
  for (const Party& party : parties_) {
    if (!party.rows || party.rows->join != parties_[0].rows->join ||
        party.rows->columns != parties_[0].rows->columns)
      return false;
    if (party.rows->rows.row_count == 0) continue;
    if (!layout) layout = &*party.rows;
    if (!have_one_layout(party.rows->rows, layout->rows)) return false;
    bytes += bytes_on_device(party.rows->rows);
  }
  return std::ranges::all_of(parties_,
                             [&](const Party& party) { return bytes <= party.rows->limit_bytes; });
}

Result<DeviceRows> RightSideExchange::all_rows(std::size_t share,
                                               const std::shared_ptr<Device>& device,
                                               std::optional<Rows> own, RunReport& report) {
  Party& party = parties_[share];
  party.device = device;
  party.rows = std::move(own);
  if (!meeting_.meet(share, party.phase++) || !can_be_put_together()) return refused();
  std::vector<RowsOfShare> pieces;
  for (const Party& from : parties_)
    pieces.push_back({from.device, &from.rows->rows, {0, from.rows->rows.row_count}});
  auto all = collect_rows(pieces, share, report);
  if (all.status().code() == Code::no_memory) was_refused_ = true;
  PENSTOCK_TRY(all);
  if (!meeting_.meet(share, party.phase++)) return another_share_has_ended();
  party.rows.reset();  // the others have read them
  return all;
}

}  // namespace penstock::plan
