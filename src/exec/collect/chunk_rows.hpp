// The number of rows of a chunk, and how a program's rows are read.
#pragma once
#include <cstddef>
#include <cstdint>

#include "exec/scan/paged_scan.hpp"
#include "fuse/program/tile_program.hpp"
#include "penstock/run.hpp"

namespace penstock::plan {

// Three chunks in flight: one is read by the host, one computes, one is uploaded.
constexpr std::size_t chunks_in_flight = 3;

bool yields_every_row(const TileProgram& program);
// Returns what the session keeps of files; null without a session.
DeviceCache* cache_of(const RunOptions& options);
// Returns how many rows a chunk has: what the options say; otherwise enough for a launch to pay,
// and few enough for the chunks in flight to stay within a quarter of the device's memory.
std::uint64_t chunk_rows(const RunOptions& options, const Traits& traits,
                         const TileProgram& program, std::uint64_t row_limit);
PagedScan::Limits paged_limits(const RunOptions& options, const TileProgram& program,
                               std::uint64_t row_limit, const RowSelection* selected);

}  // namespace penstock::plan
