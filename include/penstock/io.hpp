// Reads and writes tables as files.
//
//     // Parquet, Arrow IPC (file or stream) or CSV, by content
//     PENSTOCK_ASSIGN(auto lineitem, open_table("lineitem.parquet"));
//     plan.source(lineitem);
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/arrow_c.hpp"
#include "penstock/column.hpp"
#include "penstock/fsst.hpp"
#include "penstock/table_reference.hpp"

namespace penstock {

// Opens a file, or several as one table (docs/sql.md); reads schemas and statistics, no rows.
// Unsupported column types are errors only when such a column is asked for. A CSV file's delimiter
// and header are found out; its types are those of its first block.
Result<std::shared_ptr<TableSource>> open_table(const TableReference& table);

enum class FileFormat : unsigned char { parquet, arrow_ipc, csv, json };
// Returns the format of a file's ending, in any case: .parquet, .arrow, .csv, .json, and more.
std::optional<FileFormat> format_of_path(std::string_view path);

struct CsvStyle {
  char delimiter = ',';
  bool has_header = true;
  std::string null_text = {};
};
enum class JsonLayout : unsigned char { array, lines };  // of objects
struct WriteOptions {
  CsvStyle csv = {};
  JsonLayout json = JsonLayout::array;
  std::string compression = {};      // of Parquet: "snappy", "zstd"...; "": Snappy, if Arrow has it
  std::uint64_t row_group_rows = 0;  // of Parquet; 0: as many as suit threads and dictionaries
};
// Writes to a temporary name beside `path`, flushes to the disk and renames, so that no partial
// file is ever left.
Status write_table(const Table& table, const std::string& path, FileFormat format,
                   const WriteOptions& options = {});

// Takes a file's bytes in order as they are written. An error ends the writing, and write_table
// returns it.
using ByteSink = std::function<Status(std::string_view bytes)>;
Status write_table(const Table& table, const ByteSink& sink, FileFormat format,
                   const WriteOptions& options = {});

// The encoding of a column in a file. For strings: fsst (penstock/fsst.hpp). The others are
// light encodings of numbers (docs/formats/light-encodings.md): integers, dates, timestamps and
// decimals for bitpack, frame_of_reference and delta; floats for alp; all of them for the others.
// automatic: the smallest of those that the column's type has, for every 1024 values.
enum class ColumnEncoding : unsigned char {
  fsst,
  bitpack,
  frame_of_reference,
  delta,
  run_length,
  dictionary,
  alp,
  automatic,
};
// Returns the name that `penstock encode` takes: "for", "rle", "auto".
std::string_view name_of(ColumnEncoding encoding);
std::optional<ColumnEncoding> find_encoding(std::string_view name);

struct ColumnCodec {
  std::string column;
  ColumnEncoding codec = ColumnEncoding::fsst;
};

struct EncodeTableOptions {
  std::vector<ColumnCodec> codecs;
  std::function<bool(std::uint64_t rows_done)> progress = {};  // false ends it with Code::cancelled
};
// Bytes of a column in plain Arrow (values, or strings and offsets of 4 bytes), and as written
// (encoded values, or codes, offsets and tables). Validity is not counted.
struct EncodedColumn {
  std::string name;
  ColumnEncoding codec = ColumnEncoding::fsst;
  std::uint64_t bytes_before = 0, bytes_after = 0;
};
struct EncodeTableReport {
  std::uint64_t row_count = 0, file_bytes = 0;
  std::vector<EncodedColumn> columns;  // the encoded ones, as options.codecs has them
};
// Writes a table as an Arrow IPC file, batch after batch, with some columns encoded
// (docs/formats/). Other values are unchanged, but a DECIMAL of more than 18 digits becomes one
// of 18.
Result<EncodeTableReport> encode_table(const TableSource& source, const ByteSink& sink,
                                       const EncodeTableOptions& options);

}  // namespace penstock
