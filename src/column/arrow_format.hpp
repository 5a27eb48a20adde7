// Arrow's format strings
// (https://arrow.apache.org/docs/format/CDataInterface.html#data-type-description-format-strings)
// and the types they become.
#pragma once
#include "penstock/arrow_c.hpp"

namespace penstock::column {

// The memory layout of an Arrow array's values.
enum class ArrowLayout : unsigned char {
  bits,
  same,  // as ours
  seconds,
  milliseconds,
  nanoseconds,
  decimal32,
  decimal128,
  time_seconds,       // 32 bits
  time_milliseconds,  // 32 bits
  time_nanoseconds,
  month_day_nanoseconds,
  string,        // 32-bit offsets
  large_string,  // 64-bit offsets
  string_views,
  fixed_bytes,  // values of fixed_bytes bytes each
  list,         // 32-bit offsets; a map too
  large_list,
  fixed_list,  // fixed_bytes elements each
  structure,
  codes,  // indices into a dictionary of strings
  fsst,   // bytes that stand for strings by tables beside the array; only src/io finds these
  light,  // a struct with the encoded numbers as its only child; only src/io finds these
};

struct ArrowField {
  Field field;  // `unsupported` names the refused type
  ArrowLayout layout = ArrowLayout::same;
  // For codes: the type of the indices, and the layout of the dictionary's strings.
  std::uint32_t index_bytes = 0;
  bool index_signed = false;
  ArrowLayout entries = ArrowLayout::string;
  std::uint64_t fixed_bytes = 0;
  std::vector<ArrowField> children = {};  // of lists, structs and maps
};

// Returns the field that a schema describes. Never fails: `unsupported` names an unknown format.
ArrowField field_of(const ArrowSchema& schema);
// Returns the fields of a struct's schema.
Result<std::vector<ArrowField>> fields_of(const ArrowSchema& schema);
// Returns the format string of a column's type. `offset_bytes` is of strings.
std::string format_of(Type type, std::uint32_t offset_bytes);

}  // namespace penstock::column
