// Which rows of a source a reader needs, so that the source leaves out those that cannot be among
// them.
//
// A RowCondition is a permission, no filter: a source may yield rows for which it does not hold. It
// must yield every row for which it does.
//
//     RowCondition recent{RowTest::greater_equal, {}, day, Column::from<std::int32_t>({8035})};
//     PENSTOCK_ASSIGN(auto rows, source.select_rows(recent));
//     if (rows) options.rows = std::make_shared<const RowSelection>(std::move(*rows));
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "penstock/column.hpp"

namespace penstock {

enum class RowTest : unsigned char {
  all_of,  // of `conditions`; of none it holds
  any_of,
  equal,  // to one of the constants: never, if there are none
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  starts_with,
  is_null,
  is_not_null,
};

// Values are ordered as expressions order them: NaN above all numbers, strings by their bytes.
struct RowCondition {
  RowTest test = RowTest::all_of;
  std::vector<RowCondition> conditions;  // of all_of and any_of
  std::uint32_t column = 0;              // of the source
  Column constants;                      // of the column's type, none of them NULL
  // Whether rows with NULL are needed, though a comparison with NULL does not hold.
  bool keeps_nulls = false;
};

struct RowRange {
  std::uint64_t begin = 0, end = 0;
  bool operator==(const RowRange&) const = default;
};

// The size of a source, and how much of it was left out by which of its records.
struct SkipCounts {
  std::uint64_t row_groups = 0, rows = 0;
  std::uint64_t files = 0, files_skipped = 0;  // of a table of several; by their paths
  // Row groups by the first of these that showed them to be needless.
  std::uint64_t groups_by_path = 0, groups_by_statistics = 0, groups_by_page_index = 0,
                groups_by_bloom_filter = 0;
  // Pages of the condition's columns, in row groups of which other rows are read.
  std::uint64_t pages_skipped = 0;
  std::uint64_t rows_skipped = 0;

  std::uint64_t groups_skipped() const {
    return groups_by_path + groups_by_statistics + groups_by_page_index + groups_by_bloom_filter;
  }
  SkipCounts& operator+=(const SkipCounts& other);
};

// "1 of 4 files, 3 of 10 row groups (1 by paths, 2 by statistics), 4 pages: 30000 of 100000 rows";
// "1 of 4 files" if nothing else is counted.
std::string text_of(const SkipCounts& counts);

// Rows of one source, by their numbers.
struct RowSelection {
  std::vector<RowRange> ranges;  // ascending, disjoint, none empty
  SkipCounts counts;
  // Not null: all rows of this source are selected. It lacks files of the table. The number of rows
  // need not be known, and there are no ranges.
  std::shared_ptr<TableSource> source = {};
  std::uint64_t row_count() const { return counts.rows - counts.rows_skipped; }
};

// Statistics of all values of a column, as the source's own records have them. A missing one has no
// value.
struct ColumnStatistics {
  // The smallest and the largest value, one row each, of the column's type.
  std::optional<Column> minimum, maximum;
  bool has_no_values = false;  // every row is NULL, as the source has counted, or there is none
};

// Values, one row each, of a column's type: none of the column's is below the first, and none above
// the second. Either may be missing. They say nothing of NULLs.
struct ValueBounds {
  Column lowest, highest;
};

}  // namespace penstock
