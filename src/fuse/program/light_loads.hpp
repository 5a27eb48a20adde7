// Which columns kernels read in a light encoding (codec/light), rather than decoded by the host.
//
// A number in the program's source_schema is_encoded where kernels read it so. fuse() leaves none;
// who decides about decoding chooses them.
#pragma once
#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

// Makes kernels read every column so that the source has in a light encoding and that nobody else
// reads.
void read_light_columns(TileProgram& program, const TableSource& source);

bool reads_light(const TileProgram& program, std::uint32_t column);
// Returns those of the program's device_columns.
std::vector<std::uint32_t> light_columns(const TileProgram& program);

}  // namespace penstock::plan
