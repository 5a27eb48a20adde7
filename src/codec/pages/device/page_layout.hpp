// The places of a batch's pages in device memory, and the tables that describe them for kernels
// (kernels/page_task_limits.h). Made from page headers only.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "codec/pages/device/page_decoder.hpp"
#include "codec/pages/kernels/page_task_limits.h"

namespace penstock::pages {

// A page of the batch.
struct PageOrigin {
  std::size_t column = 0, chunk = 0;
  std::uint32_t page = 0;  // ~0: the dictionary
};
constexpr std::uint32_t dictionary_page = ~std::uint32_t{0};

// Bytes that go to the batch's memory, or to the memory of compressed chunks: from the host's
// memory, or from a file that the device reads itself.
struct PageUpload {
  std::span<const std::byte> from;
  std::uint64_t to = 0;
  bool is_compressed = false;
  const device::DirectFile* file = nullptr;
  std::uint64_t file_offset = 0;
};

// Pages of one compression: what batch::Batch wants of each.
struct PageInflation {
  std::vector<std::uint64_t> input_offsets, input_sizes, output_offsets, capacities;
  std::vector<PageOrigin> origins;
  std::uint64_t max_output_bytes = 0;
};

// The consecutive tasks of a column's data pages, and their slices.
struct ColumnTasks {
  std::uint32_t first_task = 0, task_count = 0, first_slice = 0, slice_count = 0;
  std::uint64_t row_count = 0, byte_count = 0;
  bool denies_nulls = false;
};

using PageTask = std::array<std::uint32_t, PAGE_TASK_WORDS>;
using CopyRange = std::array<std::uint64_t, 3>;  // to, from, bytes

struct PageLayout {
  std::vector<PageTask> tasks;  // data pages first
  std::vector<PageOrigin> origins;
  std::vector<std::uint32_t> slices;  // the task of each
  std::vector<CopyRange> ranges;
  std::vector<PageUpload> uploads;
  std::map<Compression, PageInflation> inflations;
  std::vector<ColumnTasks> columns;
  std::uint64_t bytes = 0, compressed_bytes = 0, validity_words = 0;
  std::set<PageProgram> first_pass;  // programs that some page needs
  std::set<PageProgram> value_pass;  // programs that some slice's values need
  bool has_chains = false;           // some page is of DELTA_BYTE_ARRAY
  std::optional<PageFault> fault;    // the headers contradict each other
};

// Code::invalid for columns that why_not_decoded() refuses or of different numbers of rows.
// Code::capacity if the batch does not fit the tables.
Result<PageLayout> lay_out_pages(std::span<const ColumnOfPages> columns);

// Bytes of a stored value of this type; 0 for a boolean.
std::uint32_t stored_bytes_of(const PagedColumn& column);

}  // namespace penstock::pages
