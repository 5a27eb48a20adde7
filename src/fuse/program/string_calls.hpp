// Functions of strings that devices compute without the host: on FSST codes
// (fuse/codegen/code_functions.hpp), and on strings that lie in pages
// (codec/pages/kernels/page_strings.kc).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fuse/program/tile_program.hpp"
#include "penstock/fsst/matcher.hpp"

namespace penstock::plan {

// A predicate; without one, lengths, or with is_presence only whether there is a string.
struct CodeFunction {
  std::optional<fsst::Predicate> predicate;
  fsst::DeviceLengths::Unit unit = fsst::DeviceLengths::Unit::bytes;
  bool is_presence = false;  // TRUE for every string, whatever its codes
};
// Returns a derived column's function on codes; none if only the host computes it.
std::optional<CodeFunction> code_function(const DerivedColumn& derived);

// A derived column as a kernel computes it from a string's bytes.
struct TextFunction {
  // The value's expression, with $BYTES, $TEXT and $WORDS for the pages, the string and the words.
  std::string expression;
  std::vector<std::uint32_t> words;  // the constants as page_strings.kc reads them; may be empty
};
std::optional<TextFunction> text_function(const DerivedColumn& derived);

}  // namespace penstock::plan
