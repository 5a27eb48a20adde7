// Functions of texts that are computed where the texts are read, and not above joins: kernels that
// hand a text on give it a code of the run, which takes the host a look at every text.
//
//     substring(c_phone, 1, 2) of rows that several joins read
//     -> rows with the function's result in place of c_phone
//
// It is worth it if nothing else is read of the text. TPC-H 22 is such a statement, by DuckDB's
// plan: two joins read its customers.
#pragma once
#include "relation/prune.hpp"

namespace penstock::relation {

// Returns the relations with such functions computed above the scans; nullopt if there are none.
Result<std::optional<Pruned>> with_early_functions(const Pruned& relations);

}  // namespace penstock::relation
