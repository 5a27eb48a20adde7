// Keys of groups that follow from the key of a join: the texts of a customer from its number.
//
// If no two rows of a join's held side have its key, that key decides about their other columns.
// Rows are then grouped without these. A limit takes the first groups, and their columns are joined
// to them:
//
//     limit of an order of groups by k, text of (rows join table by k)
//     -> first = limit of an order of groups by k of (rows join table by k);
//        first join (table semi join first by k) by k
//
// So no text is read but those of the first groups. The literature has it as the removal of keys by
// functional dependencies, and as eager aggregation (Yan and Larson, 1995).
//
// No file states that keys are unique. The join below the groups makes a table of them, which tells
// before any row is grouped. Both forms are steps of the plan: this one is preferred
// (Plan::prefer()), and the other one runs if a key repeats. At worst the held side was read once
// in vain; a session remembers it for its statement.
#pragma once
#include "relation/prune.hpp"

namespace penstock::relation {

// Returns the relations with the keys of groups joined late; nullopt if there are none that are
// worth it. `expected` becomes what the joins expect of their keys.
Result<std::optional<Pruned>> with_late_keys(const Pruned& relations,
                                             const std::shared_ptr<ExpectedKeys>& expected);

// `rows`: the step of the result. Returns the step that is preferred to it, else itself.
Result<StepId> prefer_late_keys(const Pruned& relations, StepId rows, Plan& plan);

}  // namespace penstock::relation
