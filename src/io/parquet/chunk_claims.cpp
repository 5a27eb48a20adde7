#include "io/parquet/chunk_claims.hpp"

#include <parquet/types.h>

#include <algorithm>

namespace penstock::io {

std::optional<arrow::io::ReadRange> range_of(const ParquetFile& file,
                                             const parquet::ColumnChunkMetaData& chunk) {
  std::int64_t begin = chunk.data_page_offset(), end = 0;
  if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0)
    begin = std::min(begin, chunk.dictionary_page_offset());
  const std::int64_t length = chunk.total_compressed_size();
  if (begin < 0 || length < 0 || __builtin_add_overflow(begin, length, &end) || end > file.bytes())
    return std::nullopt;
  return arrow::io::ReadRange{begin, length};
}

Status check_chunk(const ParquetFile& file, const parquet::RowGroupMetaData& group,
                   const parquet::ColumnChunkMetaData& chunk, int leaf) {
  if (chunk.num_values() != group.num_rows())
    return {Code::corrupt, "the column chunk claims " + std::to_string(chunk.num_values()) +
                               " values for " + std::to_string(group.num_rows()) + " rows"};
  if (group.num_rows() == 0) return {};
  const parquet::Type::type type = group.schema()->Column(leaf)->physical_type();
  if (chunk.type() != type)
    return {Code::corrupt, "the column chunk claims values of " +
                               parquet::TypeToString(chunk.type()) + ", the schema says " +
                               parquet::TypeToString(type)};
  if (!range_of(file, chunk))
    return {Code::corrupt, "the column chunk claims a place outside the file"};
  // Some writers leave the second size out.
  const std::int64_t stored = chunk.total_compressed_size(),
                     bytes = chunk.total_uncompressed_size();
  if (chunk.compression() == parquet::Compression::UNCOMPRESSED && bytes > 0 && bytes != stored)
    return {Code::corrupt, "the column chunk claims no compression, and that its " +
                               std::to_string(stored) + " bytes are " + std::to_string(bytes)};
  return {};
}

}  // namespace penstock::io
