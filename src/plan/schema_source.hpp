// A source with names and types and no rows, to check steps in a plan of their own.
#pragma once
#include <memory>

#include "penstock/column.hpp"

namespace penstock::plan {

std::shared_ptr<TableSource> schema_source(Schema schema);

}  // namespace penstock::plan
