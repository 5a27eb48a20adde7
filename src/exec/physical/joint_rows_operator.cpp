#include "exec/physical/joint_rows_operator.hpp"

#include <utility>

namespace penstock::plan {

Result<Rows> JointRowsOperator::run(const RowsWanted&) {
  PENSTOCK_TRY(run_.open_device());
  PENSTOCK_ASSIGN(Rows rows, scan_->run({run_.bytes_left_for_sides()}));
  const Step& step = run_.plan.step(scan_->shape().last);
  std::optional<DeviceRows> here;
  if (auto* const there = std::get_if<DeviceTable>(&rows))
    here = spread_rows(step.schema, there->columns, std::move(there->rows));
  PENSTOCK_ASSIGN(auto joint,
                  download_joint(run_, *run_.share.joint_rows, step, here, scan_->columns()));
  if (joint) return Rows(std::move(*joint));
  if (!here) return rows;
  PENSTOCK_ASSIGN(Table own, run_.download(step, *here, scan_->columns()));
  return Rows(std::move(own));
}

Result<std::optional<Table>> download_joint(RunState& run, JointRows& all, const Step& step,
                                            const std::optional<DeviceRows>& rows,
                                            const Columns& columns) {
  PENSTOCK_ASSIGN(auto joined,
                  all.download(run.share.number, *run.device(), rows ? &*rows : nullptr, columns));
  if (!joined) return std::optional<Table>();
  for (const std::uint32_t column : columns)
    run.report.bytes_downloaded += rows->row_count * width_bytes(step.schema[column].type);
  Table table;
  table.columns = std::move(*joined);
  table.row_count = table.columns[0].row_count;
  return std::optional(spread_columns(step.schema, columns, table));
}

}  // namespace penstock::plan
