#include "table/exchange/range_exchange.hpp"

#include <algorithm>
#include <utility>

#include "table/exchange/collect_rows.hpp"
#include "table/exchange/joint_rows.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {
namespace {

std::uint64_t begin_of(const std::vector<std::uint64_t>& ends, std::size_t range) {
  return range == 0 ? 0 : ends[range - 1];
}

std::uint64_t row_bytes(const DeviceRows& rows) {
  std::uint64_t bytes = 0;
  for (const DeviceColumn& column : rows.columns)
    bytes += (column.values ? width_bytes(column.type) : 0) + (column.validity ? 1 : 0);
  return bytes;
}

// Sets `ran_out` if a step ran out of memory. That is no error here, but the other shares must
// know.
Status note_memory(Status status, bool& ran_out) {
  ran_out = status.code() == Code::no_memory;
  return ran_out ? Status() : std::move(status);
}

}  // namespace

RangeExchange::Size RangeExchange::size_of_all(const Asked& asked) const {
  const std::lock_guard lock(mutex_);
  if (parties_.size() > max_key_ranges) return {};
  Size size;
  for (const Party& party : parties_) {
    if (!party.rows || party.rows->row_count == 0 ||
        !have_one_layout(*party.rows, *parties_[0].rows))
      return {};
    size.rows += party.rows->row_count;
  }
  const std::uint64_t rows_of_each = size.rows / parties_.size();
  size.bytes_per_row = row_bytes(*parties_[0].rows);
  size.piece_rows = rows_of_piece(parties_[0].device->traits(), rows_of_each, size.bytes_per_row,
                                  asked.batch_rows);
  if (size.piece_rows == 0) return {};
  size.ranges = range_count((rows_of_each - 1) / size.piece_rows + 1, parties_.size());
  return size;
}

std::vector<KeyRanges::Word> RangeExchange::bounds(const Size& size) const {
  std::vector<KeyRanges::Word> samples;
  for (const Party& party : parties_)
    samples.insert(samples.end(), party.seen.samples.begin(), party.seen.samples.end());
  sort_samples(samples);
  return bounds_of(samples, size.ranges);
}

std::vector<DeviceRowSort::KeyBits> RangeExchange::bits_of_all() const {
  std::vector<DeviceRowSort::KeyBits> bits(parties_[0].seen.bits.size());
  for (const Party& party : parties_)
    for (std::size_t i = 0; i < bits.size(); i++) {
      bits[i].ones |= party.seen.bits[i].ones;
      bits[i].zeros |= party.seen.bits[i].zeros;
    }
  return bits;
}

Status RangeExchange::sample(Party& party, const DeviceRows& rows, const Size& size,
                             const Asked& asked, DeviceRowSort& sorter, RunReport& report) {
  const std::uint64_t all_samples = samples_per_range * size.ranges;
  PENSTOCK_ASSIGN(
      party.seen,
      sorter.look_at_keys(rows, asked.keys, rows.row_count * all_samples / size.rows + 1, report));
  return {};
}

// If memory is too small for that the rows stay as they are.
Status RangeExchange::divide(Party& party, DeviceRows& rows, const Size& size, const Asked& asked,
                             DeviceRowSort& sorter, RunReport& report) {
  auto divided = sorter.divide(rows, asked.keys[0], bounds(size), report);
  if (divided.status().code() == Code::no_memory) return {};
  PENSTOCK_TRY(divided);
  party.ends = std::move(divided->ends);
  party.rows = divided->rows;
  rows = std::move(divided->rows);
  return {};
}

Status RangeExchange::allocate(Device& device, const Size& size, const Asked& asked) {
  auto memory = allocate_host_columns(device, *parties_[0].rows, asked.columns, size.rows);
  if (memory.ok()) memory_ = std::move(memory).value();
  return memory.ok() || memory.status().code() == Code::no_memory ? Status() : memory.status();
}

std::vector<std::uint64_t> RangeExchange::rows_of_ranges() const {
  std::vector<std::uint64_t> rows(parties_[0].ends.size());
  for (const Party& party : parties_)
    for (std::size_t range = 0; range < rows.size(); range++)
      rows[range] += party.ends[range] - begin_of(party.ends, range);
  return rows;
}

std::uint64_t RangeExchange::rows_of_share(std::size_t share) const {
  const std::vector<std::uint64_t> rows = rows_of_ranges();
  return rows_of(rows, ranges_of_share(rows, share, parties_.size()));
}

// A device holds its own rows, a piece and the one before it, 28 bytes a row to sort it, and the
// pieces that leave.
bool RangeExchange::fits(std::size_t share, const Size& size, const Asked& asked) const {
  const std::vector<std::uint64_t> rows = rows_of_ranges();
  const std::uint64_t max_rows = max_rows_of(
      rows, pieces_of(rows, ranges_of_share(rows, share, parties_.size()), size.piece_rows));
  const Party& party = parties_[share];
  const std::uint64_t bytes = bytes_on_device(*party.rows) +
                              max_rows * (2 * size.bytes_per_row + 28) +
                              RowsDownload::pieces_held * size.piece_rows * size.bytes_per_row;
  return max_rows <= primitive::max_sort_keys &&
         fits_memory(party.device->traits(), asked.memory_limit_bytes, bytes);
}

bool RangeExchange::all_fit(const Size& size, const Asked& asked) const {
  const std::lock_guard lock(mutex_);
  if (memory_.empty()) return false;
  for (const Party& party : parties_)
    if (!party.rows || party.ends.empty()) return false;
  for (std::size_t share = 0; share < parties_.size(); share++)
    if (!fits(share, size, asked)) return false;
  return true;
}

Result<DeviceRows> RangeExchange::collect(std::size_t share, RangeNumbers ranges,
                                          RunReport& report) const {
  std::vector<RowsOfShare> rows;
  for (const Party& party : parties_)
    rows.push_back({party.device,
                    &*party.rows,
                    {begin_of(party.ends, ranges.begin), party.ends[ranges.end - 1]}});
  return collect_rows(rows, share, report);
}

Status RangeExchange::sort_pieces(std::size_t share, const std::vector<RangeNumbers>& pieces,
                                  const Asked& asked, DeviceRowSort& sorter, RowsDownload& to,
                                  RunReport& report) const {
  const std::vector<DeviceRowSort::KeyBits> bits = bits_of_all();
  DeviceRows rows, before;  // a copy to the memory of the rows before waits until they are sorted
  for (const RangeNumbers& piece : pieces) {
    before = std::exchange(rows, {});
    PENSTOCK_ASSIGN(rows, collect(share, piece, report));
    if (rows.row_count > 0) PENSTOCK_TRY(sorter.sort_to(rows, asked.keys, bits, to, report));
  }
  return {};
}

// Waits also after an error: the host's memory may be let go of then.
Status RangeExchange::download(std::size_t share, const Size& size, const Asked& asked,
                               DeviceRowSort& sorter, RunReport& report) const {
  const std::vector<std::uint64_t> rows = rows_of_ranges();
  const RangeNumbers ranges = ranges_of_share(rows, share, parties_.size());
  RowsDownload to(*parties_[share].device, asked.columns, memory_, rows_of(rows, {0, ranges.begin}),
                  size.piece_rows);
  const Status enqueued =
      sort_pieces(share, pieces_of(rows, ranges, size.piece_rows), asked, sorter, to, report);
  const Status downloaded = to.finish();
  sorter.end(report);
  return enqueued.ok() ? downloaded : enqueued;
}

bool RangeExchange::one_ran_out() const {
  return std::ranges::any_of(parties_, [](const Party& party) { return party.ran_out; });
}

// The rows are then sorted whole, which needs the memory, here and on the host. A share that finds
// that another one has given up does the same.
std::optional<std::vector<Column>> RangeExchange::give_up(Party& party) {
  const std::lock_guard lock(mutex_);
  party.rows.reset();
  memory_.clear();
  return {};
}

Result<std::optional<std::vector<Column>>> RangeExchange::sort(
    std::size_t share, std::shared_ptr<Device> device, DeviceRows& rows, bool may_divide,
    const Asked& asked, DeviceRowSort& sorter, RunReport& report) {
  if (!meeting_.enter(share)) return std::optional<std::vector<Column>>();
  Party& party = parties_[share];
  party.device = std::move(device);
  if (may_divide) party.rows = rows;
  if (!meeting_.meet(share, 0)) return give_up(party);
  const Size size = size_of_all(asked);
  if (size.piece_rows == 0) return give_up(party);
  PENSTOCK_TRY(note_memory(sample(party, rows, size, asked, sorter, report), party.ran_out));
  if (!meeting_.meet(share, 1)) return another_share_has_ended();
  if (one_ran_out()) return give_up(party);
  PENSTOCK_TRY(divide(party, rows, size, asked, sorter, report));
  if (share == 0) PENSTOCK_TRY(allocate(*party.device, size, asked));
  if (!meeting_.meet(share, 2)) return another_share_has_ended();
  if (!all_fit(size, asked)) return give_up(party);
  PENSTOCK_TRY(note_memory(download(share, size, asked, sorter, report), party.ran_out));
  if (!meeting_.meet(share, 3)) return another_share_has_ended();
  if (one_ran_out()) return give_up(party);
  party.rows.reset();  // the others have read them
  return std::optional(columns_of(memory_, share == 0 ? size.rows : 0, StringPool()));
}

}  // namespace penstock::plan
