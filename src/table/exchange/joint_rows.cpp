#include "table/exchange/joint_rows.hpp"

#include <algorithm>

namespace penstock::plan {

bool have_one_layout(const DeviceRows& a, const DeviceRows& b) {
  return std::ranges::equal(
      a.columns, b.columns, [](const DeviceColumn& one, const DeviceColumn& other) {
        return one.type == other.type && one.type.kind != Kind::string &&
               !one.validity == !other.validity && !one.values == !other.values;
      });
}

bool JointRows::are_joint(const Columns& columns) const {
  return !columns.empty() &&
         std::ranges::all_of(ranges_, [&](const std::optional<DeviceRows>& range) {
           return range && have_one_layout(*range, *ranges_[0]);
         });
}

std::uint64_t JointRows::rows_before(std::size_t share) const {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < share; i++) rows += ranges_[i]->row_count;
  return rows;
}

Status JointRows::write(std::size_t share, Device& device, const Columns& columns) const {
  const DeviceRows& range = *ranges_[share];
  if (range.row_count == 0) return {};
  const std::uint64_t first = rows_before(share);
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  for (std::size_t i = 0; i < columns.size(); i++) {
    const DeviceColumn& column = range.columns[columns[i]];
    const std::uint64_t width = width_bytes(column.type);
    PENSTOCK_TRY(queue->download(memory_[i].values->data() + first * width, *column.values,
                                 range.row_count * width));
    if (column.validity)
      PENSTOCK_TRY(
          queue->download(memory_[i].validity->data() + first, *column.validity, range.row_count));
  }
  return queue->finish();
}

Result<std::optional<std::vector<Column>>> JointRows::download(std::size_t share, Device& device,
                                                               const DeviceRows* range,
                                                               const Columns& columns) {
  const std::optional<std::vector<Column>> none;
  if (!meeting_.enter(share)) return none;
  if (range) ranges_[share] = *range;
  if (!meeting_.meet(share, 0)) {  // nobody reads it
    ranges_[share].reset();
    return none;
  }
  if (!are_joint(columns)) return none;
  if (share == 0) {
    auto memory = allocate_host_columns(device, *ranges_[0], columns, rows_before(ranges_.size()));
    if (memory.ok()) memory_ = std::move(memory).value();
    if (!memory.ok() && memory.status().code() != Code::no_memory) return memory.status();
  }
  if (!meeting_.meet(share, 1)) return another_share_has_ended();
  if (memory_.empty()) return none;
  PENSTOCK_TRY(write(share, device, columns));
  const std::uint64_t all_rows = rows_before(ranges_.size());
  if (!meeting_.meet(share, 2)) return another_share_has_ended();
  ranges_[share].reset();
  return std::optional(columns_of(memory_, share == 0 ? all_rows : 0, StringPool()));
}

}  // namespace penstock::plan
