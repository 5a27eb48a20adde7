// Dense tables of several devices' groups as one: the union of their ranges, in parts by values of
// the first key. A part is a dense table too.
#pragma once
#include <span>

#include "fuse/variants/dense_ranges.hpp"

namespace penstock::plan {

// Returns the table whose ranges hold those of all tables; nullopt where a key is a string, whose
// codes differ from device to device, where sums of floats have lowest bits of their own, or where
// it would have 2^31 slots or more.
std::optional<DenseTable> union_of(const TileProgram& program,
                                   std::span<const DenseTable* const> tables);
// Returns one of `count` parts, each with as many values of the first key. NULLs are of the last
// part, as they come after all values.
DenseTable part_of(const TileProgram& program, const DenseTable& whole, std::size_t part,
                   std::size_t count);
struct SlotRange {
  std::uint64_t first = 0, end = 0;
};
// Returns the slots of a table whose groups are a part's, of a union that the table is in.
SlotRange slots_of_part(const TileProgram& program, const DenseTable& table, const DenseTable& part,
                        bool is_last);
// Returns how a kernel finds a group's slot in a part from that in a table
// (kernels/group_sums_limits.h).
std::vector<std::uint64_t> slot_numbers(const TileProgram& program, const DenseTable& table,
                                        const DenseTable& part);

}  // namespace penstock::plan
