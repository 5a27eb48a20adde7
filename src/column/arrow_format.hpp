// Arrow's format strings
// (https://arrow.apache.org/docs/format/CDataInterface.html#data-type-description-format-strings)
// and the types they become.
#pragma once
#include "penstock/arrow_c.hpp"

namespace penstock::column {

// How the values of an Arrow array lie in memory.
enum class ArrowLayout : unsigned char {
  bits,
  same,  // as ours
  seconds,
  milliseconds,
  nanoseconds,
  decimal32,
  decimal128,
  text,        // 32-bit offsets
  large_text,  // 64-bit offsets
  text_views,
  codes,  // indices into a dictionary of strings
  fsst,   // bytes that stand for strings by tables beside the array; only src/io finds these
};

struct ArrowField {
  Field field;  // `unsupported` names what is refused
  ArrowLayout layout = ArrowLayout::same;
  // Codes only: the indices, and how the dictionary's strings lie.
  std::uint32_t index_bytes = 0;
  bool index_signed = false;
  ArrowLayout entries = ArrowLayout::text;
};

// Never fails: a format that is not known is named in `unsupported`.
ArrowField field_of(const ArrowSchema& schema);
// The children of a struct's schema.
Result<std::vector<ArrowField>> fields_of(const ArrowSchema& schema);
std::string format_of(const Column& column);

}  // namespace penstock::column
