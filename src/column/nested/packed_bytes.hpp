// Values of lists, structs, maps and intervals as bytes: what a column of such a type has for
// strings.
//
// The order of the bytes is the order of the values, and equal values have equal bytes. So all that
// compares, sorts, groups and joins strings does it for these types, too.
//
//     integer   most significant byte first, the sign bit inverted
//     float     its bits, inverted where it is negative, else only the sign bit; -0.0 is 0.0
//     string    each byte 0 followed by 255; the end is 0 0
//     list, map 1 and a value, or 2 for NULL, for each element; then 0. A map's elements are
//     structs struct    1 and a value, or 2 for NULL, for each field interval  its microseconds
//     with months of 30 days (16 bytes), then months, days, microseconds
//
// NULL within a value comes last, as in DuckDB.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/column.hpp"

namespace penstock::column {

enum class PackedMark : unsigned char { end = 0, value = 1, null = 2 };

inline void put_mark(std::string& to, PackedMark mark) { to += static_cast<char>(mark); }
// The lower `type` bytes of an integer, a date, a time or a decimal.
void put_integer(std::string& to, Type type, __int128 value);
void put_real(std::string& to, Type type, double value);
void put_text(std::string& to, std::string_view text);
void put_interval(std::string& to, std::int32_t months, std::int32_t days,
                  std::int64_t microseconds);

struct PackedInterval {
  std::int32_t months = 0, days = 0;
  std::int64_t microseconds = 0;
};

// Takes packed values from the front of bytes. Bytes that end too early give zeros and ends.
class PackedReader {
 public:
  explicit PackedReader(std::string_view bytes) : bytes_(bytes) {}

  PackedMark mark();
  __int128 integer(Type type);
  double real(Type type);
  std::string text();
  PackedInterval interval();
  // Passes over a value, and returns its bytes.
  std::string_view pass(Type type);

 private:
  std::uint64_t take(unsigned count);

  std::string_view bytes_;
};

// Returns the type of a map's elements: a struct of "key" and "value".
Type entry_of(Type map);
// Returns how a list or map repeats: its element's type.
inline Type element_of(Type type) {
  return type.logical == LogicalType::map ? entry_of(type) : type.nested->types[0];
}
// Whether values are packed within others as bytes of their own: no integer, float or string.
inline bool is_packed(Type type) {
  return is_nested(type) || type.logical == LogicalType::interval;
}

}  // namespace penstock::column
