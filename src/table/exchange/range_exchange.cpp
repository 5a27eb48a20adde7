#include "table/exchange/range_exchange.hpp"

#include <algorithm>
#include <utility>

#include "table/exchange/collect_rows.hpp"
#include "table/exchange/rows_layout.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {
namespace {

// A share tells this of its rows before they are divided.
struct RowsToDivide {
  std::shared_ptr<Device> device;
  RowsLayout layout;
};

// Numbers that are the same for all shares.
struct Size {
  std::uint64_t rows = 0, bytes_per_row = 0, piece_rows = 0;  // no piece: rows are not divided
  std::size_t ranges = 1;
};

// The rows of a share, by ranges.
struct DividedRows {
  std::shared_ptr<Device> device;
  DeviceRows rows;
  std::vector<std::uint64_t> ends;  // of the ranges
  std::vector<HostColumn> host;     // of the first share: the memory of all rows
};

std::uint64_t begin_of(const std::vector<std::uint64_t>& ends, std::size_t range) {
  return range == 0 ? 0 : ends[range - 1];
}

std::uint64_t row_bytes(const RowsLayout& layout) {
  std::uint64_t bytes = 0;
  for (const RowsLayout::Column& column : layout.columns)
    bytes += (column.has_values ? width_bytes(column.type) : 0) + (column.has_validity ? 1 : 0);
  return bytes;
}

Size size_of(const std::vector<RowsToDivide>& shares, std::uint64_t batch_rows) {
  if (shares.size() > max_key_ranges) return {};
  Size size;
  for (const auto& [device, layout] : shares) {
    if (layout.row_count == 0 || !have_one_layout(layout, shares[0].layout)) return {};
    size.rows += layout.row_count;
  }
  const std::uint64_t rows_of_each = size.rows / shares.size();
  size.bytes_per_row = row_bytes(shares[0].layout);
  size.piece_rows =
      rows_of_piece(shares[0].device->traits(), rows_of_each, size.bytes_per_row, batch_rows);
  if (size.piece_rows > 0)
    size.ranges = range_count((rows_of_each - 1) / size.piece_rows + 1, shares.size());
  return size;
}

std::vector<KeyRanges::Word> bounds_of_ranges(const std::vector<DeviceRowSort::KeysSeen>& seen,
                                              std::size_t ranges) {
  std::vector<KeyRanges::Word> samples;
  for (const DeviceRowSort::KeysSeen& by : seen)
    samples.insert(samples.end(), by.samples.begin(), by.samples.end());
  sort_samples(samples);
  return bounds_of(samples, ranges);
}

std::vector<DeviceRowSort::KeyBits> bits_of_all(const std::vector<DeviceRowSort::KeysSeen>& seen) {
  std::vector<DeviceRowSort::KeyBits> bits(seen[0].bits.size());
  for (const DeviceRowSort::KeysSeen& by : seen)
    for (std::size_t i = 0; i < bits.size(); i++) {
      bits[i].ones |= by.bits[i].ones;
      bits[i].zeros |= by.bits[i].zeros;
    }
  return bits;
}

std::vector<std::uint64_t> rows_of_ranges(const std::vector<DividedRows>& shares) {
  std::vector<std::uint64_t> rows(shares[0].ends.size());
  for (const DividedRows& share : shares)
    for (std::size_t range = 0; range < rows.size(); range++)
      rows[range] += share.ends[range] - begin_of(share.ends, range);
  return rows;
}

// One share of a sort, and what it does by itself between the steps that all take.
class ShareOfRanges {
 public:
  ShareOfRanges(std::size_t share, std::shared_ptr<Device> device,
                const RangeExchange::Asked& asked, DeviceRowSort& sorter, RunReport& report)
      : share_(share),
        device_(std::move(device)),
        asked_(asked),
        sorter_(sorter),
        report_(report) {}

  Exchanged<std::vector<Column>> sort(const Collective::Member& all, DeviceRows& rows) {
    PENSTOCK_ASSIGN(const auto shares,
                    all.gather<RowsToDivide>(RowsToDivide{device_, layout_of(rows)}));
    size_ = size_of(*shares, asked_.batch_rows);
    if (size_.piece_rows == 0) return Agreement::refused();
    PENSTOCK_ASSIGN(const auto seen, all.gather(look_at_keys(rows)));
    PENSTOCK_ASSIGN(auto divided, all.gather(divide(rows, *seen)));
    if (!all_fit(*divided)) return Agreement::refused();
    const std::vector<HostColumn> host = divided->front().host;
    const Status downloaded = download(*divided, bits_of_all(*seen), host);
    divided.reset();
    PENSTOCK_TRY(all.agree(downloaded));
    return columns_of(host, share_ == 0 ? size_.rows : 0, StringPool());
  }
  std::uint64_t row_count() const { return row_count_; }  // that the share has downloaded

 private:
  Result<DeviceRowSort::KeysSeen> look_at_keys(const DeviceRows& rows) {
    const std::uint64_t all_samples = samples_per_range * size_.ranges;
    return sorter_.look_at_keys(rows, asked_.keys, rows.row_count * all_samples / size_.rows + 1,
                                report_);
  }

  // If memory is too small to divide them, the rows stay as they are.
  Result<DividedRows> divide(DeviceRows& rows, const std::vector<DeviceRowSort::KeysSeen>& seen) {
    const auto bounds = bounds_of_ranges(seen, size_.ranges);
    PENSTOCK_ASSIGN(KeyRanges::Rows by_range,
                    sorter_.divide(rows, asked_.keys[0], bounds, report_));
    rows = std::move(by_range.rows);
    DividedRows divided{device_, rows, std::move(by_range.ends), {}};
    if (share_ > 0) return divided;
    PENSTOCK_ASSIGN(divided.host,
                    allocate_host_columns(*device_, rows, asked_.columns, size_.rows));
    return divided;
  }

  // A device holds its own rows, a piece and the one before it, 28 bytes a row to sort it, and the
  // pieces that leave.
  bool all_fit(const std::vector<DividedRows>& shares) const {
    const std::vector<std::uint64_t> rows = rows_of_ranges(shares);
    for (std::size_t i = 0; i < shares.size(); i++) {
      const std::uint64_t max_rows = max_rows_of(
          rows, pieces_of(rows, ranges_of_share(rows, i, shares.size()), size_.piece_rows));
      const std::uint64_t bytes =
          bytes_on_device(shares[i].rows) + max_rows * (2 * size_.bytes_per_row + 28) +
          RowsDownload::pieces_held * size_.piece_rows * size_.bytes_per_row;
      if (max_rows > primitive::max_sort_keys ||
          !fits_memory(shares[i].device->traits(), asked_.memory_limit_bytes, bytes))
        return false;
    }
    return true;
  }

  // Waits also after an error: the host's memory may be let go of then.
  Status download(const std::vector<DividedRows>& shares,
                  const std::vector<DeviceRowSort::KeyBits>& bits,
                  const std::vector<HostColumn>& host) {
    const std::vector<std::uint64_t> rows = rows_of_ranges(shares);
    const RangeNumbers ranges = ranges_of_share(rows, share_, shares.size());
    row_count_ = rows_of(rows, ranges);
    RowsDownload to(*device_, asked_.columns, host, rows_of(rows, {0, ranges.begin}),
                    size_.piece_rows);
    const Status enqueued =
        sort_pieces(shares, pieces_of(rows, ranges, size_.piece_rows), bits, to);
    const Status downloaded = to.finish();
    sorter_.end(report_);
    return enqueued.ok() ? downloaded : enqueued;
  }

  Status sort_pieces(const std::vector<DividedRows>& shares,
                     const std::vector<RangeNumbers>& pieces,
                     const std::vector<DeviceRowSort::KeyBits>& bits, RowsDownload& to) {
    DeviceRows rows, before;  // a copy to the memory of the rows before waits until they are sorted
    for (const RangeNumbers& piece : pieces) {
      before = std::exchange(rows, {});
      PENSTOCK_ASSIGN(rows, collect(shares, piece));
      if (rows.row_count > 0) PENSTOCK_TRY(sorter_.sort_to(rows, asked_.keys, bits, to, report_));
    }
    return {};
  }

  Result<DeviceRows> collect(const std::vector<DividedRows>& shares, RangeNumbers ranges) {
    std::vector<RowsOfShare> rows;
    for (const DividedRows& from : shares)
      rows.push_back(
          {from.device, from.rows, {begin_of(from.ends, ranges.begin), from.ends[ranges.end - 1]}});
    return collect_rows(rows, share_, report_);
  }

  const std::size_t share_;
  const std::shared_ptr<Device> device_;
  const RangeExchange::Asked& asked_;
  DeviceRowSort& sorter_;
  RunReport& report_;
  Size size_;
  std::uint64_t row_count_ = 0;
};

}  // namespace

// If it is refused, the rows are sorted whole, which needs their memory, here and on the host.
Result<std::optional<std::vector<Column>>> RangeExchange::sort(
    std::size_t share, std::shared_ptr<Device> device, DeviceRows& rows, bool may_divide,
    const Asked& asked, DeviceRowSort& sorter, RunReport& report) {
  ShareOfRanges own(share, std::move(device), asked, sorter, report);
  const auto part = [&](const Collective::Member& all) -> Exchanged<std::vector<Column>> {
    return may_divide ? own.sort(all, rows) : Agreement::refused();
  };
  auto sorted = collective_.take_part(share, part);
  rows_of_shares_[share] = own.row_count();
  return std::move(sorted).result();
}

}  // namespace penstock::plan
