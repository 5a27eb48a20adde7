#include "table/sort/device_row_sort.hpp"

#include <algorithm>
#include <numeric>

#include "device/allocate.hpp"
#include "expr/words.hpp"
#include "table/rows/finish_at_end.hpp"
#include "table/rows/gather_on_device.hpp"
#include "table/sort/order_keys.hpp"
#include "table/sort/range_pieces.hpp"

namespace penstock::plan {

namespace {

// Returns the first and the end of each run of adjacent bytes with bits in `bits`.
std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_of_bytes(std::uint64_t bits) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  for (std::uint32_t byte = 0; byte < 8; byte++) {
    if ((bits >> (8 * byte) & 255) == 0) continue;
    if (runs.empty() || runs.back().second != byte) runs.emplace_back(byte, byte);
    runs.back().second = byte + 1;
  }
  return runs;
}

}  // namespace

std::shared_ptr<DeviceRowSort> DeviceRowSort::begin(std::shared_ptr<Device> device) {
  return std::shared_ptr<DeviceRowSort>(new DeviceRowSort(std::move(device)));
}

Status DeviceRowSort::launch(std::string_view kernel, std::uint64_t count,
                             std::vector<Argument> arguments) {
  return kernels_.launch(*queue_, kernel, count, arguments);
}

// Returns the ranks of the pool's strings by their bytes.
Result<BufferPointer> DeviceRowSort::ranks_of(const StringPool& strings, RunReport& report) {
  if (ranks_) return ranks_;
  std::vector<std::uint32_t> codes(strings.size());
  std::iota(codes.begin(), codes.end(), 0u);
  std::sort(codes.begin(), codes.end(),
            [&](std::uint32_t a, std::uint32_t b) { return strings.text(a) < strings.text(b); });
  rank_.resize(std::max<std::size_t>(codes.size(), 1));
  for (std::uint32_t rank = 0; rank < codes.size(); rank++) rank_[codes[rank]] = rank;
  PENSTOCK_ASSIGN(ranks_, device::allocate(device_, rank_.size() * 4));
  PENSTOCK_TRY(queue_->upload(*ranks_, rank_.data(), rank_.size() * 4));
  report.bytes_uploaded += rank_.size() * 4;
  return ranks_;
}

// Sorts the order by keys that are in it, by the bytes of theirs with bits in `bits`.
Status DeviceRowSort::sort_keys(BufferPointer keys, std::uint32_t key_bytes, std::uint64_t bits) {
  if (bits == 0) return {};
  auto& [sort, figures, times] = sorts_[key_bytes];
  if (!sort) {
    PENSTOCK_ASSIGN(sort, primitive::RadixSort::build(kernels_.shared_device(), {key_bytes, 4}));
  }
  primitive::SortData data{std::move(keys), order_}, spare;
  PENSTOCK_ASSIGN(spare.keys, device_.allocate(max_rows_ * key_bytes));
  PENSTOCK_ASSIGN(spare.values, device_.allocate(max_rows_ * 4));
  std::uint64_t passes = 0, runs = 0;  // a run of passes begins by reading the keys
  PENSTOCK_ASSIGN(const auto begun, queue_->record());
  for (const auto& [first, end] : runs_of_bytes(bits)) {
    PENSTOCK_TRY(sort->enqueue(*queue_, data, spare, row_count_, first, end));
    passes += end - first, runs++;
  }
  PENSTOCK_ASSIGN(const auto done, queue_->record());
  order_ = data.values;
  figures.launches += passes;
  figures.bytes_moved += row_count_ * (runs * key_bytes + 2 * passes * (key_bytes + 4));
  times.emplace_back(begun, done);
  return {};
}

// One more byte holds the bit of NULLs, if values leave one free. Few bytes of 64-bit keys vary
// mostly, as numbers are small; that is known once the keys are made.
Status DeviceRowSort::sort_by_values(const DeviceColumn& column, const SortKey& key,
                                     std::optional<KeyBits> bits, const StringPool& strings,
                                     RunReport& report) {
  const auto width = static_cast<std::uint32_t>(width_bytes(column.type));
  const bool has_bit = column.validity && !has_null_word(column);
  const std::uint32_t key_bytes = width + has_bit <= 4 ? 4 : 8;
  BufferPointer ranks = order_;  // not read
  if (column.type.kind == Kind::string) { PENSTOCK_ASSIGN(ranks, ranks_of(strings, report)); }
  PENSTOCK_ASSIGN(BufferPointer keys, device_.allocate(max_rows_ * key_bytes));
  PENSTOCK_ASSIGN(const BufferPointer varying, device_.allocate(64));
  PENSTOCK_TRY(queue_->fill(*varying, 0, 8));
  const Buffer& validity = column.validity ? *column.validity : *column.values;
  PENSTOCK_TRY(launch(key_bytes == 4 ? "order_keys_32" : "order_keys_64", row_count_,
                      {Argument::of(*order_), Argument::of(*column.values),
                       Argument::of(*column.values), Argument::of(validity), Argument::of(*ranks),
                       Argument::of(*keys), Argument::of(*varying), Argument::value(row_count_),
                       Argument::value(width), Argument::value(order_kind(column.type)),
                       Argument::value(static_cast<std::uint32_t>(key.descending)),
                       Argument::value(null_shift(column)),
                       Argument::value(static_cast<std::uint32_t>(key.nulls_first))}));
  if (bits) return sort_keys(std::move(keys), key_bytes, bits->ones & bits->zeros);
  PENSTOCK_ASSIGN(const std::uint64_t found, varying_bits(*varying));
  return sort_keys(std::move(keys), key_bytes, found);
}

Result<std::uint64_t> DeviceRowSort::varying_bits(const Buffer& varying) {
  std::uint64_t bits = 0;
  const FinishAtEnd finish(*queue_);
  PENSTOCK_TRY(queue_->download(&bits, varying, 8));
  PENSTOCK_TRY(queue_->finish());
  return bits;
}

Status DeviceRowSort::find_bits(const DeviceRows& rows, const std::vector<SortKey>& keys,
                                const Buffer& found, const StringPool& strings, RunReport& report) {
  PENSTOCK_TRY(queue_->fill(found, 0, keys.size() * sizeof(KeyBits)));
  for (std::uint32_t i = 0; i < keys.size(); i++) {
    const DeviceColumn& column = rows.columns[keys[i].column];
    BufferPointer ranks = column.values;  // not read
    if (column.type.kind == Kind::string) { PENSTOCK_ASSIGN(ranks, ranks_of(strings, report)); }
    const Buffer& validity = column.validity ? *column.validity : *column.values;
    PENSTOCK_TRY(launch("order_bits", rows.row_count,
                        {Argument::of(*column.values), Argument::of(*column.values),
                         Argument::of(validity), Argument::of(*ranks), Argument::of(found),
                         Argument::value(rows.row_count), Argument::value(4 * i),
                         Argument::value(static_cast<std::uint32_t>(width_bytes(column.type))),
                         Argument::value(order_kind(column.type)),
                         Argument::value(static_cast<std::uint32_t>(keys[i].descending)),
                         Argument::value(null_shift(column)),
                         Argument::value(static_cast<std::uint32_t>(keys[i].nulls_first))}));
  }
  return queue_->flush();
}

// Samples are put in order while the device reads all keys.
Result<DeviceRowSort::KeysSeen> DeviceRowSort::look_at_keys(const DeviceRows& rows,
                                                            const std::vector<SortKey>& keys,
                                                            std::uint64_t sample_count,
                                                            const StringPool& strings,
                                                            RunReport& report) {
  KeysSeen seen{{}, std::vector<KeyBits>(keys.size())};
  const std::uint64_t bytes = keys.size() * sizeof(KeyBits);
  PENSTOCK_ASSIGN(const BufferPointer bits, device::allocate(device_, bytes));
  const FinishAtEnd finish(*queue_);
  if (rows.columns[keys[0].column].type.kind == Kind::string)
    PENSTOCK_TRY(ranks_of(strings, report));
  PENSTOCK_ASSIGN(seen.samples, ranges_of(rows, keys[0]).sample(sample_count));
  PENSTOCK_TRY(find_bits(rows, keys, *bits, strings, report));
  sort_samples(seen.samples);
  PENSTOCK_TRY(queue_->download(seen.bits.data(), *bits, bytes));
  PENSTOCK_TRY(queue_->finish());
  return seen;
}

Status DeviceRowSort::sort_by_nulls(const DeviceColumn& column, const SortKey& key) {
  PENSTOCK_ASSIGN(BufferPointer keys, device_.allocate(max_rows_ * 4));
  PENSTOCK_TRY(launch(
      "order_null_keys", row_count_,
      {Argument::of(*order_), Argument::of(*column.validity), Argument::of(*keys),
       Argument::value(row_count_), Argument::value(static_cast<std::uint32_t>(key.nulls_first))}));
  return sort_keys(std::move(keys), 4, 1);
}

// Sorts rows of the order by all keys, the least significant one first.
Status DeviceRowSort::sort_order(const DeviceRows& rows, const std::vector<SortKey>& keys,
                                 const std::vector<KeyBits>& bits, const StringPool& strings,
                                 RunReport& report) {
  for (std::size_t i = keys.size(); i-- > 0;) {
    const DeviceColumn& column = rows.columns[keys[i].column];
    const std::optional<KeyBits> of_key = bits.empty() ? std::nullopt : std::optional(bits[i]);
    PENSTOCK_TRY(sort_by_values(column, keys[i], of_key, strings, report));
    if (has_null_word(column)) PENSTOCK_TRY(sort_by_nulls(column, keys[i]));
  }
  return {};
}

// A queue that failed has no times, and its error is known.
void DeviceRowSort::end(RunReport& report) {
  const bool has_times = queue_->finish().ok();
  for (auto& [key_bytes, used] : sorts_) {
    for (const auto& [begun, done] : used.times)
      if (const auto seconds = done->seconds_since(*begun); has_times && seconds.ok())
        used.figures.device_seconds += *seconds;
    if (used.figures.launches > 0)
      add_kernel(report, "radix_sort", used.sort->source(), used.sort->program(), used.figures);
  }
  sorts_.clear();
  order_ = ranks_ = nullptr;  // of these rows, and of the strings so far
}

Status DeviceRowSort::begin_queue() {
  PENSTOCK_TRY(kernels_.wait());
  PENSTOCK_ASSIGN(queue_, device_.queue());
  return {};
}

Status DeviceRowSort::begin_order(std::uint64_t row_count) {
  row_count_ = max_rows_ = row_count;
  PENSTOCK_ASSIGN(order_, device_.allocate(row_count_ * 4));
  return launch("order_begin", row_count_, {Argument::of(*order_), Argument::value(row_count_)});
}

Result<DeviceRows> DeviceRowSort::sort_rows(const DeviceRows& rows,
                                            const std::vector<SortKey>& keys, std::uint64_t limit,
                                            const StringPool& strings, RunReport& report) {
  PENSTOCK_TRY(begin_order(rows.row_count));
  PENSTOCK_TRY(sort_order(rows, keys, {}, strings, report));
  PENSTOCK_ASSIGN(DeviceRows sorted,
                  gather_rows(kernels_, *queue_, {std::min(limit, row_count_), order_}, rows));
  PENSTOCK_TRY(queue_->finish());  // rows are read by another queue
  return sorted;
}

Result<std::optional<DeviceRows>> DeviceRowSort::sort(const DeviceRows& rows,
                                                      const std::vector<SortKey>& keys,
                                                      std::uint64_t limit,
                                                      const StringPool& strings,
                                                      RunReport& report) {
  PENSTOCK_TRY(begin_queue());
  auto sorted = rows_if_memory_sufficed(sort_rows(rows, keys, limit, strings, report), *queue_);
  end(report);
  return sorted;
}

Status DeviceRowSort::download_ranges(const DeviceRows& rows, const std::vector<SortKey>& keys,
                                      std::uint64_t limit, std::uint64_t piece_rows,
                                      const StringPool& strings, RowsDownload& to,
                                      RunReport& report) {
  const std::size_t ranges = range_count((rows.row_count - 1) / piece_rows + 1, 1);
  PENSTOCK_ASSIGN(const KeysSeen seen,
                  look_at_keys(rows, keys, samples_per_range * ranges, strings, report));
  PENSTOCK_ASSIGN(const KeyRanges::Order divided,
                  ranges_of(rows, keys[0]).divide(bounds_of(seen.samples, ranges), report));
  std::vector<std::uint64_t> rows_of_ranges(divided.ends.size());
  std::adjacent_difference(divided.ends.begin(), divided.ends.end(), rows_of_ranges.begin());
  const auto pieces = pieces_of(rows_of_ranges, {0, rows_of_ranges.size()}, piece_rows);
  max_rows_ = max_rows_of(rows_of_ranges, pieces);
  std::uint64_t begin = 0;
  for (const RangeNumbers& piece : pieces) {
    row_count_ = rows_of(rows_of_ranges, piece);
    if (row_count_ == 0 || begin >= limit) continue;
    PENSTOCK_ASSIGN(order_, device_.allocate(max_rows_ * 4));
    PENSTOCK_TRY(KeyRanges::take(kernels_, *queue_, *divided.rows, begin, row_count_, *order_));
    PENSTOCK_TRY(sort_order(rows, keys, seen.bits, strings, report));
    PENSTOCK_TRY(to.append(kernels_, *queue_, rows, order_, std::min(limit - begin, row_count_)));
    begin += row_count_;
  }
  return to.finish();
}

Result<bool> DeviceRowSort::sort_ranges(const DeviceRows& rows, const std::vector<SortKey>& keys,
                                        std::uint64_t limit, std::uint64_t piece_rows,
                                        const StringPool& strings, RowsDownload& to,
                                        RunReport& report) {
  PENSTOCK_TRY(begin_queue());
  const Status sorted = download_ranges(rows, keys, limit, piece_rows, strings, to, report);
  const Status finished = queue_->finish();
  end(report);
  if (sorted.code() == Code::no_memory) {
    PENSTOCK_TRY(finished);
    return false;
  }
  PENSTOCK_TRY(sorted);
  return true;
}

KeyRanges DeviceRowSort::ranges_of(const DeviceRows& rows, const SortKey& key) {
  const DeviceColumn& column = rows.columns[key.column];
  const Buffer& ranks = ranks_ ? *ranks_ : *column.values;
  return {kernels_, *queue_, rows.row_count, {column, key, ranks}};
}

Result<std::vector<KeyRanges::Word>> DeviceRowSort::sample(const DeviceRows& rows,
                                                           const SortKey& key,
                                                           std::uint64_t count) {
  PENSTOCK_TRY(begin_queue());
  return ranges_of(rows, key).sample(count);
}

Result<DeviceRowSort::KeysSeen> DeviceRowSort::look_at_keys(const DeviceRows& rows,
                                                            const std::vector<SortKey>& keys,
                                                            std::uint64_t sample_count,
                                                            RunReport& report) {
  PENSTOCK_TRY(begin_queue());
  return look_at_keys(rows, keys, sample_count, StringPool(), report);
}

Result<std::vector<std::uint64_t>> DeviceRowSort::cut(const DeviceRows& rows, const SortKey& key,
                                                      const std::vector<KeyRanges::Word>& bounds) {
  return ranges_of(rows, key).cut(bounds);
}

Result<KeyRanges::Rows> DeviceRowSort::divide(const DeviceRows& rows, const SortKey& key,
                                              const std::vector<KeyRanges::Word>& bounds,
                                              RunReport& report) {
  auto divided = ranges_of(rows, key).divide(rows, bounds, report);
  if (!divided.ok()) PENSTOCK_TRY(queue_->finish());
  return divided;
}

Status DeviceRowSort::sort_to(const DeviceRows& rows, const std::vector<SortKey>& keys,
                              const std::vector<KeyBits>& bits, RowsDownload& to,
                              RunReport& report) {
  PENSTOCK_TRY(begin_order(rows.row_count));
  PENSTOCK_TRY(sort_order(rows, keys, bits, StringPool(), report));
  return to.append(kernels_, *queue_, rows, order_, rows.row_count);
}

}  // namespace penstock::plan
