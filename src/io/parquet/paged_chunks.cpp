#include "io/parquet/paged_chunks.hpp"

#include <algorithm>

namespace penstock::io {
namespace {

using parquet::Encoding;

pages::Physical physical_of(parquet::Type::type type) {
  switch (type) {
    case parquet::Type::BOOLEAN: return pages::Physical::boolean;
    case parquet::Type::INT32: return pages::Physical::int32;
    case parquet::Type::INT64: return pages::Physical::int64;
    case parquet::Type::INT96: return pages::Physical::int96;
    case parquet::Type::FLOAT: return pages::Physical::float32;
    case parquet::Type::DOUBLE: return pages::Physical::float64;
    case parquet::Type::FIXED_LEN_BYTE_ARRAY: return pages::Physical::fixed_bytes;
    default: return pages::Physical::byte_array;
  }
}

pages::Conversion paged_conversion(Conversion conversion) {
  switch (conversion) {
    case Conversion::milliseconds: return pages::Conversion::milliseconds;
    case Conversion::nanoseconds: return pages::Conversion::nanoseconds;
    case Conversion::int96: return pages::Conversion::int96;
    case Conversion::big_endian_fixed:
    case Conversion::big_endian: return pages::Conversion::big_endian;
    case Conversion::none:
    case Conversion::boolean:
    case Conversion::narrow:
    case Conversion::widen:
    case Conversion::string:
    case Conversion::time_milliseconds:
    case Conversion::fixed_bytes:
    case Conversion::months_days:
    case Conversion::nested: break;
  }
  return pages::Conversion::none;
}

std::string why_not_column(const ParquetColumn& column) {
  const std::string& type = column.field.unsupported;
  if (!type.empty()) return "its type is " + type;
  if (column.conversion == Conversion::nested) return "it is nested";
  const bool is_by_host = column.field.type.kind == Kind::string && !is_text(column.field.type);
  if (is_by_host || column.conversion == Conversion::time_milliseconds)
    return "its type is " + name_of(column.field.type);
  if (width_bytes(column.field.type) > 8) return "its decimals have more than 18 digits";
  return "";
}

pages::Compression compression_of(parquet::Compression::type codec) {
  switch (codec) {
    case parquet::Compression::UNCOMPRESSED: return pages::Compression::none;
    case parquet::Compression::SNAPPY: return pages::Compression::snappy;
    case parquet::Compression::GZIP: return pages::Compression::gzip;
    case parquet::Compression::ZSTD: return pages::Compression::zstandard;
    case parquet::Compression::LZ4: return pages::Compression::lz4_raw;  // Arrow's name of LZ4_RAW
    default: return pages::Compression::other;
  }
}

const char* name_of_codec(parquet::Compression::type codec) {
  switch (codec) {
    case parquet::Compression::BROTLI: return "Brotli";
    case parquet::Compression::LZO: return "LZO";
    case parquet::Compression::LZ4_HADOOP: return "LZ4 in Hadoop's frames";
    default: return "an unknown codec";
  }
}

std::string why_not_chunk(const parquet::ColumnChunkMetaData& chunk, std::uint64_t rows) {
  if (chunk.crypto_metadata()) return "it is encrypted";
  if (rows > INT32_MAX) return "a row group has more than 2147483647 rows";
  if (rows == 0) return "";
  if (compression_of(chunk.compression()) == pages::Compression::other)
    return std::string("it is compressed by ").append(name_of_codec(chunk.compression()));
  return "";
}

bool has_deltas(const parquet::ColumnChunkMetaData& chunk) {
  return std::ranges::any_of(chunk.encodings(), [](parquet::Encoding::type encoding) {
    return encoding == parquet::Encoding::DELTA_BINARY_PACKED ||
           encoding == parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY ||
           encoding == parquet::Encoding::DELTA_BYTE_ARRAY;
  });
}

std::uint64_t positive(std::int64_t bytes) {
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

}  // namespace

pages::PagedColumn paged_column(const ParquetFile& file, const ParquetColumn& column) {
  pages::PagedColumn paged;
  paged.type = column.field.type;
  paged.conversion = paged_conversion(column.conversion);
  paged.is_optional = column.is_optional;
  paged.denies_nulls = !column.field.nullable;
  paged.why_not = why_not_column(column);
  if (column.leaf < 0) return paged;
  const parquet::ColumnDescriptor& descriptor = *file.metadata().schema()->Column(column.leaf);
  paged.physical = physical_of(descriptor.physical_type());
  if (paged.physical == pages::Physical::fixed_bytes)
    paged.fixed_bytes = static_cast<std::uint32_t>(std::max(descriptor.type_length(), 0));
  return paged;
}

std::vector<pages::StoredChunk> footer_chunks(const ParquetFile& file,
                                              const ParquetColumn& column) {
  std::vector<pages::StoredChunk> chunks;
  for (int g = 0; g < file.row_group_count() && column.leaf >= 0; g++) {
    const auto chunk = file.metadata().RowGroup(g)->ColumnChunk(column.leaf);
    const auto index = static_cast<std::size_t>(g);
    const std::uint64_t rows = file.first_rows()[index + 1] - file.first_rows()[index];
    chunks.push_back({positive(chunk->total_compressed_size()),
                      positive(chunk->total_uncompressed_size()),
                      compression_of(chunk->compression()),
                      rows > 0 && column.conversion == Conversion::string && !is_all_codes(*chunk),
                      has_deltas(*chunk), why_not_chunk(*chunk, rows)});
  }
  return chunks;
}

}  // namespace penstock::io
