#include "table/join/bucketed_rows.hpp"

#include <algorithm>

#include "column/concatenate.hpp"
#include "device/allocate.hpp"
#include "table/join/device_join_table.hpp"
#include "table/rows/gather_on_device.hpp"
#include "table/strings/written_column.hpp"

namespace penstock::plan {
namespace {

// Sorting a part takes some 25 bytes a row of device memory, and its keys.
constexpr std::uint64_t max_part_rows = 1 << 21;

}  // namespace

Status BucketedRows::append(Queue& queue, const DeviceRows& rows) {
  if (!sort_) {
    PENSTOCK_ASSIGN(sort_, primitive::RadixSort::build(kernels_->shared_device(), {4, 4}));
  }
  for (std::uint64_t first = 0; first < rows.row_count; first += max_part_rows)
    PENSTOCK_TRY(append_part(queue, rows, first, std::min(max_part_rows, rows.row_count - first)));
  return {};
}

Status BucketedRows::append_part(Queue& queue, const DeviceRows& rows, std::uint64_t first,
                                 std::uint64_t count) {
  Part& part = parts_.emplace_back();
  part.row_count = count;
  PENSTOCK_ASSIGN(const BufferPointer numbers, sorted_numbers(queue, rows, first, part));
  const GatherNumbers by{count, numbers};
  for (const DeviceColumn& column : rows.columns) {
    PENSTOCK_ASSIGN(part.values.emplace_back(),
                    download_sorted(queue, by, column.values, width_bytes(column.type)));
    PENSTOCK_ASSIGN(part.validity.emplace_back(), download_sorted(queue, by, column.validity, 1));
  }
  row_count_ += count;
  return {};
}

// Returns the numbers of a part's rows, from `first` on, in the order of their buckets.
Result<BufferPointer> BucketedRows::sorted_numbers(Queue& queue, const DeviceRows& rows,
                                                   std::uint64_t first, Part& part) {
  Device& device = kernels_->device();
  const std::uint64_t count = part.row_count;
  constexpr std::uint64_t start_bytes = (JOIN_BUCKET_COUNT + 2) * 4;
  DeviceKeys words;
  primitive::SortData data, spare;
  BufferPointer starts;
  for (const auto& [buffer, bytes] :
       {std::pair{&words.words, device_key_bytes(count, keys_.size())},
        std::pair{&words.present, count}, std::pair{&starts, start_bytes},
        std::pair{&data.keys, count * 4}, std::pair{&data.values, count * 4},
        std::pair{&spare.keys, count * 4}, std::pair{&spare.values, count * 4}}) {
    PENSTOCK_ASSIGN(*buffer, device::allocate(device, bytes));
  }
  PENSTOCK_TRY(write_key_words(*kernels_, queue, rows, keys_, words, first, count));
  std::vector<Argument> arguments =
      arguments_of({words.words.get(), words.present.get(), data.keys.get(), data.values.get()});
  arguments.push_back(Argument::value(first));
  arguments.push_back(Argument::value(count));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(keys_.size())));
  PENSTOCK_TRY(kernels_->launch(queue, "join_find_buckets", count, arguments));
  PENSTOCK_TRY(sort_->enqueue(queue, data, spare, count, 0, 2));
  arguments = arguments_of({data.keys.get(), starts.get()});
  arguments.push_back(Argument::value(count));
  PENSTOCK_TRY(kernels_->launch(queue, "join_bucket_starts", count, arguments));
  PENSTOCK_ASSIGN(part.starts, device.allocate_host(start_bytes));
  PENSTOCK_TRY(queue.download(part.starts->data(), *starts, start_bytes));
  return std::move(data.values);
}

Result<BucketedRows::HostPointer> BucketedRows::download_sorted(Queue& queue,
                                                                const GatherNumbers& by,
                                                                const BufferPointer& from,
                                                                std::uint32_t width) {
  if (!from) return HostPointer();
  PENSTOCK_ASSIGN(const BufferPointer sorted, gather_column(*kernels_, queue, by, *from, width));
  PENSTOCK_ASSIGN(HostPointer to, kernels_->device().allocate_host(std::max<std::uint64_t>(
                                      by.count * std::uint64_t{width}, 64)));
  PENSTOCK_TRY(queue.download(to->data(), *sorted, by.count * width));
  return to;
}

bool BucketedRows::has_nulls() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) {
    return part.start(JOIN_BUCKET_COUNT) < part.row_count;
  });
}

std::array<std::uint64_t, JOIN_BUCKET_COUNT> BucketedRows::rows_of_buckets() const {
  std::array<std::uint64_t, JOIN_BUCKET_COUNT> rows{};
  for (const Part& part : parts_)
    for (std::uint32_t bucket = 0; bucket < rows.size(); bucket++)
      rows[bucket] += part.start(bucket + 1) - part.start(bucket);
  return rows;
}

Result<DeviceRows> BucketedRows::upload(Queue& queue, BucketRange buckets,
                                        const Columns& columns) const {
  DeviceRows rows;
  for (const Part& part : parts_)
    rows.row_count += part.start(buckets.last) - part.start(buckets.first);
  for (const std::uint32_t number : columns) {
    DeviceColumn& column = rows.columns.emplace_back(DeviceColumn{schema_[number].type, {}, {}});
    PENSTOCK_ASSIGN(column.values, upload_slices(queue, buckets, rows.row_count, &Part::values,
                                                 number, width_bytes(column.type)));
    if (schema_[number].nullable) {
      PENSTOCK_ASSIGN(column.validity,
                      upload_slices(queue, buckets, rows.row_count, &Part::validity, number, 1));
    }
  }
  return rows;
}

Result<BufferPointer> BucketedRows::upload_slices(Queue& queue, BucketRange buckets,
                                                  std::uint64_t row_count,
                                                  const std::vector<HostPointer> Part::* of,
                                                  std::uint32_t column, std::uint64_t width) const {
  PENSTOCK_ASSIGN(BufferPointer to, device::allocate(kernels_->device(), row_count * width));
  std::uint64_t done = 0;
  for (const Part& part : parts_) {
    const std::uint64_t first = part.start(buckets.first), end = part.start(buckets.last);
    if (end > first)
      PENSTOCK_TRY(queue.upload(*to, (part.*of)[column]->data() + first * width,
                                (end - first) * width, done * width));
    done += end - first;
  }
  return to;
}

Table BucketedRows::on_host(const StringPool& strings) const {
  Table table;
  table.row_count = row_count_;
  for (std::uint32_t i = 0; i < schema_.size(); i++) {
    std::vector<Column> columns;
    for (const Part& part : parts_)
      columns.push_back(column_of_written(schema_[i].type, part.row_count, part.values[i],
                                          part.validity[i], strings.texts()));
    table.columns.push_back(column::concatenate(schema_[i].type, columns));
  }
  return table;
}

}  // namespace penstock::plan
