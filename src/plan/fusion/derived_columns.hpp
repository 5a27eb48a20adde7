// Functions of strings (expr/string_functions.hpp) as columns of their own: kernels have no
// characters, so the host computes them, once for each text of a dictionary, while it brings the
// chunk to the device. So it does with 128-bit numbers that are read as floats: shares of a
// window's sum. Devices compute some of them of FSST codes (plan/strings/code_functions.hpp); of a
// column that may come as such codes, comparisons with constant texts become derived columns, too.
#pragma once
#include "plan/fusion/tile_program.hpp"

namespace penstock::plan {

// Replaces each call of such a function, and each such cast, in the program by a derived column.
// Code::unsupported where its input is more than a column and constants, or such a call.
Status derive_columns(TileProgram& program);

// The derived column of a batch's column.
Result<Column> derive(const DerivedColumn& derived, const Column& source);
// A table of all the source's own columns, with the derived ones behind them.
Result<Table> with_derived(const TileProgram& program, Table table);

}  // namespace penstock::plan
