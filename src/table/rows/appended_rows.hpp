// Rows of several sources, one behind the other, without a copy.
#pragma once
#include <memory>
#include <vector>

#include "penstock/column.hpp"

namespace penstock::plan {

// All sources have the types of `schema`, by place. A batch has rows of one source, so that batches
// may end at any row.
std::shared_ptr<TableSource> appended_rows(Schema schema,
                                           std::vector<std::shared_ptr<TableSource>> sources);

}  // namespace penstock::plan
