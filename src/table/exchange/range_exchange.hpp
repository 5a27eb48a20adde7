// Rows of several devices, divided by ranges of the first key before they are sorted. Each device
// gets some ranges of the whole order, and takes a few at a time, a piece: it copies them out of
// the memory of all, sorts them, and downloads them to their place while it gets the next piece.
//
// Every row is sorted once, and no piece waits for all of the others to be exchanged. That takes
// rows of many ranges; fewer are sorted first (row_exchange.hpp).
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "table/exchange/collective.hpp"
#include "table/sort/device_row_sort.hpp"
#include "table/sort/range_pieces.hpp"

namespace penstock::plan {

class RangeExchange {
 public:
  // The request, which is the same for all shares.
  struct Asked {
    const std::vector<SortKey>& keys;
    const Columns& columns;
    std::uint64_t memory_limit_bytes = 0, batch_rows = 0;  // as in RunOptions
  };
  explicit RangeExchange(Shares shares) : collective_(shares), rows_of_shares_(shares.count) {}

  // Waits for the other shares. `rows`: the share's rows, which are put in another order that sorts
  // alike; none if `may_divide` is false, as they do not fit. Returns the columns of all rows in
  // order to the first share, and columns without rows to the other shares. Returns nothing to all
  // of them if one does not divide its rows or has left, if rows are few or hold strings, or if
  // ranges do not fit.
  Result<std::optional<std::vector<Column>>> sort(std::size_t share, std::shared_ptr<Device> device,
                                                  DeviceRows& rows, bool may_divide,
                                                  const Asked& asked, DeviceRowSort& sorter,
                                                  RunReport& report);
  // Returns how many rows the share has downloaded.
  std::uint64_t rows_of_share(std::size_t share) const { return rows_of_shares_[share]; }
  void leave(std::size_t share) { collective_.leave(share); }

 private:
  Collective collective_;
  std::vector<std::uint64_t> rows_of_shares_;  // that each has downloaded, once it has
};

}  // namespace penstock::plan
