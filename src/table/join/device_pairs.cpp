#include "table/join/device_pairs.hpp"

#include "device/allocate.hpp"
#include "primitive/scan.hpp"

namespace penstock::plan {

using primitive::Number;

Result<std::optional<DevicePairs>> DevicePairs::count(DeviceRows left, const Columns& left_keys,
                                                      std::shared_ptr<const BuildSide> right,
                                                      JoinKind kind, std::uint64_t limit_bytes) {
  DevicePairs made;
  made.left_ = std::move(left);
  made.right_ = std::move(right);
  made.keeps_alone_ = kind == JoinKind::left;
  const std::uint64_t rows = made.left_.row_count;
  if (rows == 0) return std::optional<DevicePairs>(std::move(made));
  if (rows >= JOIN_NO_ROW || rows * bytes_per_left_row(left_keys.size()) > limit_bytes)
    return std::optional<DevicePairs>();
  Device& device = made.kernels().device();
  DeviceKeys keys;
  BufferPointer pairs;
  for (const auto& [buffer, bytes] :
       {std::pair{&keys.words, device_key_bytes(rows, left_keys.size())},
        std::pair{&keys.present, rows}, std::pair{&pairs, rows * 4},
        std::pair{&made.found_, rows * 4}, std::pair{&made.sums_, rows * 8}}) {
    PENSTOCK_ASSIGN(*buffer, device::try_allocate(device, bytes));
    if (!*buffer) return std::optional<DevicePairs>();
  }
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  PENSTOCK_TRY(made.find_rows(*queue, left_keys, keys, pairs));
  return std::optional<DevicePairs>(std::move(made));
}

// Finds what has the key of each left row, and how many pairs there are before each.
Status DevicePairs::find_rows(Queue& queue, const Columns& left_keys, const DeviceKeys& keys,
                              const BufferPointer& pairs) {
  const std::uint64_t rows = left_.row_count;
  const DeviceJoinTable& table = right().table;
  const std::uint64_t launches_before = kernels().launches();
  PENSTOCK_ASSIGN(const auto scan, primitive::Scan::build(kernels().shared_device(),
                                                          {Number::u32, Number::u64, true, false}));
  PENSTOCK_ASSIGN(const auto begun, queue.record());
  PENSTOCK_TRY(write_key_words(kernels(), queue, left_, left_keys, keys, 0, rows));
  std::vector<Argument> arguments =
      arguments_of({keys.words.get(), keys.present.get(), table.table.get(), table.positions.get(),
                    table.first.get(), table.ends.get(), found_.get(), pairs.get()});
  arguments.push_back(Argument::value(rows));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(left_keys.size())));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(keeps_alone_)));
  PENSTOCK_TRY(kernels().launch(queue, "join_count_pairs", rows, arguments));
  PENSTOCK_TRY(scan->enqueue(queue, *pairs, *sums_, rows));
  PENSTOCK_ASSIGN(const auto done, queue.record());
  std::uint64_t sum = 0;
  std::uint32_t last = 0;
  PENSTOCK_TRY(queue.download(&sum, *sums_, 8, (rows - 1) * 8));
  PENSTOCK_TRY(queue.download(&last, *pairs, 4, (rows - 1) * 4));
  PENSTOCK_TRY(queue.finish());
  pair_count_ = sum + last;
  PENSTOCK_ASSIGN(figures_.device_seconds, done->seconds_since(*begun));
  figures_.launches = kernels().launches() - launches_before;
  figures_.bytes_moved =
      keys.words->bytes() + keys.present->bytes() + pairs->bytes() + bytes_of_counts();
  return {};
}

std::uint64_t DevicePairs::bytes_of_counts() const {
  return found_ ? found_->bytes() + sums_->bytes() : 0;
}

std::uint64_t DevicePairs::bytes() const { return bytes_on_device(left_) + bytes_of_counts(); }

Result<DevicePairs::Range> DevicePairs::make(Queue& queue, std::uint64_t begin,
                                             std::uint64_t count) const {
  Range range;
  range.left.count = range.right.count = count;
  Device& device = kernels().device();
  BufferPointer is_there;
  PENSTOCK_ASSIGN(range.left.numbers, device.allocate(count * 4));
  PENSTOCK_ASSIGN(range.right.numbers, device.allocate(count * 4));
  PENSTOCK_ASSIGN(is_there, device.allocate(count));
  std::vector<Argument> arguments =
      arguments_of({sums_.get(), found_.get(), right().table.first.get(), right().table.order.get(),
                    range.left.numbers.get(), range.right.numbers.get(), is_there.get()});
  for (const std::uint64_t value : {begin, count, left_.row_count})
    arguments.push_back(Argument::value(value));
  PENSTOCK_TRY(kernels().launch(queue, "join_write_pairs", count, arguments));
  if (keeps_alone_) range.right.present = std::move(is_there);
  return range;
}

Result<DeviceColumn> DevicePairs::gather(Queue& queue, const DeviceColumn& from,
                                         const GatherNumbers& by) const {
  DeviceColumn column{from.type, nullptr, by.present};
  PENSTOCK_ASSIGN(column.values,
                  gather_column(kernels(), queue, by, *from.values, width_bytes(from.type)));
  if (!from.validity) return column;
  PENSTOCK_ASSIGN(column.validity, gather_column(kernels(), queue, by, *from.validity, 1));
  return column;
}

}  // namespace penstock::plan
