// Codes of strings: of one column alone, or of the run.
//
// Kernels see a string as a code. Codes of the run tell all strings of a run apart, so that columns
// compare with each other. Each run makes them anew. Numbers of a column's own strings are the same
// in every run, so that a session keeps them. A column has its own where kernels compare it with
// constants alone, or choose between it and constants. The same holds for functions of a column
// that give strings.
#pragma once
#include <optional>

#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

// Makes a constant that several columns are compared with a parameter for each of them. A constant
// has one code, so the columns would have one numbering.
void separate_constants(TileProgram& program);
// Finds the columns of strings with codes of their own. choose_columns() calls it.
void choose_own_codes(TileProgram& program);
void use_codes_of_run(TileProgram& program);
bool has_own_codes(const TileProgram& program, std::uint32_t column);
// Returns the column whose numbers an output has as codes; nothing if its codes are the run's.
std::optional<std::uint32_t> own_column_of(const TileProgram& program, std::size_t output);

}  // namespace penstock::plan
