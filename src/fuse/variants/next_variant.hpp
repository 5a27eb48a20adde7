// Guesses the program that a group-by will need after the one that looks at its keys, before a row
// is read. Both are compiled at once.
#pragma once
#include "fuse/variants/variants.hpp"

namespace penstock::plan {

// Returns the variant that a source's records of its keys make likely; null if they show that dense
// slots of the variant `now` suffice. `source` may be null: nothing is known then.
const Variant* likely_next_variant(const Traits& traits, const TileProgram& program,
                                   const Policy& now, const TableSource* source);

}  // namespace penstock::plan
