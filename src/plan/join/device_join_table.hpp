// Makes the table of a join on a device, from rows that lie there (kernels/join_table.kc).
//
// The host learns the range of a single key by one small download, and by another one whether keys
// repeat.
#pragma once
#include "plan/codegen/join_layout.hpp"
#include "plan/join/device_rows.hpp"

namespace penstock::plan {

// As lookups read it: see plan/codegen/join_layout.hpp. Where keys repeat, any of the rows with a
// key has its position.
struct DeviceJoinTable {
  BufferPointer positions, table;
  std::uint64_t repeated_rows = 0;  // whose key another row has
  std::uint64_t launches = 0, bytes = 0;
  double device_seconds = 0;
};

// Makes the table of key columns, given by number. Returns nothing where it takes more than
// `limit_bytes`. Waits.
Result<std::optional<DeviceJoinTable>> build_join_table(JoinKernels& kernels,
                                                        const DeviceRows& rows, const Columns& keys,
                                                        std::uint64_t limit_bytes);

}  // namespace penstock::plan
