#include "exec/devices/merge_shares.hpp"

#include <algorithm>

#include "column/concatenate.hpp"
#include "exec/aggregate/host_steps.hpp"
#include "exec/devices/merge_groups.hpp"
#include "exec/devices/merge_sorted.hpp"

namespace penstock::plan {
namespace {

Result<Table> concatenated(const Schema& schema, std::span<const Table> shares) {
  Table table;
  for (const Table& share : shares) {
    if (share.row_count > 0) PENSTOCK_TRY(check_columns(schema, share));
    table.row_count += share.row_count;
  }
  for (std::size_t i = 0; i < schema.size(); i++) {
    std::vector<Column> parts;
    for (const Table& share : shares)
      if (share.row_count > 0) parts.push_back(share.columns[i]);
    table.names.push_back(schema[i].name);
    PENSTOCK_ASSIGN(table.columns.emplace_back(),
                    column::concatenate_encoded(schema[i].type, parts));
  }
  return table;
}

std::vector<Table> part_of_each(std::span<const SharePart> shares, std::size_t part) {
  std::vector<Table> tables;
  for (const SharePart& share : shares) tables.push_back(share[part].rows);
  return tables;
}

// Returns whether a program has all results of its step: columns of both have the same numbers.
bool has_all_results(const Step& step, const TileProgram& program) {
  return program.schema.size() == step.schema.size();
}

// A merge of a step's accumulators.
struct Merged {
  const Plan& plan;
  const Cut& cut;
  KeptPrograms* kept;
};

Result<TileProgram> program_of(const Merged& merged, const PartialTable& part) {
  if (part.base >= merged.plan.size())
    return Status(Code::internal, "a share without the base of its program");
  bool was_fused = false;
  PENSTOCK_ASSIGN(
      std::vector<TileProgram> programs,
      programs_of_chain(merged.plan, {part.base, merged.cut.step, part.step_columns, {}, true},
                        merged.kept, was_fused));
  return std::move(programs.front());
}

// Returns a share's accumulators in the places of a program with the same results. If keys of a
// join repeat, a share may begin with pairs, and have an accumulator for each column.
Table accumulators_as(const TileProgram& wanted, const TileProgram& has, const Table& share) {
  const std::size_t keys = wanted.epilogue == Epilogue::group ? wanted.key_count : 0;
  Table table = share;
  table.columns.resize(keys + wanted.accumulators.size());
  for (std::size_t i = 0; i < wanted.results.size(); i++) {
    const AggregateResult &to = wanted.results[i], &from = has.results[i];
    table.columns[keys + to.accumulator] = share.columns[keys + from.accumulator];
    table.columns[keys + to.count] = share.columns[keys + from.count];
  }
  return table;
}

// Each slice of the aggregates has been a program of its own. It begins at the base of the
// shares' programs. That is not the cut's base if a share paired rows of a join.
Result<Table> merge_slice(const Merged& merged, std::span<const SharePart> shares,
                          std::size_t slice, const TileProgram& program) {
  std::vector<Table> rows;
  for (const SharePart& share : shares) {
    const PartialTable& part = share[slice];
    rows.push_back(part.rows);
    if (part.base == shares[0][slice].base) continue;
    PENSTOCK_ASSIGN(const TileProgram own, program_of(merged, part));
    rows.back() = accumulators_as(program, own, part.rows);
  }
  if (program.epilogue == Epilogue::reduce) return merge_rows_of_partials(program, rows);
  const bool has_all = has_all_results(merged.plan.step(merged.cut.step), program);
  const std::optional<TopK>& first = merged.cut.first_groups;
  return merge_groups(program, rows, has_all && first ? &*first : nullptr);
}

Result<Table> merge_aggregates(const Merged& merged, std::span<const SharePart> shares) {
  std::vector<TileProgram> programs;
  std::vector<Table> parts;
  for (std::size_t i = 0; i < shares[0].size(); i++) {
    const PartialTable& first = shares[0][i];
    for (const SharePart& share : shares)
      if (share.size() != shares[0].size() || share[i].step_columns != first.step_columns ||
          share[i].is_next_in_order != first.is_next_in_order)
        return Status(Code::internal, "shares of a plan took other programs");
    PENSTOCK_ASSIGN(programs.emplace_back(), program_of(merged, first));
    PENSTOCK_ASSIGN(parts.emplace_back(),
                    first.is_next_in_order
                        ? concatenated(programs.back().schema, part_of_each(shares, i))
                        : merge_slice(merged, shares, i, programs.back()));
  }
  return parts.size() == 1 ? std::move(parts[0]) : beside(programs, std::move(parts));
}

}  // namespace

Status check_columns(const Schema& schema, const Table& rows) {
  const auto fits = [&](const Field& field, const Column& column) {
    return column.type == field.type && column.row_count == rows.row_count;
  };
  return std::ranges::equal(schema, rows.columns, fits)
             ? Status()
             : Status(Code::internal, "rows of a share that are not of its step");
}

Result<Table> merge_shares(const Plan& plan, const Cut& cut, std::span<const SharePart> shares,
                           KeptPrograms* kept) {
  const Step& step = plan.step(cut.step);
  if (shares.empty() ||
      std::ranges::any_of(shares, [](const SharePart& one) { return one.empty(); }))
    return Status(Code::internal, "a plan without shares");
  if (is_aggregate(plan, cut.step)) return merge_aggregates({plan, cut, kept}, shares);
  PENSTOCK_ASSIGN(Table rows, concatenated(step.schema, part_of_each(shares, 0)));
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
