#include "exec/devices/rows_by_key.hpp"

#include <algorithm>

#include "codec/pages/paged_table.hpp"
#include "fuse/program/source_answers.hpp"

namespace penstock::plan {
namespace {

RowCondition is_between(std::uint32_t column, ValueBounds bounds) {
  RowCondition between;
  between.conditions.push_back({RowTest::greater_equal, {}, column, std::move(bounds.lowest)});
  between.conditions.push_back({RowTest::less_equal, {}, column, std::move(bounds.highest)});
  return between;
}

// Returns the rows from the first needed one to the last, rounded to places where sources can be
// cut.
RowRange whole_blocks(const TableSource& source, const RowSelection& needed) {
  RowRange rows{needed.ranges.front().begin, needed.ranges.back().end};
  const std::uint64_t row_count = *source.row_count();
  const auto table = source.pages();
  if (!table) return {rows.begin / 64 * 64, std::min((rows.end + 63) / 64 * 64, row_count)};
  const std::span<const std::uint64_t> firsts = table->first_rows();
  rows.begin = *std::prev(std::ranges::upper_bound(firsts, rows.begin));
  rows.end = *std::ranges::lower_bound(firsts, rows.end);
  return rows;
}

// Gives rows that no share needs to the share before them, or to the first. An expression that
// faults for such a row is an error all the same.
void take_all(std::vector<RowRange>& shares, std::uint64_t row_count) {
  shares.front().begin = 0;
  RowRange* last = &shares.front();  // the earlier share that ends last
  for (RowRange& share : shares) {
    last->end = std::max(last->end, share.begin);
    if (share.end > last->end) last = &share;
  }
  last->end = row_count;
}

// If shares are in the order of their rows, the first fault is the one that one device would
// report.
bool are_in_order(const std::vector<RowRange>& shares) {
  return std::ranges::is_sorted(shares, {}, &RowRange::begin);
}

// Row groups on the border of two shares are read by both. All shares together may read a quarter
// more than all rows, and each half more than its part: each row that is not taken saves a copy and
// a place in a table. That was not tuned.
bool are_apart(const std::vector<RowRange>& shares, std::uint64_t row_count) {
  std::uint64_t all = 0, largest = 0;
  for (const RowRange& share : shares) {
    all += share.end - share.begin;
    largest = std::max(largest, share.end - share.begin);
  }
  return all <= row_count + row_count / 4 && 2 * largest * shares.size() <= 3 * row_count;
}

class KeySearch {
 public:
  KeySearch(const Plan& plan, const JoinedSources& sources)
      : plan_(plan),
        sources_(sources),
        left_(*plan.step(sources.left).source),
        right_(*plan.step(sources.right).source) {}

  std::optional<std::vector<RowRange>> rows_of(const JoinKey& key,
                                               std::span<const RowRange> left) const {
    const std::vector<StepId>& inputs = plan_.step(sources_.join).inputs;
    const auto left_column = source_column(plan_, inputs[0], key.left);
    const auto right_column = source_column(plan_, inputs[1], key.right);
    if (!left_column || !right_column ||
        left_.schema()[*left_column].type != right_.schema()[*right_column].type)
      return std::nullopt;
    std::vector<RowRange> right;
    for (const RowRange& rows : left) {
      const auto needed = rows_between(*right_column, left_.bounds(*left_column, rows));
      if (!needed) return std::nullopt;
      right.push_back(*needed);
    }
    const std::uint64_t row_count = *right_.row_count();
    if (!are_in_order(right)) return std::nullopt;
    take_all(right, row_count);
    return are_apart(right, row_count) ? std::optional(std::move(right)) : std::nullopt;
  }

 private:
  // An error of the records comes again, and is reported, when the rows are read.
  std::optional<RowRange> rows_between(std::uint32_t column,
                                       Result<std::optional<ValueBounds>> bounds) const {
    if (!bounds.ok() || !*bounds) return std::nullopt;
    const auto needed = right_.select_rows(is_between(column, std::move(**bounds)));
    if (!needed.ok() || !*needed || (*needed)->ranges.empty()) return std::nullopt;
    return whole_blocks(right_, **needed);
  }

  const Plan& plan_;
  const JoinedSources& sources_;
  const TableSource& left_;
  const TableSource& right_;
};

}  // namespace

std::optional<std::vector<RowRange>> rows_by_key(const Plan& plan, const JoinedSources& sources,
                                                 std::span<const RowRange> left) {
  const Step& join = plan.step(sources.join);
  const auto& source = plan.step(sources.left).source;
  if (join.join_kind == JoinKind::not_in || !source) return std::nullopt;
  const KeySearch search(plan, sources);
  for (const JoinKey& key : join.join_keys)
    if (auto right = search.rows_of(key, left)) return right;
  return std::nullopt;
}

}  // namespace penstock::plan
