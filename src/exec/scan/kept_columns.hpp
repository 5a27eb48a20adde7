// Whole columns that steps on the host read of a source, kept decoded by a session.
#pragma once
#include "penstock/device_cache.hpp"
#include "table/rows/column_numbers.hpp"

namespace penstock::plan {

struct KeptTable {
  Table table;
  std::uint64_t columns_from_cache = 0;
};

// Returns the columns in this order. `cache`: null, or a session's. A source without identity is
// read each time.
Result<KeptTable> read_kept_columns(DeviceCache* cache, const TableSource& source,
                                    const Columns& columns);

// Returns the bytes of a column, in device and host memory.
std::uint64_t kept_bytes(const Column& column);

}  // namespace penstock::plan
