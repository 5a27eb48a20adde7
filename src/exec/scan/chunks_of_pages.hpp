// Cuts a table into chunks for a scan of pages: row groups that are read, uploaded and decoded at
// once, and that one launch of a kernel reads.
#pragma once
#include "exec/scan/paged_scan.hpp"

namespace penstock::plan {

// Stored bytes of a chunk. Larger chunks fill a GPU better; smaller ones begin sooner, and pin less
// memory. With 32 MiB and ten chunks TPC-H's LIKE took 98 ms at scale 10 in place of 63. Scans of
// many chunks have twice as much: at scale 100 Q6 took 200 ms in place of 252.
constexpr std::uint64_t chunk_stored_bytes = std::uint64_t{64} << 20;

// Returns the row groups that a scan needs, ascending.
std::vector<std::uint32_t> needed_groups(const pages::PagedTable& table,
                                         const PagedScan::Limits& limits);

// Returns the chunks of a scan with a needed row group. Chunks after the needed rows are left out.
std::vector<pages::RowGroupBatch> chunks_of(const pages::PagedTable& table,
                                            const ResidentPages& resident,
                                            const std::vector<std::uint32_t>& columns,
                                            const std::vector<std::uint32_t>& needed,
                                            const PagedScan::Limits& limits,
                                            std::uint64_t device_bytes);

}  // namespace penstock::plan
