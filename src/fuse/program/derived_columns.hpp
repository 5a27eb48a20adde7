// Derived columns: functions of strings (expr/string_functions.hpp) as columns of their own.
// Kernels have no characters, so the host computes the functions, once for each string of a
// dictionary, while it uploads the chunk.
//
// Devices compute some of these functions of FSST codes (fuse/codegen/code_functions.hpp).
// Comparisons with constant strings become derived columns too, for a column that may come as such
// codes.
#pragma once
#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

// Replaces each call of such a function in the program by a derived column.
// Code::unsupported where its input is more than a column and constants, or another such call.
Status derive_columns(TileProgram& program);

// Names the functions and constants of a derived column of strings, so that no two columns of one
// source have one name for other values. Returns nothing for a function that is the user's.
std::string name_of_function(const TileProgram& program, std::uint32_t column);

// Computes a derived column from a batch's column.
Result<Column> derive(const DerivedColumn& derived, const Column& source);
// Returns a table of all the source's own columns, with the derived ones after them.
Result<Table> with_derived(const TileProgram& program, Table table);

}  // namespace penstock::plan
