#include "io/parquet/parquet_statistics.hpp"

#include <parquet/statistics.h>

#include <atomic>

#include "base/parallel.hpp"
#include "io/parquet/chunk_claims.hpp"

namespace penstock::io {
namespace {

// The flag is there in newer versions of Arrow.
template <class Statistics> bool claims_exact_extremes(const Statistics& statistics) {
  if constexpr (requires { statistics.is_min_value_exact; })
    return statistics.is_min_value_exact.value_or(true) &&
           statistics.is_max_value_exact.value_or(true);
  else
    return true;
}

// Returns whether a decimal has no more digits than its column.
bool fits_precision(Type type, std::int64_t value) {
  if (type.kind != Kind::decimal || type.precision > 18) return true;
  std::int64_t limit = 1;
  for (int digit = 0; digit < type.precision; digit++) limit *= 10;
  return value < limit && value > -limit;
}

// Returns the value that statistics' bytes stand for, if it is one that the column can hold.
std::optional<OrderedValue> exact_value(const ParquetColumn& column,
                                        const parquet::ColumnDescriptor& leaf,
                                        const std::string& encoded) {
  auto value = lowest_of(column, leaf, encoded);
  if (!value || value != highest_of(column, leaf, encoded)) return std::nullopt;
  const auto* const integer = std::get_if<std::int64_t>(&*value);
  return integer && fits_precision(column.field.type, *integer) ? value : std::nullopt;
}

// Returns whether all rows of a chunk are NULL. They are counted where the footer says so.
bool has_no_values(const KnownBounds& known, int row_group, std::uint32_t column) {
  const Bounds& bounds = known.of_chunk(row_group, column);
  return !bounds.may_have_values() && known.nulls_in_chunk(row_group, column) == bounds.row_count;
}

// The extremes of all row groups, as far as they were looked at.
struct AllExtremes {
  void add(ExactExtremes group) {
    if (!minimum || group.lowest < *minimum) minimum = std::move(group.lowest);
    if (!maximum || *maximum < group.highest) maximum = std::move(group.highest);
  }

  std::optional<OrderedValue> minimum, maximum;
};

}  // namespace

std::optional<ExactExtremes> exact_extremes(const ParquetFile& file, int row_group,
                                            const ParquetColumn& column) {
  if (column.leaf < 0) return std::nullopt;
  const auto metadata = file.row_group_metadata(row_group);
  const parquet::RowGroupMetaData& group = *metadata;
  const auto chunk = group.ColumnChunk(column.leaf);
  if (!check_chunk(file, group, *chunk, column.leaf).ok()) return std::nullopt;
  const auto statistics = chunk->encoded_statistics();
  if (!statistics || !statistics->has_min || !statistics->has_max ||
      !claims_exact_extremes(*statistics))
    return std::nullopt;
  const parquet::ColumnDescriptor& leaf = *group.schema()->Column(column.leaf);
  auto low = exact_value(column, leaf, statistics->min());
  auto high = exact_value(column, leaf, statistics->max());
  if (!low || !high) return std::nullopt;
  return ExactExtremes{std::move(*low), std::move(*high)};
}

Result<ColumnStatistics> parquet_statistics(const ParquetFile& file, const KnownBounds& known,
                                            std::uint32_t index) {
  const ParquetColumn& column = file.columns()[index];
  AllExtremes extremes;
  ColumnStatistics statistics;
  statistics.has_no_values = true;
  for (int group = 0; group < file.row_group_count(); group++) {
    if (known.of_chunk(group, index).row_count == 0) continue;
    auto of_group = exact_extremes(file, group, column);
    if (!of_group && !has_no_values(known, group, index)) return ColumnStatistics();
    statistics.has_no_values = statistics.has_no_values && !of_group;
    if (of_group) extremes.add(std::move(*of_group));
  }
  const Type type = column.field.type;
  if (extremes.minimum) statistics.minimum = column_of_ordered(type, *extremes.minimum);
  if (extremes.maximum) statistics.maximum = column_of_ordered(type, *extremes.maximum);
  return statistics;
}

std::optional<std::uint64_t> parquet_null_count(const ParquetFile& file, const KnownBounds& known,
                                                std::uint32_t column) {
  constexpr std::uint64_t min_groups_per_thread = 1;
  std::atomic<std::uint64_t> nulls = 0;
  std::atomic<bool> is_known = true;
  const auto groups = static_cast<std::uint64_t>(file.row_group_count());
  in_parallel(groups, min_groups_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t group = first; group < last && is_known; group++) {
      const auto of_group = known.nulls_in_chunk(static_cast<int>(group), column);
      if (of_group)
        nulls += *of_group;
      else
        is_known = false;
    }
  });
  return is_known ? std::optional(nulls.load()) : std::nullopt;
}

std::optional<ValueBounds> parquet_value_bounds(const ParquetFile& file, const KnownBounds& known,
                                                std::uint32_t column, RowRange rows) {
  const auto& firsts = file.first_rows();
  const OrderedValue *lowest = nullptr, *highest = nullptr;
  for (int group = 0; group < file.row_group_count(); group++) {
    const auto at = static_cast<std::size_t>(group);
    if (firsts[at + 1] <= rows.begin || firsts[at] >= rows.end) continue;
    const Bounds& bounds = known.of_chunk(group, column);
    if (bounds.row_count == 0) continue;
    if (!bounds.lowest || !bounds.highest) {
      if (has_no_values(known, group, column)) continue;
      return std::nullopt;
    }
    if (!lowest || *bounds.lowest < *lowest) lowest = &*bounds.lowest;
    if (!highest || *highest < *bounds.highest) highest = &*bounds.highest;
  }
  if (!lowest) return std::nullopt;
  const Type type = file.columns()[column].field.type;
  auto low = column_of_ordered(type, *lowest), high = column_of_ordered(type, *highest);
  if (!low || !high) return std::nullopt;
  return ValueBounds{std::move(*low), std::move(*high)};
}

}  // namespace penstock::io
