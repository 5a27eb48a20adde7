// Of a column in a light encoding: statements that load its rows.
#pragma once
#include <span>
#include <string>

#include "fuse/program/kernel_parameters.hpp"

namespace penstock::plan {

// Whether load_functions() reads a buffer so: pages are loaded elsewhere.
inline bool is_light(const ColumnBuffer& buffer) { return buffer.role == BufferRole::page_bytes; }
// Returns the functions that load the types that these buffers have.
std::string light_functions(std::span<const ColumnBuffer> buffers);
// Return the value of row `row`; statements that read four from there on; the value of row k of
// these.
std::string light_row(const ColumnBuffer& buffer);
std::string light_four(const ColumnBuffer& buffer);
std::string light_value(const ColumnBuffer& buffer);
// Return statements that read what a thread has of the tile at row `first`, and the value of row k
// of its four number v.
std::string light_tile(const ColumnBuffer& buffer);
std::string light_tile_value(const ColumnBuffer& buffer);

}  // namespace penstock::plan
