// Arrow's C stream interface, out.
#pragma once
#include "penstock/arrow_c.hpp"

namespace penstock::column {

// Fills a stream of one batch, which owns the table; the caller releases it. Errors of a column
// come at once.
Status export_stream(const Table& table, ArrowArrayStream* stream);

}  // namespace penstock::column
