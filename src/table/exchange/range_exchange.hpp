// Rows of several devices, divided by ranges of the first key before they are sorted. Each device
// gets some ranges of the whole order, and takes a few at a time, a piece: it copies them out of
// the others' rows, sorts them, and downloads them to their place while it gets the next piece.
//
// Every row is sorted once, and no piece waits for all of the others to be exchanged. That takes
// rows of many ranges; fewer are sorted first (row_exchange.hpp).
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "table/exchange/meeting.hpp"
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
  explicit RangeExchange(Shares shares) : meeting_(shares), parties_(shares.count) {}

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
  std::uint64_t rows_of_share(std::size_t share) const;
  void leave(std::size_t share) { meeting_.leave(share); }

 private:
  struct Party {
    std::shared_ptr<Device> device;
    // By ranges, once they are divided. Kept here until all shares have read them.
    std::optional<DeviceRows> rows;
    DeviceRowSort::KeysSeen seen;
    std::vector<std::uint64_t> ends;  // of the ranges; none if memory was too small
    bool ran_out = false;             // of memory, before all of its ranges had left
  };
  // Sizes that are the same for all shares, once all have come with their rows.
  struct Size {
    std::uint64_t rows = 0, bytes_per_row = 0, piece_rows = 0;  // no piece: rows are not divided
    std::size_t ranges = 1;
  };

  Size size_of_all(const Asked& asked) const;
  std::vector<KeyRanges::Word> bounds(const Size& size) const;
  std::vector<DeviceRowSort::KeyBits> bits_of_all() const;
  Status sample(Party& party, const DeviceRows& rows, const Size& size, const Asked& asked,
                DeviceRowSort& sorter, RunReport& report);
  Status divide(Party& party, DeviceRows& rows, const Size& size, const Asked& asked,
                DeviceRowSort& sorter, RunReport& report);
  Status allocate(Device& device, const Size& size, const Asked& asked);
  std::vector<std::uint64_t> rows_of_ranges() const;  // of all shares
  bool fits(std::size_t share, const Size& size, const Asked& asked) const;
  bool all_fit(const Size& size, const Asked& asked) const;
  Result<DeviceRows> collect(std::size_t share, RangeNumbers ranges, RunReport& report) const;
  Status sort_pieces(std::size_t share, const std::vector<RangeNumbers>& pieces, const Asked& asked,
                     DeviceRowSort& sorter, RowsDownload& to, RunReport& report) const;
  Status download(std::size_t share, const Size& size, const Asked& asked, DeviceRowSort& sorter,
                  RunReport& report) const;
  bool one_ran_out() const;

  std::optional<std::vector<Column>> give_up(Party& party);

  Meeting meeting_;
  mutable std::mutex mutex_;  // of the rows of parties, which a share may give up
  std::vector<Party> parties_;
  std::vector<HostColumn> memory_;  // of all rows; none where it is short
};

}  // namespace penstock::plan
