// The columns of a Parquet file: the type that each becomes, and the conversion of its values.
//
// Types are those of https://github.com/apache/parquet-format/blob/master/LogicalTypes.md; what is
// not read is named as unsupported.
#pragma once
#include <arrow/io/interfaces.h>
#include <parquet/bloom_filter_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "penstock/column.hpp"

namespace penstock::io {

// Converts a physical value of Parquet to a value of a Column.
enum class Conversion : unsigned char {
  none,          // the same bytes
  boolean,       // one byte per value, to bits
  narrow,        // int32 to an integer of one or two bytes
  widen,         // int32 to int64
  milliseconds,  // int64 to microseconds
  nanoseconds,
  int96,             // Julian day and nanoseconds to microseconds
  big_endian_fixed,  // two's complement to int64, or to 128 bits
  big_endian,
  string,
  fixed_bytes,        // to strings of bytes: BLOB, UUID
  months_days,        // 12 bytes of an INTERVAL: months, days and milliseconds, little endian
  time_milliseconds,  // int32 to microseconds
  nested,             // lists, structs and maps: Arrow's reader, then packed values
};

struct ParquetColumn {
  Field field;
  int leaf = -1;  // index among the file's leaf columns; -1 when unsupported or nested
  int root = -1;  // index among the schema's columns
  Conversion conversion = Conversion::none;
  bool is_optional = false;    // has definition levels
  bool is_dictionary = false;  // strings: every data page of every row group is codes
};

class ParquetFile {
 public:
  // Reads the footer, which is untrusted: everything in it is checked before it is used.
  // `stays_open` is as of open_parquet().
  static Result<std::shared_ptr<const ParquetFile>> open(const std::string& path,
                                                         bool stays_open = true);
  // Returns a reader of the same open file that does not believe the footer's counts of NULLs:
  // every column with definition levels is nullable.
  Result<std::shared_ptr<const ParquetFile>> without_null_counts() const;

  const std::string& path() const { return path_; }
  const std::vector<ParquetColumn>& columns() const { return columns_; }
  int row_group_count() const { return static_cast<int>(first_rows_.size()) - 1; }
  // Returns the number of rows before row group g; at row_group_count(), of all rows.
  const std::vector<std::uint64_t>& first_rows() const { return first_rows_; }
  // Several threads may call it at once. Throws what Parquet throws.
  std::shared_ptr<parquet::RowGroupReader> row_group(int index) const {
    return reader_->RowGroup(index);
  }
  std::unique_ptr<parquet::RowGroupMetaData> row_group_metadata(int index) const {
    return metadata_->RowGroup(index);
  }
  // Both throw what Parquet throws, and so does reading from what they return. Null where the file
  // has none for the row group, and of encrypted files. A page index is that of one leaf column.
  std::shared_ptr<parquet::RowGroupPageIndexReader> page_index(int row_group, int leaf) const;
  std::shared_ptr<parquet::RowGroupBloomFilterReader> bloom_filters(int row_group) const;
  arrow::io::RandomAccessFile& input() const { return *input_; }
  // As of pages::PagedTable.
  std::string path_of_open_file() const;
  std::int64_t bytes() const { return bytes_; }
  const parquet::ReaderProperties& properties() const { return properties_; }
  const parquet::FileMetaData& metadata() const { return *metadata_; }
  std::shared_ptr<parquet::FileMetaData> shared_metadata() const { return metadata_; }
  const parquet::ApplicationVersion& writer() const { return metadata_->writer_version(); }
  // A column that is not nullable by the footer's counts has a NULL. Several threads may call both.
  void found_null() const { has_found_null_.store(true, std::memory_order_relaxed); }
  bool has_found_null() const { return has_found_null_.load(std::memory_order_relaxed); }

 private:
  static Result<std::shared_ptr<const ParquetFile>> read(std::shared_ptr<ParquetFile> file);
  Status read_footer();
  Status count_rows();
  Status check_row_count(int row_group) const;
  Status read_columns();
  void look_at_chunks(ParquetColumn& column) const;

  std::string path_;
  parquet::ReaderProperties properties_ = parquet::default_reader_properties();
  std::shared_ptr<arrow::io::RandomAccessFile> input_;
  std::int64_t bytes_ = 0;
  std::unique_ptr<parquet::ParquetFileReader> reader_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::vector<ParquetColumn> columns_;
  std::vector<std::uint64_t> first_rows_;
  bool believes_null_counts_ = true;
  mutable std::atomic<bool> has_found_null_ = false;
};

// Tells whether a conversion gives strings that belong to no dictionary of the file.
inline bool makes_strings(Conversion conversion) {
  return conversion == Conversion::fixed_bytes || conversion == Conversion::months_days ||
         conversion == Conversion::nested;
}

// Returns the type, of the field or within it, that other types of the same bytes must not stand
// for; "" for other fields.
std::string refused_annotation(const parquet::schema::Node& node, bool is_by_arrow);
// Returns a field of the file's schema; the caller sets `leaf`.
ParquetColumn column_of(const parquet::schema::Node& node);

inline bool is_code(parquet::Encoding::type encoding) {
  return encoding == parquet::Encoding::RLE_DICTIONARY ||
         encoding == parquet::Encoding::PLAIN_DICTIONARY;
}
// Tells whether every data page of a chunk holds codes into its dictionary page, as far as the
// footer says. Throws what Parquet throws.
bool is_all_codes(const parquet::ColumnChunkMetaData& chunk);

}  // namespace penstock::io
