// Chooses the columns that kernels read in a light encoding (codec/light), rather than decoded by
// the host.
//
// A number in the program's source_schema is_encoded if kernels read it in that encoding. fuse()
// sets none; the code that decides about decoding chooses them.
#pragma once
#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

// Makes kernels read a column in its light encoding, for every column that the source has in one
// and that nothing else reads.
void read_light_columns(TileProgram& program, const TableSource& source);

bool reads_light(const TileProgram& program, std::uint32_t column);
// Returns the device_columns of the program that are in a light encoding.
std::vector<std::uint32_t> light_columns(const TileProgram& program);

}  // namespace penstock::plan
