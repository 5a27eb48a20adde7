// Sets of rows as ranges: ascending, disjoint, none empty.
#pragma once
#include <algorithm>
#include <vector>

#include "penstock/skipping.hpp"

namespace penstock::io {

using RowRanges = std::vector<RowRange>;

// Adds a range that does not begin before the last range. Joins the two if fewer than `gap` rows
// lie between them.
inline void add_range(RowRanges& ranges, RowRange range, std::uint64_t gap = 1) {
  if (range.begin == range.end) return;
  if (!ranges.empty() && range.begin < ranges.back().end + gap)
    ranges.back().end = std::max(ranges.back().end, range.end);
  else
    ranges.push_back(range);
}

inline RowRanges intersection(const RowRanges& a, const RowRanges& b) {
  RowRanges both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const RowRange range{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (range.begin < range.end) both.push_back(range);
    a[i].end < b[j].end ? i++ : j++;
  }
  return both;
}

inline RowRanges union_of(const RowRanges& a, const RowRanges& b) {
  RowRanges all = a, either;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end(),
            [](const RowRange& x, const RowRange& y) { return x.begin < y.begin; });
  for (const RowRange& range : all) add_range(either, range);
  return either;
}

inline std::uint64_t row_count(const RowRanges& ranges) {
  std::uint64_t rows = 0;
  for (const RowRange& range : ranges) rows += range.end - range.begin;
  return rows;
}

// Returns the ranges' rows that lie in `range`, numbered from its begin.
inline RowRanges rows_between(const RowRanges& ranges, RowRange range) {
  RowRanges rows;
  auto at = std::partition_point(ranges.begin(), ranges.end(),
                                 [&](const RowRange& one) { return one.end <= range.begin; });
  for (; at != ranges.end() && at->begin < range.end; at++)
    add_range(rows, {std::max(at->begin, range.begin) - range.begin,
                     std::min(at->end, range.end) - range.begin});
  return rows;
}

// Returns the rows from the counted.begin-th to before the counted.end-th of the ranges' rows.
inline RowRanges rows_counted(const RowRanges& ranges, RowRange counted) {
  RowRanges rows;
  std::uint64_t before = 0;
  for (const RowRange& range : ranges) {
    const std::uint64_t after = before + range.end - range.begin;
    const std::uint64_t begin = std::max(before, counted.begin), end = std::min(after, counted.end);
    if (begin < end) rows.push_back({range.begin + begin - before, range.begin + end - before});
    before = after;
  }
  return rows;
}

// Returns the number of rows of `range` that are among the ranges.
inline std::uint64_t rows_within(const RowRanges& ranges, RowRange range) {
  std::uint64_t rows = 0;
  for (const RowRange& part : ranges) {
    const std::uint64_t begin = std::max(part.begin, range.begin),
                        end = std::min(part.end, range.end);
    if (begin < end) rows += end - begin;
  }
  return rows;
}

}  // namespace penstock::io
