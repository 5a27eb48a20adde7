#include "io/parquet/null_counts.hpp"

#include <parquet/column_page.h>
#include <parquet/column_reader.h>

#include <algorithm>
#include <vector>

#include "io/parquet/chunk_bytes.hpp"
#include "io/parquet/chunk_claims.hpp"
#include "io/parquet/parquet_pages.hpp"
#include "io/parquet/parquet_slabs.hpp"

namespace penstock::io {
namespace {

constexpr std::int16_t max_level = 1;  // of a flat column

// Returns how many rows of a page are NULL; nullopt where its levels end before its last row.
std::optional<std::uint64_t> nulls_of_levels(parquet::LevelDecoder& levels, std::int32_t rows) {
  std::int16_t slab[slab_rows];
  std::uint64_t nulls = 0;
  for (std::int64_t left = rows; left > 0;) {
    const int wanted = static_cast<int>(std::min<std::int64_t>(left, slab_rows));
    const int got = levels.Decode(wanted, slab);
    if (got <= 0) return std::nullopt;
    nulls += static_cast<std::uint64_t>(std::count(slab, slab + got, std::int16_t{0}));
    left -= got;
  }
  return nulls;
}

std::optional<std::uint64_t> nulls_of(const parquet::DataPageV1& page) {
  parquet::LevelDecoder levels;
  levels.SetData(page.definition_level_encoding(), max_level, page.num_values(), page.data(),
                 page.size());
  return nulls_of_levels(levels, page.num_values());
}

std::optional<std::uint64_t> nulls_of(const parquet::DataPageV2& page) {
  const std::int32_t bytes = page.definition_levels_byte_length();
  const std::int32_t before = page.repetition_levels_byte_length();
  if (bytes < 0 || before < 0 || std::int64_t{before} + bytes > page.size()) return std::nullopt;
  parquet::LevelDecoder levels;
  levels.SetDataV2(bytes, max_level, page.num_values(), page.data() + before);
  return nulls_of_levels(levels, page.num_values());
}

// Adds the rows of a page, which may have none, and returns how many of them are NULL.
std::optional<std::uint64_t> nulls_of(const parquet::Page& page, std::uint64_t& rows) {
  const bool is_v1 = page.type() == parquet::PageType::DATA_PAGE;
  if (!is_v1 && page.type() != parquet::PageType::DATA_PAGE_V2) return 0;
  const auto& data = static_cast<const parquet::DataPage&>(page);
  if (data.num_values() < 0) return std::nullopt;
  rows += static_cast<std::uint64_t>(data.num_values());
  return is_v1 ? nulls_of(static_cast<const parquet::DataPageV1&>(page))
               : nulls_of(static_cast<const parquet::DataPageV2&>(page));
}

}  // namespace

Result<std::uint64_t> count_nulls(const ParquetFile& file, int row_group,
                                  const ParquetColumn& column) {
  if (column.leaf < 0) return Status(Code::unsupported, "the pages of nested columns");
  const auto group = file.row_group_metadata(row_group);
  const auto chunk = group->ColumnChunk(column.leaf);
  PENSTOCK_TRY(check_chunk(file, *group, *chunk, column.leaf));
  const auto row_count = static_cast<std::uint64_t>(group->num_rows());
  if (!column.is_optional || row_count == 0) return std::uint64_t{0};
  const Pages pages = open_pages(file, row_group, column.leaf, {{0, row_count}}, ordinary_memory());
  std::uint64_t nulls = 0;
  for (std::uint64_t rows = 0; rows < row_count;) {
    const auto page = pages.reader->NextPage();
    if (!page) return ends_early();
    const auto of_page = nulls_of(*page, rows);
    if (!of_page || rows > row_count)
      return Status(Code::corrupt, "the definition levels of a page contradict its header");
    nulls += *of_page;
  }
  return nulls;
}

}  // namespace penstock::io
