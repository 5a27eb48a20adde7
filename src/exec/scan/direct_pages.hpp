// Chooses who reads pages, and how: the host, a chunk ahead or through a small ring, or a device
// itself (GPUDirect Storage).
#pragma once
#include <memory>
#include <span>
#include <string>

#include "codec/pages/page_batches.hpp"
#include "penstock/run.hpp"

namespace penstock::plan {

// What a scan reads of a table.
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
// Code::unsupported where direct reads are asked for and the device or the file has none.
Result<DirectPages> direct_pages(const Device& device, const PagesToRead& read, DirectReads wanted);

// Less takes some 10 ms, of which finding the headers first would be a large part.
constexpr std::uint64_t min_staged_bytes = std::uint64_t{512} << 20;
// Returns whether pages are better read through a ring (device/staged_file.hpp): many, from the
// page cache, not compressed. The link does not bound compressed ones: TPC-H's Q6 of Snappy took 68
// to 85 ms so, in place of 63. A disk is read in larger pieces, by threads that find the page
// headers, too.
bool may_be_staged(const Device& device, const PagesToRead& read,
                   std::uint64_t min_bytes = min_staged_bytes);
// Returns the table whose pages are read so; null where the host would do much besides: of small
// pages, of pages with checksums, or of strings of large dictionaries. `threads` of 0: one a core.
Result<std::shared_ptr<const pages::PagedTable>> staged_pages(std::shared_ptr<Device> device,
                                                              const PagesToRead& read,
                                                              std::uint32_t threads);

}  // namespace penstock::plan
