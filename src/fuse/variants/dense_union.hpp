// Puts the dense tables of several devices' groups together: the union of their ranges, in parts by
// values of the first key. A part is a dense table too.
#pragma once
#include <span>

#include "fuse/variants/dense_ranges.hpp"

namespace penstock::plan {

// Returns the table that covers the ranges of all tables. Returns nullopt if a key is a string
// (codes differ from device to device), if sums of floats have lowest bits of their own, or if the
// table would have 2^31 slots or more.
std::optional<DenseTable> union_of(const TileProgram& program,
                                   std::span<const DenseTable* const> tables);
// Returns one of `count` parts, each with as many values of the first key. NULLs belong to the last
// part, as they come after all values.
DenseTable part_of(const TileProgram& program, const DenseTable& whole, std::size_t part,
                   std::size_t count);
struct SlotRange {
  std::uint64_t first = 0, end = 0;
};
// Returns the slots of `table` that hold the groups of `part`. The part is of a union that includes
// the table.
SlotRange slots_of_part(const TileProgram& program, const DenseTable& table, const DenseTable& part,
                        bool is_last);
// Returns the numbers by which a kernel turns a group's slot in a table into its slot in a part
// (kernels/group_sums_limits.h).
std::vector<std::uint64_t> slot_numbers(const TileProgram& program, const DenseTable& table,
                                        const DenseTable& part);

}  // namespace penstock::plan
