#include "io/parquet/parquet_bounds.hpp"

#include <parquet/statistics.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/parquet/chunk_claims.hpp"
#include "io/parquet/parquet_values.hpp"

namespace penstock::io {
namespace {

enum class Rounding : bool { down, up };

constexpr std::uint64_t first_bit = std::uint64_t{1} << 63;

// Maps UBIGINT to int64 in its order.
std::int64_t ordered_unsigned(std::uint64_t value) {
  return static_cast<std::int64_t>(value ^ first_bit);
}

template <class T> std::optional<T> plain_value(const std::string& encoded) {
  T value;
  if (encoded.size() != sizeof(T)) return std::nullopt;
  std::memcpy(&value, encoded.data(), sizeof(T));
  return value;
}

std::optional<OrderedValue> ordered_real(std::optional<double> value) {
  if (!value || std::isnan(*value)) return std::nullopt;
  return OrderedValue(*value);
}

std::optional<OrderedValue> ordered_integer(std::optional<std::int64_t> value) {
  return value ? std::optional(OrderedValue(*value)) : std::nullopt;
}

// Values without a conversion, and narrow ones: their bytes tell apart only with the type.
std::optional<OrderedValue> of_type(Type type, const std::string& encoded) {
  switch (type.kind) {
    case Kind::float32: return ordered_real(plain_value<float>(encoded));
    case Kind::float64: return ordered_real(plain_value<double>(encoded));
    case Kind::uint8:
    case Kind::uint16:
    case Kind::uint32: return ordered_integer(plain_value<std::uint32_t>(encoded));
    case Kind::uint64: {
      const auto value = plain_value<std::uint64_t>(encoded);
      return value ? ordered_integer(ordered_unsigned(*value)) : std::nullopt;
    }
    case Kind::boolean: {
      const auto value = plain_value<std::uint8_t>(encoded);
      return value && *value <= 1 ? ordered_integer(*value) : std::nullopt;
    }
    case Kind::int8:
    case Kind::int16:
    case Kind::int32:
    case Kind::date32: return ordered_integer(plain_value<std::int32_t>(encoded));
    case Kind::int64:
    case Kind::timestamp:
    case Kind::decimal: return ordered_integer(plain_value<std::int64_t>(encoded));
    case Kind::string:
    case Kind::int128: break;
  }
  return std::nullopt;
}

std::optional<OrderedValue> of_milliseconds(const std::string& encoded) {
  const auto value = plain_value<std::int64_t>(encoded);
  std::int64_t microseconds = 0;
  if (!value || __builtin_mul_overflow(*value, std::int64_t{1000}, &microseconds))
    return std::nullopt;
  return OrderedValue(microseconds);
}

std::optional<OrderedValue> of_nanoseconds(const std::string& encoded, Rounding rounding) {
  const auto value = plain_value<std::int64_t>(encoded);
  if (!value) return std::nullopt;
  const std::int64_t rest = *value % 1000;
  const std::int64_t step = rest < 0 && rounding == Rounding::down ? -1
                            : rest > 0 && rounding == Rounding::up ? 1
                                                                   : 0;
  return OrderedValue(*value / 1000 + step);
}

std::optional<OrderedValue> big_endian(const std::string& encoded) {
  std::int64_t value = 0;
  if (!from_big_endian(reinterpret_cast<const std::uint8_t*>(encoded.data()),
                       static_cast<std::uint32_t>(encoded.size()), value))
    return std::nullopt;
  return OrderedValue(value);
}

std::optional<OrderedValue> bound_of(const ParquetColumn& column,
                                     const parquet::ColumnDescriptor& leaf,
                                     const std::string& encoded, Rounding rounding) {
  if (leaf.sort_order() == parquet::SortOrder::UNKNOWN) return std::nullopt;
  switch (column.conversion) {
    case Conversion::none:
    case Conversion::boolean:
    case Conversion::narrow: return of_type(column.field.type, encoded);
    case Conversion::widen: return ordered_integer(plain_value<std::int32_t>(encoded));
    case Conversion::milliseconds: return of_milliseconds(encoded);
    case Conversion::nanoseconds: return of_nanoseconds(encoded, rounding);
    case Conversion::time_milliseconds: {
      const auto value = plain_value<std::int32_t>(encoded);
      return value ? ordered_integer(std::int64_t{*value} * 1000) : std::nullopt;
    }
    case Conversion::fixed_bytes:
    case Conversion::months_days:
    case Conversion::nested:
    case Conversion::int96: return std::nullopt;
    case Conversion::big_endian_fixed:
      if (encoded.size() != static_cast<std::size_t>(std::max(leaf.type_length(), 0)))
        return std::nullopt;
      return big_endian(encoded);
    case Conversion::big_endian: return big_endian(encoded);
    case Conversion::string: return OrderedValue(encoded);
  }
  return std::nullopt;
}

template <class T> std::int64_t stored(const Column& column, std::uint64_t row) {
  return static_cast<std::int64_t>(column.values.as<T>()[row]);
}

// Decimals of more digits than 64 bits hold have no such value.
std::optional<OrderedValue> of_integers(const Column& column, std::uint64_t row) {
  if (width_bytes(column.type) == 8) return OrderedValue(stored<std::int64_t>(column, row));
  const __int128 value = column.values.as<__int128>()[row];
  const auto narrow = static_cast<std::int64_t>(value);
  return narrow == value ? std::optional(OrderedValue(narrow)) : std::nullopt;
}

bool may_equal(const RowCondition& condition, const Bounds& bounds) {
  for (std::uint64_t i = 0; i < condition.constants.row_count; i++) {
    const auto value = ordered_value(condition.constants, i);
    if (!value) return true;
    if (bounds.lowest && *value < *bounds.lowest) continue;
    if (bounds.highest && *bounds.highest < *value) continue;
    return true;
  }
  return false;
}

bool may_start_with(const std::string& prefix, const Bounds& bounds) {
  if (bounds.highest && std::get<std::string>(*bounds.highest) < prefix) return false;
  return !bounds.lowest || std::get<std::string>(*bounds.lowest).substr(0, prefix.size()) <= prefix;
}

bool may_compare(const RowCondition& condition, const Bounds& bounds) {
  const auto value = ordered_value(condition.constants, 0);
  if (!value) return true;
  // A NaN is greater than the highest number.
  const bool is_real = std::holds_alternative<double>(*value);
  const auto &low = bounds.lowest, &high = bounds.highest;
  switch (condition.test) {
    case RowTest::less: return !low || *low < *value;
    case RowTest::less_equal: return !low || *low <= *value;
    case RowTest::greater: return !high || is_real || *value < *high;
    case RowTest::greater_equal: return !high || is_real || *value <= *high;
    case RowTest::not_equal: return is_real || !low || !high || *low != *value || *high != *value;
    case RowTest::starts_with: return may_start_with(std::get<std::string>(*value), bounds);
    case RowTest::equal:
    case RowTest::all_of:
    case RowTest::any_of:
    case RowTest::is_null:
    case RowTest::is_not_null: break;
  }
  return true;
}

}  // namespace

std::optional<OrderedValue> ordered_value(const Column& column, std::uint64_t row) {
  switch (column.type.kind) {
    case Kind::boolean: return OrderedValue(std::int64_t{column.boolean(row)});
    case Kind::int8: return OrderedValue(stored<std::int8_t>(column, row));
    case Kind::int16: return OrderedValue(stored<std::int16_t>(column, row));
    case Kind::int32:
    case Kind::date32: return OrderedValue(stored<std::int32_t>(column, row));
    case Kind::uint8: return OrderedValue(stored<std::uint8_t>(column, row));
    case Kind::uint16: return OrderedValue(stored<std::uint16_t>(column, row));
    case Kind::uint32: return OrderedValue(stored<std::uint32_t>(column, row));
    case Kind::uint64:
      return OrderedValue(ordered_unsigned(column.values.as<std::uint64_t>()[row]));
    case Kind::int64:
    case Kind::timestamp:
    case Kind::decimal: return of_integers(column, row);
    case Kind::float32: return ordered_real(column.values.as<float>()[row]);
    case Kind::float64: return ordered_real(column.values.as<double>()[row]);
    case Kind::string: return OrderedValue(std::string(column.string(row)));
    case Kind::int128: break;
  }
  return std::nullopt;
}

std::optional<Column> column_of_ordered(Type type, const OrderedValue& value) {
  const auto* const integer = std::get_if<std::int64_t>(&value);
  const auto narrowed = [&]<class T>(T) -> std::optional<Column> {
    const auto cast = static_cast<T>(*integer);
    if (static_cast<std::int64_t>(cast) != *integer) return std::nullopt;
    Column column = Column::from(std::vector<T>{cast});
    column.type = type;
    return column;
  };
  if (!integer) return std::nullopt;
  switch (type.kind) {
    case Kind::int8: return narrowed(std::int8_t{});
    case Kind::int16: return narrowed(std::int16_t{});
    case Kind::int32:
    case Kind::date32: return narrowed(std::int32_t{});
    case Kind::uint8: return narrowed(std::uint8_t{});
    case Kind::uint16: return narrowed(std::uint16_t{});
    case Kind::uint32: return narrowed(std::uint32_t{});
    case Kind::uint64:
      return Column::from(std::vector{static_cast<std::uint64_t>(*integer) ^ first_bit});
    case Kind::int64:
    case Kind::timestamp: return narrowed(std::int64_t{});
    case Kind::decimal:
      return width_bytes(type) == 8 ? narrowed(std::int64_t{}) : narrowed(__int128{});
    case Kind::boolean: return Column::from_booleans({*integer != 0});
    case Kind::float32:
    case Kind::float64:
    case Kind::string:
    case Kind::int128: break;
  }
  return std::nullopt;
}

std::optional<OrderedValue> lowest_of(const ParquetColumn& column,
                                      const parquet::ColumnDescriptor& leaf,
                                      const std::string& encoded) {
  return bound_of(column, leaf, encoded, Rounding::down);
}

std::optional<OrderedValue> highest_of(const ParquetColumn& column,
                                       const parquet::ColumnDescriptor& leaf,
                                       const std::string& encoded) {
  return bound_of(column, leaf, encoded, Rounding::up);
}

Bounds bounds_of_chunk(const ParquetFile& file, int row_group, const ParquetColumn& column) {
  Bounds bounds;
  const auto group = file.row_group_metadata(row_group);
  bounds.row_count = static_cast<std::uint64_t>(group->num_rows());
  if (column.leaf < 0) return bounds;
  if (!column.is_optional) bounds.null_count = 0;
  const auto chunk = group->ColumnChunk(column.leaf);
  if (!check_chunk(file, *group, *chunk, column.leaf).ok()) return bounds;
  const auto statistics = chunk->encoded_statistics();
  if (!statistics) return bounds;
  if (column.is_optional && statistics->has_null_count && statistics->null_count >= 0 &&
      statistics->null_count <= group->num_rows())
    bounds.null_count = static_cast<std::uint64_t>(statistics->null_count);
  const parquet::ColumnDescriptor& leaf = *group->schema()->Column(column.leaf);
  if (statistics->has_min) bounds.lowest = lowest_of(column, leaf, statistics->min());
  if (statistics->has_max) bounds.highest = highest_of(column, leaf, statistics->max());
  return bounds;
}

bool may_hold(const RowCondition& condition, const Bounds& bounds) {
  if (bounds.row_count == 0) return false;
  if (condition.test == RowTest::is_null) return bounds.may_have_nulls();
  if (condition.test == RowTest::is_not_null) return bounds.may_have_values();
  if (condition.keeps_nulls && bounds.may_have_nulls()) return true;
  if (!bounds.may_have_values()) return false;
  return condition.test == RowTest::equal ? may_equal(condition, bounds)
                                          : may_compare(condition, bounds);
}

bool rests_on_null_count(const RowCondition& condition, const Bounds& bounds) {
  if (bounds.row_count == 0 || !bounds.null_count) return false;
  return condition.test == RowTest::is_null ? !bounds.may_have_nulls() : !bounds.may_have_values();
}

bool holds_for_all(const RowCondition& condition, const Bounds& bounds) {
  if (condition.constants.row_count != 1 || !bounds.lowest || !bounds.highest) return false;
  const auto value = ordered_value(condition.constants, 0);
  if (!value) return false;
  // A NaN is not less than a number.
  const bool is_real = std::holds_alternative<double>(*value);
  if (condition.test == RowTest::less) return !is_real && *bounds.highest < *value;
  if (condition.test == RowTest::less_equal) return !is_real && *bounds.highest <= *value;
  if (condition.test == RowTest::greater) return *bounds.lowest > *value;
  if (condition.test == RowTest::greater_equal) return *bounds.lowest >= *value;
  return false;
}

}  // namespace penstock::io
