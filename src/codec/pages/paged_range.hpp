// Neighbouring row groups of a paged table, as a table of their own.
#pragma once
#include "codec/pages/paged_table.hpp"

namespace penstock::pages {

// Returns the row groups first_group to end_group - 1. Errors name them as the whole table does.
std::shared_ptr<const PagedTable> paged_range(std::shared_ptr<const PagedTable> table,
                                              std::uint32_t first_group, std::uint32_t end_group);

}  // namespace penstock::pages
