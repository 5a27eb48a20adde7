#include "table/sort/device_row_merge.hpp"

#include <algorithm>

#include "expr/words.hpp"
#include "primitive/radix_sort.hpp"
#include "table/kernels/order_merge_limits.h"
#include "table/rows/gather_on_device.hpp"
#include "table/sort/order_keys.hpp"

namespace penstock::plan {
namespace {

// Returns how many words a row's keys are; 0 if they cannot be merged.
std::uint32_t words_of_keys(const DeviceRows& rows, const std::vector<SortKey>& keys) {
  std::uint32_t words = 0;
  for (const SortKey& key : keys) {
    const DeviceColumn& column = rows.columns[key.column];
    if (column.type.kind == Kind::string) return 0;
    words += has_null_word(column) ? 2 : 1;
  }
  return words > max_merge_words ? 0 : words;
}

}  // namespace

std::shared_ptr<DeviceRowMerge> DeviceRowMerge::begin(std::shared_ptr<Device> device) {
  return std::shared_ptr<DeviceRowMerge>(new DeviceRowMerge(std::move(device)));
}

Status DeviceRowMerge::launch(std::string_view kernel, std::uint64_t count,
                              std::vector<Argument> arguments) {
  return kernels_.launch(*queue_, kernel, count, arguments);
}

Status DeviceRowMerge::check_kernels() {
  if (kernels_status_.ok()) kernels_status_ = kernels_.wait();
  PENSTOCK_TRY(kernels_status_);
  const std::uint64_t local_bytes = device_.traits().local_bytes,
                      tile_bytes = MERGE_ROW_BYTES * tile_rows();
  if (local_bytes >= tile_bytes) return {};
  return {Code::unsupported, "merging takes " + std::to_string(tile_bytes) +
                                 " bytes of local memory, and the device has " +
                                 std::to_string(local_bytes)};
}

std::uint64_t DeviceRowMerge::tile_rows() const { return MERGE_TILE_ROWS(kernels_.group_size()); }

Status DeviceRowMerge::make_words_of(const DeviceColumn& column, const SortKey& key) {
  const auto nulls_first = Argument::value(static_cast<std::uint32_t>(key.nulls_first));
  const auto next_word = [&] { return Argument::value(row_count_ * word_count_++); };
  const auto count = Argument::value(row_count_);
  if (has_null_word(column))
    PENSTOCK_TRY(launch(
        "merge_null_keys", row_count_,
        {Argument::of(*column.validity), Argument::of(*words_), next_word(), count, nulls_first}));
  const auto width = static_cast<std::uint32_t>(width_bytes(column.type));
  const Buffer& validity = column.validity ? *column.validity : *column.values;
  return launch("merge_keys", row_count_,
                {Argument::of(*column.values), Argument::of(*column.values), Argument::of(validity),
                 Argument::of(*words_), next_word(), count, Argument::value(width),
                 Argument::value(order_kind(column.type)),
                 Argument::value(static_cast<std::uint32_t>(key.descending)),
                 Argument::value(null_shift(column)), nulls_first});
}

Status DeviceRowMerge::make_words(const DeviceRows& rows, const std::vector<SortKey>& keys) {
  const std::uint32_t all_words = words_of_keys(rows, keys);
  PENSTOCK_ASSIGN(words_, device_.allocate(row_count_ * all_words * 8));
  word_count_ = 0;
  for (const SortKey& key : keys) PENSTOCK_TRY(make_words_of(rows.columns[key.column], key));
  return {};
}

Status DeviceRowMerge::merge_pair(std::uint64_t begin, std::uint64_t middle, std::uint64_t end,
                                  bool is_first) {
  const std::uint64_t tiles = (end - begin + tile_rows() - 1) / tile_rows();
  const auto number = [](std::uint64_t value) {
    return Argument::value(static_cast<std::uint32_t>(value));
  };
  const std::vector<Argument> values = {Argument::value(row_count_),
                                        Argument::value(tiles),
                                        number(word_count_),
                                        number(is_first),
                                        number(begin),
                                        number(middle),
                                        number(end)};
  std::vector<Argument> of_splits = {Argument::of(*order_), Argument::of(*words_),
                                     Argument::of(*splits_)};
  std::vector<Argument> of_runs = of_splits;
  of_runs.push_back(Argument::of(*next_order_));
  of_splits.insert(of_splits.end(), values.begin(), values.end());
  of_runs.insert(of_runs.end(), values.begin(), values.end());
  PENSTOCK_TRY(launch("merge_splits", tiles + 1, std::move(of_splits)));
  return launch("merge_runs", tiles * kernels_.group_size(), std::move(of_runs));
}

Status DeviceRowMerge::merge_pairs(std::vector<std::uint64_t>& ends, bool is_first) {
  std::vector<std::uint64_t> merged;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); i += 2) {
    merged.push_back(ends[std::min(i + 1, ends.size() - 1)]);
    PENSTOCK_TRY(merge_pair(begin, ends[i], merged.back(), is_first));
    begin = merged.back();
  }
  ends = std::move(merged);
  std::swap(order_, next_order_);
  return {};
}

Result<DeviceRows> DeviceRowMerge::merge_rows(const DeviceRows& rows,
                                              std::vector<std::uint64_t> ends,
                                              const std::vector<SortKey>& keys, RunReport& report) {
  PENSTOCK_ASSIGN(order_, device_.allocate(row_count_ * 4));
  PENSTOCK_ASSIGN(next_order_, device_.allocate(row_count_ * 4));
  PENSTOCK_ASSIGN(splits_, device_.allocate(4 * (row_count_ / tile_rows() + 2)));
  PENSTOCK_ASSIGN(const auto begun, queue_->record());
  const std::uint64_t launches = kernels_.launches();
  PENSTOCK_TRY(make_words(rows, keys));
  std::uint64_t rounds = 0;
  for (; ends.size() > 1 || rounds == 0; rounds++) PENSTOCK_TRY(merge_pairs(ends, rounds == 0));
  words_ = splits_ = next_order_ = nullptr;  // columns may take this memory, behind the merge
  PENSTOCK_ASSIGN(DeviceRows merged, gather_rows(kernels_, *queue_, {row_count_, order_}, rows));
  PENSTOCK_ASSIGN(const auto done, queue_->record());
  PENSTOCK_TRY(queue_->finish());  // rows are read by another queue
  PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
  const std::uint64_t of_words = 16 * word_count_,
                      of_round = 8 * word_count_ + (rounds > 1 ? 8 : 4);
  kernels_.add_to(report, "merge_runs",
                  {kernels_.launches() - launches,
                   row_count_ * (of_words + rounds * of_round + 4 * rows.columns.size()) +
                       2 * bytes_on_device(merged),
                   seconds});
  return merged;
}

Result<std::optional<DeviceRows>> DeviceRowMerge::merge(const DeviceRows& rows,
                                                        const std::vector<std::uint64_t>& ends,
                                                        const std::vector<SortKey>& keys,
                                                        RunReport& report) {
  if (words_of_keys(rows, keys) == 0 || rows.row_count > primitive::max_sort_keys)
    return std::optional<DeviceRows>();
  row_count_ = rows.row_count;
  if (row_count_ == 0) return std::optional(rows);
  if (const Status ready = check_kernels(); !ready.ok()) {
    report.notes.push_back("exchanged rows are sorted again: " + ready.text());
    return std::optional<DeviceRows>();
  }
  PENSTOCK_ASSIGN(queue_, device_.queue());
  auto merged = rows_if_memory_sufficed(merge_rows(rows, ends, keys, report), *queue_);
  words_ = splits_ = order_ = next_order_ = nullptr;
  return merged;
}

}  // namespace penstock::plan
