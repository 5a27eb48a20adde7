// Inner joins that only tell which left rows have a partner.
#pragma once
#include "relation/columns_needed.hpp"
#include "relation/estimate.hpp"

namespace penstock::relation {

// Returns whether an inner join yields the rows of a semi join, as far as its readers see. They
// read nothing else of the right side than keys, which the left side has, too, and do not count
// rows.
bool only_finds_partners(const RelationGraph& relations, RelationId join, const Readers& readers,
                         Estimates& estimates);

}  // namespace penstock::relation
