// Tables that are stored as pages: runs of a column's values that are encoded, and often
// compressed, as Parquet stores them (https://parquet.apache.org/docs/file-format/).
//
// A source of such a table provides the stored bytes of a column chunk (a column of one row group)
// and their page headers' data. page_decoder.hpp makes them readable for kernels. Nothing here
// decodes a value.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/direct_file.hpp"
#include "penstock/column.hpp"

namespace penstock::pages {

// Parquet's physical types. A byte array has its length of four bytes before it.
enum class Physical : unsigned char {
  boolean,
  int32,
  int64,
  int96,
  float32,
  float64,
  fixed_bytes,
  byte_array
};

// Parquet's encodings (https://parquet.apache.org/docs/file-format/data-pages/encodings/).
enum class Encoding : unsigned char {
  plain,
  dictionary,     // RLE_DICTIONARY, and PLAIN_DICTIONARY in data pages
  rle,            // of booleans
  delta,          // DELTA_BINARY_PACKED
  delta_lengths,  // DELTA_LENGTH_BYTE_ARRAY
  delta_bytes,    // DELTA_BYTE_ARRAY
  byte_streams,   // BYTE_STREAM_SPLIT
};

enum class Compression : unsigned char { none, snappy, gzip, zstandard, lz4_raw, other };

// The conversion of a physical value. Nothing is rounded: a value that does not fit the column's
// type is an error, the same as in the host's decoder.
enum class Conversion : unsigned char {
  none,          // the same bits; a kernel widens them, or narrows them (corrupt unless they fit)
  milliseconds,  // int64 to microseconds; Code::overflow unless they fit
  nanoseconds,   // int64 to microseconds; unsupported unless a multiple of 1000
  int96,         // nanoseconds of the day (8 bytes), then the Julian day (4 bytes), unsigned, to
                 // microseconds; unsupported unless the nanoseconds are a multiple of 1000
  big_endian,    // two's complement of fixed_bytes or byte_array to int64; corrupt unless it fits
};

// A column of the table; index i is column i of the source's schema.
struct PagedColumn {
  Type type;  // as in the schema
  Physical physical = Physical::int32;
  std::uint32_t fixed_bytes = 0;  // of fixed_bytes: the length
  Conversion conversion = Conversion::none;
  bool is_optional = false;   // pages have definition levels of one bit
  bool denies_nulls = false;  // the file says that there are none; a page with one is an error
  // Why no chunk of the column can be read as pages, a clause: "it is nested". Empty: it can be,
  // unless a chunk says otherwise.
  std::string why_not;
};

// The place of a page and the content of its header. Every size was checked against the chunk.
struct Page {
  std::uint64_t offset = 0;         // of the page's body in ChunkPages::bytes
  std::uint64_t header_offset = 0;  // of its header in the file, for messages
  std::uint32_t stored_bytes = 0;   // of the body as stored, levels included
  std::uint32_t bytes = 0;          // of the body after decompression, levels included
  std::uint32_t level_bytes = 0;    // v2: definition levels, which are never compressed
  std::uint32_t value_count = 0;    // NULLs included; of a dictionary: its entries
  Encoding encoding = Encoding::plain;
  bool is_v2 = false;
  bool is_compressed = false;  // v2: the bytes after the levels; v1: all of the body
};

// The pages of a column chunk.
struct ChunkPages {
  std::shared_ptr<std::byte> memory;  // of `bytes`
  std::span<const std::byte> bytes;   // the chunk as stored, page headers included
  // The bytes that were read at once, including `bytes`; they may be uploaded at once, too.
  std::span<const std::byte> read_bytes;
  // Not null: only dictionaries of strings and pages with checksums are in `bytes`.
  // The device reads everything else itself; read_bytes begins at this byte of the file.
  std::shared_ptr<const device::DirectFile> file;
  std::uint64_t file_offset = 0;
  std::uint64_t host_bytes = 0;  // that the host has read of it
  std::uint32_t row_group = 0;
  std::uint32_t row_count = 0;  // the sum of the data pages' value_count
  Compression compression = Compression::none;
  std::optional<Page> dictionary;
  std::vector<Page> data;
  // Strings: the numbers of the dictionary's entries, in place of the dictionary. Set by the reader
  // of strings, which numbers the entries of all chunks.
  std::shared_ptr<const std::vector<std::uint32_t>> dictionary_codes;
};

// The place of a chunk in its file.
struct ChunkPlace {
  std::uint64_t offset = 0, bytes = 0;
};

// The footer's data of a column chunk.
struct StoredChunk {
  std::uint64_t stored_bytes = 0;
  std::uint64_t page_bytes = 0;  // after decompression; a footer may be wrong
  Compression compression = Compression::other;
  bool has_plain_strings = false;  // it has strings outside of its dictionary
  bool has_deltas = false;         // its footer names an encoding of differences
  // Why it cannot be read as pages, as PagedColumn::why_not. Empty: it can be.
  std::string why_not = {};
};

// Facts about all chunks of a column that every statement reading it needs.
struct ChunkSummary {
  std::vector<Compression> compressions;  // ascending, each once
  bool has_plain_strings = false;         // of any chunk
  bool has_deltas = false;                // of any chunk
  std::optional<std::uint32_t> refused;   // the first row group that cannot be read as pages
};
ChunkSummary summary_of(std::span<const StoredChunk> chunks);

class PagedTable {
 public:
  virtual ~PagedTable() = default;
  virtual const std::vector<PagedColumn>& columns() const = 0;
  // Returns the number of rows before row group g; the last one is that of all rows.
  virtual std::span<const std::uint64_t> first_rows() const = 0;
  // Returns a column's chunks, one of each row group.
  virtual std::span<const StoredChunk> chunks(std::uint32_t column) const = 0;
  // A file may have thousands of row groups: a table of one keeps its summaries.
  virtual ChunkSummary summary(std::uint32_t column) const { return summary_of(chunks(column)); }
  // Says by the footer alone why a column chunk cannot be read as pages; empty if it can be.
  const std::string& why_not(std::uint32_t column, std::uint32_t row_group) const {
    const std::string& of_column = columns()[column].why_not;
    return of_column.empty() ? chunks(column)[row_group].why_not : of_column;
  }
  // Reads a chunk and its page headers. `memory` may be empty: ordinary memory then. Has at least
  // 16 readable bytes after the chunk. Code::corrupt or Code::truncated with column, row group,
  // page and byte. Several threads may call it at once.
  virtual Result<ChunkPages> read(std::uint32_t column, std::uint32_t row_group,
                                  const BatchAllocator& memory) const = 0;
  // Returns which of some columns of a row group are better read at once, since they are neighbours
  // in the file: indices among `columns`, each once.
  virtual std::vector<std::vector<std::size_t>> neighbours(std::span<const std::uint32_t> columns,
                                                           std::uint32_t row_group) const;
  // Reads the chunks of such neighbours, as read() does.
  virtual Result<std::vector<ChunkPages>> read_neighbours(std::span<const std::uint32_t> columns,
                                                          std::uint32_t row_group,
                                                          const BatchAllocator& memory) const;
  // Returns the path of the file that chunks are parts of, "" if there is none.
  virtual std::string file_path() const { return ""; }
  // Returns a path by which the very file that is open can be opened again, though another one may
  // have its name by now, or none; "" if there is no such path.
  virtual std::string path_of_open_file() const { return ""; }
  // By the footer, which may be wrong; nullopt where it says nothing.
  virtual std::optional<ChunkPlace> place_of(std::uint32_t column, std::uint32_t row_group) const;
  // Returns the same table with chunks that have ChunkPages::file; null if that is not possible.
  virtual std::shared_ptr<const PagedTable> with_direct_reads(
      std::shared_ptr<const device::DirectFile> file) const;
  // Returns the entries of a chunk's dictionary of strings, decoded by the host.
  virtual Result<Column> dictionary_strings(std::uint32_t column,
                                            const ChunkPages& pages) const = 0;
  // "column 'price', row group 3, page 7, byte 4711 of 'FILE'"; `page` counts data pages from 0,
  // the dictionary is ~0.
  virtual std::string location_of(std::uint32_t column, const ChunkPages& pages,
                                  std::uint32_t page) const = 0;
  // Is told of a page with a NULL, of a column that denies them.
  virtual void found_null(std::uint32_t) const {}
};

}  // namespace penstock::pages
