// Chooses who reads pages: the host, or a device itself (GPUDirect Storage).
#pragma once
#include <memory>
#include <span>
#include <string>

#include "codec/pages/page_batches.hpp"
#include "penstock/plan.hpp"

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

}  // namespace penstock::plan
