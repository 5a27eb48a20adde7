// Chooses how pages are read: by the host, a chunk ahead or through a small ring, or by a device
// itself (GPUDirect Storage).
#pragma once
#include <memory>
#include <span>
#include <string>

#include "codec/pages/page_batches.hpp"
#include "penstock/run.hpp"

namespace penstock::plan {

// The part of a table that a scan reads.
struct PagesToRead {
  const pages::PagedTable& table;
  std::span<const std::uint32_t> columns;
  std::span<const pages::RowGroupBatch> chunks;
};

// Returns whether the host should not begin to read while a device is being opened.
bool may_be_read_directly(const PagesToRead& read, DirectReads wanted);

struct DirectPages {
  std::shared_ptr<const pages::PagedTable> table;  // null: the host reads
  std::string how;                                 // for the report
};
// Code::unsupported if direct reads are asked for, but the device or the file has none.
Result<DirectPages> direct_pages(const Device& device, const PagesToRead& read, DirectReads wanted);

// Fewer bytes take some 10 ms. Finding the headers first would be a large part of that.
constexpr std::uint64_t min_staged_bytes = std::uint64_t{512} << 20;
// Returns whether pages are better read through a ring (device/staged_file.hpp): many pages, in the
// page cache, not compressed. The link is not the limit for compressed ones: with the ring TPC-H's
// Q6 of Snappy took 68 to 85 ms in place of 63. A disk is read in larger pieces, by threads that
// also find the page headers.
bool may_be_staged(const Device& device, const PagesToRead& read,
                   std::uint64_t min_bytes = min_staged_bytes);
// Returns the table to read through a ring; null if the host would do much other work: for small
// pages, pages with checksums, or strings of large dictionaries. `threads` of 0: one a core.
Result<std::shared_ptr<const pages::PagedTable>> staged_pages(std::shared_ptr<Device> device,
                                                              const PagesToRead& read,
                                                              std::uint32_t threads);

}  // namespace penstock::plan
