// What Parquet's statistics say of the values of some rows of a column, and whether a condition can
// hold for one of these rows.
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

// Returns the value of a row that is not NULL; nullopt for NaN, and where the column has no values
// on the host.
std::optional<OrderedValue> ordered_value(const Column& column, std::uint64_t row);
// Returns a column of one row; nullopt of floats and strings, and of a value that does not fit the
// type.
std::optional<Column> column_of_ordered(Type type, const OrderedValue& value);

struct Bounds {
  std::uint64_t row_count = 0;
  std::optional<std::uint64_t> null_count;
  // No value is smaller, and none larger; NaN may be among the values of any column of floats.
  std::optional<OrderedValue> lowest, highest;

  bool may_have_nulls() const { return !null_count || *null_count > 0; }
  bool may_have_values() const { return !null_count || *null_count < row_count; }
};

// Decodes statistics' bytes: plain values of the physical type. Those of a value that the column
// cannot hold are nullopt.
std::optional<OrderedValue> lowest_of(const ParquetColumn& column,
                                      const parquet::ColumnDescriptor& leaf,
                                      const std::string& encoded);
std::optional<OrderedValue> highest_of(const ParquetColumn& column,
                                       const parquet::ColumnDescriptor& leaf,
                                       const std::string& encoded);
// Returns what the footer says of a column chunk. Believes no statistics that Arrow does not: those
// of writers with known faults, and those without a known order; and none of a chunk that
// check_chunk() refuses.
Bounds bounds_of_chunk(const ParquetFile& file, int row_group, const ParquetColumn& column);

// Returns whether a comparison, or a test for NULL, can hold for one of the rows.
bool may_hold(const RowCondition& condition, const Bounds& bounds);
// Returns whether it is only the count of NULLs by which may_hold() is false, and not for want of
// rows. A comparison that keeps NULLs is not among these: its rows are read for their faults alone.
bool rests_on_null_count(const RowCondition& condition, const Bounds& bounds);
// Returns whether a comparison with one constant is known to hold for every row that is not NULL.
bool holds_for_all(const RowCondition& condition, const Bounds& bounds);

}  // namespace penstock::io
