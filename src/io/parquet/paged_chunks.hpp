// What the footer says of the chunks of a column: where they are, and whether they can be read as
// pages.
#pragma once
#include <string>
#include <vector>

#include "codec/pages/paged_table.hpp"
#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

struct FooterChunk {
  std::uint64_t stored_bytes = 0, page_bytes = 0;
  pages::Compression compression = pages::Compression::other;
  std::string why_not;  // as PagedTable::why_not()
  bool has_plain_strings = false;
};

pages::PagedColumn paged_column(const ParquetFile& file, const ParquetColumn& column);
// Throws what Parquet throws.
std::vector<FooterChunk> footer_chunks(const ParquetFile& file, const ParquetColumn& column);

}  // namespace penstock::io
