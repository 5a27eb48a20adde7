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
  string,        // 32-bit offsets
  large_string,  // 64-bit offsets
  string_views,
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
};

// Returns the field that a schema describes. Never fails: `unsupported` names an unknown format.
ArrowField field_of(const ArrowSchema& schema);
// Returns the fields of a struct's schema.
Result<std::vector<ArrowField>> fields_of(const ArrowSchema& schema);
// Returns the format string of a column's type.
std::string format_of(const Column& column);

}  // namespace penstock::column
