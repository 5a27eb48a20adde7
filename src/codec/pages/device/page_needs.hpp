// Which programs and decoders the pages of some columns need.
#pragma once
#include <cstddef>
#include <set>

#include "codec/pages/paged_table.hpp"

namespace penstock::pages {

// Programs of kernels/. The first pass and the check of values are cut into programs that take some
// pages each: a batch needs one or two of them, and each is short to compile.
enum class PageProgram : unsigned char {
  runs,         // page_scan of plain values, streams and runs; page_copy
  texts,        // page_scan of strings with their lengths
  deltas,       // page_scan of differences
  values,       // page_values of indices and strings
  conversions,  // page_values of what is converted
  index,
  chains,
  names,
};
constexpr std::size_t page_program_count = 8;

// The needs of pages, as far as footers tell. Other programs are built when they are first
// launched.
struct PageNeeds {
  std::set<Compression> compressions;
  std::set<PageProgram> programs;
};
void add_needs(PageNeeds& needs, const PagedTable& table, std::uint32_t column);

// Begins to compile it in threads, for the GPU that CUDA is expected to have, while its driver
// starts.
void compile_for_expected_gpu(PageNeeds needs);

}  // namespace penstock::pages
