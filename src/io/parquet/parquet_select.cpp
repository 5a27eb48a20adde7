#include "io/parquet/parquet_select.hpp"

#include <set>

#include "base/parallel.hpp"
#include "io/common/arrow_errors.hpp"

namespace penstock::io {
namespace {

// Fewer needless rows between needed ones are read with them: the next page costs about as much.
constexpr std::uint64_t min_gap_rows = 512;

bool is_group(const RowCondition& condition) {
  return condition.test == RowTest::all_of || condition.test == RowTest::any_of;
}

void collect_columns(const RowCondition& condition, std::set<std::uint32_t>& columns) {
  if (!is_group(condition)) columns.insert(condition.column);
  for (const RowCondition& part : condition.conditions) collect_columns(part, columns);
}

// Rows of a row group that are needed by the page index alone, and by bloom filters too.
struct NeededRows {
  RowRanges by_page_index, by_bloom_filters;
};

// Looks at one row group. Rows are numbered from its first.
class GroupSelector {
 public:
  GroupSelector(const ParquetFile& file, const KnownBounds& known, int row_group)
      : file_(file),
        known_(known),
        row_group_(row_group),
        row_count_(file.first_rows()[static_cast<std::size_t>(row_group) + 1] -
                   file.first_rows()[static_cast<std::size_t>(row_group)]) {}

  bool may_hold_by_statistics(const RowCondition& condition) const {
    const auto may = [&](const RowCondition& part) { return may_hold_by_statistics(part); };
    const auto& parts = condition.conditions;
    if (condition.test == RowTest::all_of) return std::all_of(parts.begin(), parts.end(), may);
    if (condition.test == RowTest::any_of) return std::any_of(parts.begin(), parts.end(), may);
    return may_hold_in_chunk(condition);
  }

  NeededRows needed(const RowCondition& condition) const {
    if (!is_group(condition)) return needed_by_comparison(condition);
    const bool is_all = condition.test == RowTest::all_of;
    NeededRows rows = is_all ? every_row() : NeededRows{};
    for (const RowCondition& part : condition.conditions) {
      const NeededRows of_part = needed(part);
      const auto combine = is_all ? intersection : union_of;
      rows.by_page_index = combine(rows.by_page_index, of_part.by_page_index);
      rows.by_bloom_filters = combine(rows.by_bloom_filters, of_part.by_bloom_filters);
    }
    return rows;
  }

  // Returns how many pages of a column hold none of the rows.
  std::uint64_t pages_outside(const RowRanges& rows, std::uint32_t column) const {
    const auto& known = known_.of_pages(row_group_, column);
    const auto starts = known ? std::optional(known->starts)
                              : page_starts(file_, row_group_, file_.columns()[column].leaf);
    std::uint64_t pages = 0;
    for (std::size_t i = 0; starts && i + 1 < starts->size(); i++)
      pages += rows_within(rows, {(*starts)[i], (*starts)[i + 1]}) == 0;
    return pages;
  }

 private:
  bool is_optional(const RowCondition& condition) const {
    return file_.columns()[condition.column].is_optional;
  }

  // A count of NULLs that would leave out the row group is checked first.
  bool may_hold_in_chunk(const RowCondition& condition) const {
    const Bounds& bounds = known_.of_chunk(row_group_, condition.column);
    if (may_hold(condition, bounds)) return true;
    if (!is_optional(condition) || !rests_on_null_count(condition, bounds)) return false;
    Bounds counted = bounds;
    counted.null_count = known_.nulls_in_chunk(row_group_, condition.column);
    return may_hold(condition, counted);
  }

  // No page is left out by its count of NULLs, which would have to be checked for each.
  bool may_hold_in_page(const RowCondition& condition, const Bounds& page) const {
    return may_hold(condition, page) ||
           (is_optional(condition) && rests_on_null_count(condition, page));
  }

  NeededRows every_row() const {
    RowRanges rows;
    add_range(rows, {0, row_count_});
    return {rows, rows};
  }

  NeededRows needed_by_comparison(const RowCondition& condition) const {
    if (!may_hold_in_chunk(condition)) return {};
    const Bounds& bounds = known_.of_chunk(row_group_, condition.column);
    NeededRows rows = every_row();
    if (holds_for_all(condition, bounds)) return rows;
    rows.by_page_index = rows.by_bloom_filters = rows_of_pages(condition, rows);
    const bool asks_filter =
        condition.test == RowTest::equal && !(condition.keeps_nulls && bounds.may_have_nulls());
    if (asks_filter && !any_in_bloom_filter(condition.column, condition.constants))
      rows.by_bloom_filters.clear();
    return rows;
  }

  RowRanges rows_of_pages(const RowCondition& condition, const NeededRows& all) const {
    const auto& pages = known_.of_pages(row_group_, condition.column);
    if (!pages) return all.by_page_index;
    RowRanges rows;
    for (std::size_t i = 0; i < pages->bounds.size(); i++)
      if (may_hold_in_page(condition, pages->bounds[i]))
        add_range(rows, {pages->starts[i], pages->starts[i + 1]});
    return rows;
  }

  bool any_in_bloom_filter(std::uint32_t column, const Column& constants) const {
    const auto filter = known_.filter_of(row_group_, column);
    for (std::uint64_t i = 0; filter && i < constants.row_count; i++)
      if (filter->may_hold(constants, i)) return true;
    return !filter;
  }

  const ParquetFile& file_;
  const KnownBounds& known_;
  const int row_group_;
  const std::uint64_t row_count_;
};

struct GroupSelection {
  RowRanges rows;  // of the row group
  SkipCounts counts;
};

GroupSelection select_in_group(const ParquetFile& file, const KnownBounds& known, int row_group,
                               const RowCondition& condition,
                               const std::set<std::uint32_t>& columns) {
  GroupSelection selection;
  SkipCounts& counts = selection.counts;
  const auto& firsts = file.first_rows();
  counts.row_groups = 1;
  counts.rows =
      firsts[static_cast<std::size_t>(row_group) + 1] - firsts[static_cast<std::size_t>(row_group)];
  counts.rows_skipped = counts.rows;
  if (counts.rows == 0) return selection;
  const GroupSelector selector(file, known, row_group);
  if (!selector.may_hold_by_statistics(condition)) {
    counts.groups_by_statistics = 1;
    return selection;
  }
  const NeededRows needed = selector.needed(condition);
  for (const RowRange& range : needed.by_bloom_filters)
    add_range(selection.rows, range, min_gap_rows);
  counts.rows_skipped -= row_count(selection.rows);
  if (needed.by_page_index.empty())
    counts.groups_by_page_index = 1;
  else if (selection.rows.empty())
    counts.groups_by_bloom_filter = 1;
  else if (counts.rows_skipped > 0)
    for (const std::uint32_t column : columns)
      counts.pages_skipped += selector.pages_outside(selection.rows, column);
  return selection;
}

}  // namespace

Result<RowSelection> select_parquet_rows(const ParquetFile& file, const KnownBounds& known,
                                         const RowCondition& condition) {
  // Threads pay for themselves from some hundred microseconds on.
  constexpr std::uint64_t min_groups_per_thread = 64;
  return catch_arrow_exceptions([&]() -> Result<RowSelection> {
    std::set<std::uint32_t> columns;
    collect_columns(condition, columns);
    std::vector<GroupSelection> groups(static_cast<std::size_t>(file.row_group_count()));
    in_parallel(groups.size(), min_groups_per_thread, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t group = first; group < last; group++)
        groups[group] = select_in_group(file, known, static_cast<int>(group), condition, columns);
    });
    RowSelection selection;
    for (std::uint64_t group = 0; group < groups.size(); group++) {
      const std::uint64_t begin = file.first_rows()[group];
      for (const RowRange& range : groups[group].rows)
        add_range(selection.ranges, {begin + range.begin, begin + range.end});
      selection.counts += groups[group].counts;
    }
    return selection;
  });
}

}  // namespace penstock::io
