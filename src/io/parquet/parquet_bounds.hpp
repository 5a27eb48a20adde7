// Bounds of the values in some rows of a column, from Parquet's statistics. They tell whether a
// condition can hold for one of these rows.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "io/parquet/parquet_file.hpp"
#include "penstock/skipping.hpp"

namespace penstock::io {

// A value in a form that < orders as SQL does: integers, dates, timestamps, decimals and booleans
// as int64 (BIGINT's unsigned kin with the first bit turned over), floats but NaN, strings by their
// bytes.
using OrderedValue = std::variant<std::int64_t, double, std::string>;

// Returns the value of a row that is not NULL; nullopt for NaN, and if the column has no values on
// the host.
std::optional<OrderedValue> ordered_value(const Column& column, std::uint64_t row);
// Returns a column of one row; nullopt for floats and strings, and for a value that does not fit
// the type.
std::optional<Column> column_of_ordered(Type type, const OrderedValue& value);

struct Bounds {
  std::uint64_t row_count = 0;
  std::optional<std::uint64_t> null_count;
  // No value is smaller, and none larger; NaN may be among the values of any column of floats.
  std::optional<OrderedValue> lowest, highest;

  bool may_have_nulls() const { return !null_count || *null_count > 0; }
  bool may_have_values() const { return !null_count || *null_count < row_count; }
};

// Decodes statistics' bytes: plain values of the physical type. Returns nullopt for a value that
// the column cannot hold.
std::optional<OrderedValue> lowest_of(const ParquetColumn& column,
                                      const parquet::ColumnDescriptor& leaf,
                                      const std::string& encoded);
std::optional<OrderedValue> highest_of(const ParquetColumn& column,
                                       const parquet::ColumnDescriptor& leaf,
                                       const std::string& encoded);
// Returns the footer's bounds of a column chunk. Like Arrow, does not believe statistics of writers
// with known faults, nor statistics without a known order. Believes none of a chunk that
// check_chunk() refuses.
Bounds bounds_of_chunk(const ParquetFile& file, int row_group, const ParquetColumn& column);

// Returns whether a comparison, or a test for NULL, can hold for one of the rows.
bool may_hold(const RowCondition& condition, const Bounds& bounds);
// Returns whether may_hold() is false by the count of NULLs alone, and not for want of rows. False
// for a comparison that keeps NULLs: its rows are read for their faults alone.
bool rests_on_null_count(const RowCondition& condition, const Bounds& bounds);
// Returns whether a comparison with one constant is known to hold for every row that is not NULL.
bool holds_for_all(const RowCondition& condition, const Bounds& bounds);

}  // namespace penstock::io
