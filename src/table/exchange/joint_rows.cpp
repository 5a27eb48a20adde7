#include "table/exchange/joint_rows.hpp"

#include "table/exchange/rows_layout.hpp"
#include "table/rows/finish_at_end.hpp"

namespace penstock::plan {
namespace {

// Writes rows to their place among the rows of all, from row `first` on.
Status write(Device& device, const DeviceRows& range, const Columns& columns, std::uint64_t first,
             const std::vector<HostColumn>& to) {
  if (range.row_count == 0) return {};
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  const FinishAtEnd finish(*queue);  // also after an error: the host's memory may be let go of then
  for (std::size_t i = 0; i < columns.size(); i++) {
    const DeviceColumn& column = range.columns[columns[i]];
    const std::uint64_t width = width_bytes(column.type);
    PENSTOCK_TRY(queue->download(to[i].values->data() + first * width, *column.values,
                                 range.row_count * width));
    if (column.validity)
      PENSTOCK_TRY(
          queue->download(to[i].validity->data() + first, *column.validity, range.row_count));
  }
  return queue->finish();
}

Exchanged<std::vector<Column>> join(const Collective::Member& all, Device& device,
                                    const DeviceRows* range, const Columns& columns) {
  if (!range || columns.empty()) return Agreement::refused();
  PENSTOCK_ASSIGN(const auto layouts, all.gather<RowsLayout>(layout_of(*range)));
  if (!have_one_layout(*layouts)) return Agreement::refused();
  const bool is_first = all.share() == 0;
  const std::uint64_t row_count = rows_before(all.shares(), *layouts);
  Result<std::vector<HostColumn>> memory(std::vector<HostColumn>{});
  if (is_first) memory = allocate_host_columns(device, *range, columns, row_count);
  PENSTOCK_ASSIGN(const auto of_shares, all.gather(std::move(memory)));
  const std::vector<HostColumn>& of_first = of_shares->front();
  const std::uint64_t first = rows_before(all.share(), *layouts);
  PENSTOCK_TRY(all.agree(write(device, *range, columns, first, of_first)));
  return columns_of(of_first, is_first ? row_count : 0, StringPool());
}

}  // namespace

Result<std::optional<std::vector<Column>>> JointRows::download(std::size_t share, Device& device,
                                                               const DeviceRows* range,
                                                               const Columns& columns) {
  const auto part = [&](const Collective::Member& all) {
    return join(all, device, range, columns);
  };
  return collective_.take_part(share, part).result();
}

}  // namespace penstock::plan
