#include "plan/devices/merge_shares.hpp"

#include <algorithm>

#include "column/concatenate.hpp"
#include "plan/aggregate/host_steps.hpp"
#include "plan/devices/merge_groups.hpp"
#include "plan/devices/merge_sorted.hpp"

namespace penstock::plan {
namespace {

Result<Table> concatenated(const Schema& schema, std::span<const SharePart> shares) {
  Table table;
  for (const SharePart& share : shares) table.row_count += share[0].rows.row_count;
  for (std::size_t i = 0; i < schema.size(); i++) {
    std::vector<Column> parts;
    for (const SharePart& share : shares)
      if (share[0].rows.row_count > 0) parts.push_back(share[0].rows.columns[i]);
    table.names.push_back(schema[i].name);
    PENSTOCK_ASSIGN(table.columns.emplace_back(),
                    column::concatenate_encoded(schema[i].type, parts));
  }
  return table;
}

Result<Table> merge_part(const TileProgram& program, std::span<const Table> shares) {
  return program.epilogue == Epilogue::reduce ? merge_rows_of_partials(program, shares)
                                              : merge_groups(program, shares);
}

// Each slice of the aggregates has been a program of its own. It begins where the shares' programs
// did, which is not the cut's base where a share paired rows of a join.
Result<Table> merge_aggregates(const Plan& plan, const Cut& cut,
                               std::span<const SharePart> shares) {
  std::vector<TileProgram> programs;
  std::vector<Table> parts;
  for (std::size_t i = 0; i < shares[0].size(); i++) {
    const Slice& slice = shares[0][i].step_columns;
    const StepId base = shares[0][i].base;
    if (base >= plan.size())
      return Status(Code::internal, "a share without the base of its program");
    PENSTOCK_ASSIGN(programs.emplace_back(), fuse(plan, base, cut.step, slice));
    std::vector<Table> rows;
    for (const SharePart& share : shares) {
      if (share.size() != shares[0].size() || share[i].step_columns != slice ||
          share[i].base != base)
        return Status(Code::internal, "shares of a plan took other programs");
      rows.push_back(share[i].rows);
    }
    PENSTOCK_ASSIGN(parts.emplace_back(), merge_part(programs.back(), rows));
  }
  return parts.size() == 1 ? std::move(parts[0]) : beside(programs, std::move(parts));
}

}  // namespace

Result<Table> merge_shares(const Plan& plan, const Cut& cut, std::span<const SharePart> shares) {
  const Step& step = plan.step(cut.step);
  if (shares.empty()) return Status(Code::internal, "a plan without shares");
  if (is_aggregate(plan, cut.step)) return merge_aggregates(plan, cut, shares);
  PENSTOCK_ASSIGN(Table rows, concatenated(step.schema, shares));
  if (step.kind != StepKind::order_by || shares[0][0].is_next_in_order) return rows;
  std::vector<std::uint64_t> ends;
  for (const SharePart& share : shares)
    ends.push_back((ends.empty() ? 0 : ends.back()) + share[0].rows.row_count);
  return merge_sorted(rows, ends, step.sort_keys, cut.row_limit);
}

std::uint64_t bytes_of(const SharePart& share) {
  std::uint64_t bytes = 0;
  for (const PartialTable& part : share)
    for (const Column& column : part.rows.columns)
      bytes += column.values.size + column.offsets.size + column.validity.size;
  return bytes;
}

}  // namespace penstock::plan
