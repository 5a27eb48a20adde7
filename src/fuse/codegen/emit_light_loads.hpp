// Emits statements that load rows of columns in light encodings.
#pragma once
#include <span>
#include <string>

#include "fuse/program/kernel_parameters.hpp"

namespace penstock::plan {

// Returns whether load_functions() reads a buffer. Pages are loaded elsewhere.
inline bool is_light(const ColumnBuffer& buffer) { return buffer.role == BufferRole::page_bytes; }
// Returns the functions that load the types that these buffers have.
std::string light_functions(std::span<const ColumnBuffer> buffers);
// Return the value of row `row`; statements that read four rows from there on; the value of row k
// of these.
std::string light_row(const ColumnBuffer& buffer);
std::string light_four(const ColumnBuffer& buffer);
std::string light_value(const ColumnBuffer& buffer);
// Return statements that read a thread's rows of the tile at row `first`, and the value of row k of
// its four number v.
std::string light_tile(const ColumnBuffer& buffer);
std::string light_tile_value(const ColumnBuffer& buffer);

}  // namespace penstock::plan
