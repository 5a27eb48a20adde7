// Types, columns and tables: immutable values in Arrow's layout.
//
// A Column holds `row_count` values of one Type. `validity` (one bit per row, least significant
// first, 1 = present) is empty when no value is missing. Booleans are bits; strings are offsets and
// bytes, or int32 codes into a dictionary column. Decimals of up to 18 digits are int64 counts of
// 10^-scale. A column may also live on a device. Strings and numbers may be held encoded.
//
//     Column price = Column::from(std::vector<float>{1.5f, 2.5f});
//     Table table = Table::of({{"price", price}});
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/status.hpp"

namespace penstock {
namespace pages {
class PagedTable;  // codec/pages/paged_table.hpp
}

enum class Kind : unsigned char {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  date32,     // days since 1970-01-01, int32
  timestamp,  // microseconds since 1970-01-01T00:00 without time zone, int64
  decimal,    // up to 18 digits: int64. Up to 38 digits (16 bytes, little endian): of aggregates,
              // casts and what the host computes of them
  string,
  int128,  // 16 bytes, little endian; only as the result of an aggregate (SQL's HUGEINT)
};

// Tells what a value is where its kind does not. Kernels know kinds alone: they compare, sort,
// group and join values of any logical type. Functions name the logical types that they take.
enum class LogicalType : unsigned char {
  none,
  time,          // of timestamp: microseconds since midnight
  timestamp_tz,  // of timestamp: microseconds since 1970-01-01T00:00 UTC
  blob,          // of string: any bytes
  uuid,          // of string: 16 bytes
  interval,      // of string: packed, as lists, structs and maps are (column/nested)
  list,
  structure,
  map,
};

struct NestedType;

struct Type {
  Kind kind = Kind::boolean;
  std::uint8_t precision = 0, scale = 0;  // decimal only
  LogicalType logical = LogicalType::none;
  const NestedType* nested = nullptr;  // list, structure, map: made once, so that equal types are
                                       // equal pointers
  bool operator==(const Type&) const = default;

  static constexpr Type decimal(int precision, int scale) {
    return {Kind::decimal, static_cast<std::uint8_t>(precision), static_cast<std::uint8_t>(scale)};
  }
};
// The types within a list (one), a struct (a field each), or a map (key and value).
struct NestedType {
  std::vector<std::string> names;  // of a struct's fields
  std::vector<Type> types;
};
Type list_of(Type element);
Type struct_of(std::vector<std::string> names, std::vector<Type> types);
Type map_of(Type key, Type value);
bool is_nested(Type type);  // list, structure, map

std::string name_of(Type type);        // SQL's names: "BIGINT", "DECIMAL(15,2)", "VARCHAR"
std::uint32_t width_bytes(Type type);  // of one value in `values`: 1 for boolean (as a kernel sees
                                       // it), 4 for string codes
bool is_text(Type type);               // a string that is text
bool is_date_or_timestamp(Type type);  // without time zone
bool is_integer(Type type);            // int8..uint64 (not int128)
bool is_signed(Type type);
bool is_float(Type type);
bool is_numeric(Type type);  // integers, floats, decimals, int128

// A view of bytes and the owner that keeps them alive.
struct Bytes {
  std::shared_ptr<const void> owner;
  const std::byte* data = nullptr;
  std::uint64_t size = 0;

  static Bytes own(std::vector<std::byte> bytes);
  template <class T, class Allocator> static Bytes own(std::vector<T, Allocator> values) {
    auto kept = std::make_shared<const std::vector<T, Allocator>>(std::move(values));
    return {kept, reinterpret_cast<const std::byte*>(kept->data()), kept->size() * sizeof(T)};
  }
  template <class T> const T* as() const { return reinterpret_cast<const T*>(data); }
  bool empty() const { return data == nullptr; }
};

class EncodedStringColumn;

struct Column {
  Type type;
  std::uint64_t row_count = 0;
  Bytes values;                              // see above; for a dictionary column: int32 codes
  Bytes validity;                            // empty: every value is present
  Bytes offsets;                             // string: row_count + 1 offsets into values
  std::uint32_t offset_bytes = 4;            // 4 or 8
  std::shared_ptr<const Column> dictionary;  // string only
  std::shared_ptr<Buffer> device_values,
      device_validity;  // set when the column lives on a device (values may then be empty)
  std::shared_ptr<const EncodedStringColumn>
      encoded;  // strings, or numbers in a light encoding: there are no values then

  bool is_valid(std::uint64_t row) const {
    return validity.empty() ||
           (static_cast<unsigned>(validity.data[row >> 3]) >> (row & 7) & 1u) != 0;
  }
  bool boolean(std::uint64_t row) const {
    return (static_cast<unsigned>(values.data[row >> 3]) >> (row & 7) & 1u) != 0;
  }
  std::string_view string(
      std::uint64_t row) const;  // type string, a valid row; resolves the dictionary
  // Returns rows [first, first + count). Bit buffers are shared when `first` is a multiple of 8,
  // otherwise copied.
  Column slice(std::uint64_t first, std::uint64_t count) const;

  template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
  static Column from(std::vector<T> values);
  // Missing values are std::nullopt.
  template <class T> static Column from(const std::vector<std::optional<T>>& values);
  static Column from_booleans(const std::vector<bool>& values);
  static Column from_strings(const std::vector<std::string>& values);
  static Column from_strings(const std::vector<std::optional<std::string>>& values);
};

// Returns the Type of a C++ arithmetic type: float is float32, std::int64_t is int64.
template <class T> constexpr Type type_of() {
  if constexpr (std::is_same_v<T, bool>)
    return {Kind::boolean};
  else if constexpr (std::is_same_v<T, float>)
    return {Kind::float32};
  else if constexpr (std::is_same_v<T, double>)
    return {Kind::float64};
  else if constexpr (std::is_signed_v<T>)
    return {sizeof(T) == 1   ? Kind::int8
            : sizeof(T) == 2 ? Kind::int16
            : sizeof(T) == 4 ? Kind::int32
                             : Kind::int64};
  else
    return {sizeof(T) == 1   ? Kind::uint8
            : sizeof(T) == 2 ? Kind::uint16
            : sizeof(T) == 4 ? Kind::uint32
                             : Kind::uint64};
}

template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
Column Column::from(std::vector<T> values) {
  Column column;
  column.type = type_of<T>();
  column.row_count = values.size();
  column.values = Bytes::own(std::move(values));
  return column;
}

template <class T> Column Column::from(const std::vector<std::optional<T>>& values) {
  std::vector<T> plain(values.size());
  std::vector<std::uint8_t> bits((values.size() + 7) / 8);
  for (std::size_t i = 0; i < values.size(); i++) {
    if (!values[i]) continue;
    plain[i] = *values[i];
    bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << (i % 8));
  }
  Column column = from(std::move(plain));
  column.validity = Bytes::own(std::move(bits));
  return column;
}

// Strings that are held encoded (fsst.hpp), so that a reader of few or none decodes no others; or
// numbers in a light encoding, for readers within the library. Immutable.
class EncodedStringColumn {
 public:
  virtual ~EncodedStringColumn() = default;
  // Decode all strings, or the strings of some rows in this order (a row may occur twice), as a
  // column without validity.
  virtual Result<Column> decode() const = 0;
  virtual Result<Column> decode_rows(std::span<const std::uint64_t> rows) const = 0;
  virtual std::shared_ptr<const EncodedStringColumn> slice(std::uint64_t first,
                                                           std::uint64_t count) const = 0;
  // Returns the strings of all `parts`, one part after another. All have one encoding.
  virtual Result<std::shared_ptr<const EncodedStringColumn>> joined(
      std::span<const std::shared_ptr<const EncodedStringColumn>> parts) const = 0;
};
// Returns the column decoded; the column itself if it is not encoded.
Result<Column> decoded(const Column& column);

struct Field {
  std::string name;
  Type type;
  bool nullable = false;
  // The name of a type that is not read, or "". `type` has no meaning then, and a scan of the
  // column is refused.
  std::string unsupported = {};
  bool is_encoded = false;  // scans can yield it encoded, see ScanOptions
  // string: values are stored one by one, so that they are mostly distinct. Comparing each of them
  // with a constant then costs less than giving it a code.
  bool is_plain = false;
  bool operator==(const Field&) const = default;
};
using Schema = std::vector<Field>;
std::optional<std::uint32_t> find_field(const Schema& schema,
                                        std::string_view name);  // exact, else ignoring case

struct Table {
  std::vector<std::string> names;
  std::vector<Column> columns;
  std::uint64_t row_count = 0;

  static Table of(std::vector<std::pair<std::string, Column>> columns);
  Schema schema() const;
};

// Allocates memory that the last owner gives back; null if there is none. Several threads call
// it at once.
using BatchAllocator = std::function<std::shared_ptr<std::byte>(std::uint64_t bytes)>;

// See skipping.hpp.
struct RowCondition;
struct RowSelection;
struct ColumnStatistics;
struct RowRange;
struct ValueBounds;

struct ScanOptions {
  std::uint64_t batch_rows =
      1 << 20;  // batches hold at most this many rows; all but the last a multiple of 64
  std::uint32_t threads = 0;  // for decoding; 0: one a core
  BatchAllocator memory =
      {};  // for decoded values, such as memory that a device copies at full speed; a hint
  std::vector<std::uint32_t> encoded =
      {};  // columns to keep encoded if the source has them so; a hint
  // What select_rows() of the same source returned; null: every row.
  std::shared_ptr<const RowSelection> rows = {};
};

// Yields batches in row order. Columns have the order in which they were asked for.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  virtual Result<std::optional<Table>> next() = 0;  // nullopt at the end
};

// A source of rows: a table in memory, a file.
class TableSource {
 public:
  virtual ~TableSource() = default;
  virtual const Schema& schema() const = 0;
  virtual std::optional<std::uint64_t> row_count() const = 0;
  virtual Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                                    const ScanOptions& options) const = 0;
  virtual bool can_be_scanned_again() const { return true; }
  // The table as encoded pages, for readers within the library that decode them on a device; null
  // if it is not stored so.
  virtual std::shared_ptr<const pages::PagedTable> pages() const { return nullptr; }
  // Returns rows that hold every row for which the condition does, found without reading values;
  // nullopt if the source has no records to find them by.
  virtual Result<std::optional<RowSelection>> select_rows(const RowCondition& needed) const;
  // Returns what the source's records say of a column, as far as they can be exact.
  virtual Result<ColumnStatistics> statistics(std::uint32_t column) const;
  // Returns bounds of a column in some rows, by the source's records; nullopt if these have
  // none.
  virtual Result<std::optional<ValueBounds>> bounds(std::uint32_t column, RowRange rows) const;
  // Reads the columns, and compares all that the source's records say of them with their values.
  virtual Status check_statistics(std::span<const std::uint32_t> columns) const;
  virtual std::string describe() const = 0;  // "lineitem.parquet", for explain
  // Names the rows: two sources of one identity yield the same. "" if nothing tells, and then
  // no session keeps columns of it.
  virtual std::string identity() const { return {}; }
  // Returns how many rows of a column are NULL, if the source can tell without a kernel. It
  // counts them, as a file's records of them may be wrong.
  virtual Result<std::optional<std::uint64_t>> null_count(std::uint32_t column) const;
  // Returns the same rows, once one of them was NULL in a column that is not nullable by the file's
  // records: a source that does not believe these. Null if no scan met such a row.
  virtual std::shared_ptr<TableSource> with_nulls_found() const { return nullptr; }
};
std::shared_ptr<TableSource> table_source(Table table, std::string name = "table");

// Copies a table's fixed-width columns to a device, so that queries over it move nothing. Strings
// are refused.
Result<Table> to_device(const Table& table, Device& device);

}  // namespace penstock
