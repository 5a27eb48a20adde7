#include "io/parquet/parquet_statistics.hpp"

#include <parquet/statistics.h>

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
  std::int64_t limit = 1;
  for (int digit = 0; digit < type.precision; digit++) limit *= 10;
  return type.kind != Kind::decimal || (value < limit && value > -limit);
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

// The extremes of all row groups, as far as they were looked at.
struct AllExtremes {
  void add(ExactExtremes group) {
    if (!minimum || group.lowest < *minimum) minimum = std::move(group.lowest);
    if (!maximum || *maximum < group.highest) maximum = std::move(group.highest);
  }

  std::optional<OrderedValue> minimum, maximum;
};

}  // namespace

std::optional<ExactExtremes> exact_extremes(const parquet::RowGroupMetaData& group,
                                            const ParquetColumn& column) {
  const auto statistics = group.ColumnChunk(column.leaf)->encoded_statistics();
  if (!statistics || !statistics->has_min || !statistics->has_max ||
      !claims_exact_extremes(*statistics))
    return std::nullopt;
  const parquet::ColumnDescriptor& leaf = *group.schema()->Column(column.leaf);
  auto low = exact_value(column, leaf, statistics->min());
  auto high = exact_value(column, leaf, statistics->max());
  if (!low || !high) return std::nullopt;
  return ExactExtremes{std::move(*low), std::move(*high)};
}

Result<ColumnStatistics> parquet_statistics(const ParquetFile& file, std::uint32_t index) {
  const ParquetColumn& column = file.columns()[index];
  std::optional<std::uint64_t> null_count = 0;
  bool are_known = true;
  AllExtremes extremes;
  for (int group = 0; group < file.row_group_count(); group++) {
    const Bounds bounds = bounds_of_chunk(file, group, column);
    null_count = null_count && bounds.null_count ? std::optional(*null_count + *bounds.null_count)
                                                 : std::nullopt;
    if (bounds.row_count == 0 || !bounds.may_have_values()) continue;
    auto of_group = exact_extremes(*file.row_group_metadata(group), column);
    are_known = are_known && of_group;
    if (are_known) extremes.add(std::move(*of_group));
  }
  ColumnStatistics statistics{null_count, {}, {}};
  const Type type = column.field.type;
  if (are_known && extremes.minimum)
    statistics.minimum = column_of_ordered(type, *extremes.minimum);
  if (are_known && extremes.maximum)
    statistics.maximum = column_of_ordered(type, *extremes.maximum);
  return statistics;
}

std::optional<ValueBounds> parquet_value_bounds(const ParquetFile& file, const KnownBounds& known,
                                                std::uint32_t column, RowRange rows) {
  const auto& firsts = file.first_rows();
  const OrderedValue *lowest = nullptr, *highest = nullptr;
  for (int group = 0; group < file.row_group_count(); group++) {
    const auto at = static_cast<std::size_t>(group);
    if (firsts[at + 1] <= rows.begin || firsts[at] >= rows.end) continue;
    const Bounds& bounds = known.of_chunk(group, column);
    if (bounds.row_count == 0 || !bounds.may_have_values()) continue;
    if (!bounds.lowest || !bounds.highest) return std::nullopt;
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
