// SUMMARIZE: DuckDB's table about each column of a table, computed by the host.
//
// Numbers of different values and quantiles are exact: each column is sorted once. DuckDB
// approximates them. A quantile is a value of the column: the smallest that has that share of the
// values at or below it.
#pragma once
#include "penstock/column.hpp"

namespace penstock::session {

Result<Table> summarize(const TableSource& source);

}  // namespace penstock::session
