// Decodes one column of one row group, in order, straight into the memory of batches.
//
// Row groups and batches do not share boundaries: a part is the rows of one row group in one batch,
// which may be several ranges of them.
// Several threads fill parts of one batch column at once. They share only the bytes of bits at the
// parts' edges, which are or-ed atomically.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "io/common/batch_memory.hpp"
#include "io/parquet/parquet_file.hpp"
#include "io/parquet/row_ranges.hpp"

namespace penstock::io {

// The strings of one part, or the dictionary of one batch column.
struct StringBytes {
  std::vector<std::int64_t> ends;  // of each string in `bytes`
  std::vector<char> bytes;
};

// A column of a batch while its parts are decoded.
class BatchColumn {
 public:
  BatchColumn(const ParquetColumn& column, std::uint64_t row_count, std::size_t part_count)
      : column_(column),
        row_count_(row_count),
        parts_left_(part_count),
        parts_(is_plain_string() ? part_count : 0),
        dictionary_bases_(column.is_dictionary ? part_count : 0, -1) {}
  // Allocates the memory; the first part to arrive does it for all.
  void prepare(BatchMemory& memory);

  std::byte* values() const { return values_.get(); }
  std::byte* validity() const { return validity_.get(); }
  void saw_null() { any_null_.store(true, std::memory_order_relaxed); }
  StringBytes& part(std::size_t index) { return parts_[index]; }
  // The index that add_dictionary() returned for a part; -1 before.
  std::int64_t& dictionary_base(std::size_t part) { return dictionary_bases_[part]; }
  // Appends a row group's dictionary and returns its first index in the batch's dictionary.
  // Code::capacity if the batch's rows are too few for so many entries (dictionary_limit.hpp).
  Result<std::int64_t> add_dictionary(const parquet::ByteArray* entries, std::int32_t count);
  // Tells whether a row is NULL though the footer counts none in the column.
  bool has_denied_null() const {
    return !column_.field.nullable && any_null_.load(std::memory_order_relaxed);
  }
  // Tells whether this was the last part; then take() may be called.
  bool finish_part() { return parts_left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  Result<Column> take(BatchMemory& memory);

 private:
  bool is_plain_string() const {
    return makes_strings(column_.conversion) ||
           (column_.conversion == Conversion::string && !column_.is_dictionary);
  }

  const ParquetColumn& column_;
  const std::uint64_t row_count_;
  std::once_flag prepared_;
  std::shared_ptr<std::byte> values_, validity_;
  std::atomic<bool> any_null_{false};
  std::atomic<std::size_t> parts_left_;
  std::vector<StringBytes> parts_;  // plain strings
  std::vector<std::int64_t> dictionary_bases_;
  std::mutex dictionary_mutex_;
  StringBytes dictionary_;
};

// Decodes rows of one column chunk, in order. One thread at a time may use it.
class ChunkDecoder {
 public:
  virtual ~ChunkDecoder() = default;
  // `rows`, of the row group, are all that decode_rows() will be called for. Pages without any of
  // them are left out if an offset index tells which these are. Pages are decompressed into
  // `memory`.
  static Result<std::unique_ptr<ChunkDecoder>> open(const ParquetFile& file, int row_group,
                                                    const ParquetColumn& column,
                                                    const RowRanges& rows,
                                                    const std::shared_ptr<BatchMemory>& memory);
  // Decodes rows of the row group into rows [first_row, ...) of `to`, as its part `part`. The rows
  // lie behind the rows of the previous call. May throw what Parquet throws.
  Status decode_rows(BatchColumn& to, std::size_t part, std::uint64_t first_row, RowRange rows);

 protected:
  // Both take the next rows of the pages that are not left out.
  virtual Status decode(BatchColumn& to, std::size_t part, std::uint64_t first_row,
                        std::uint64_t row_count) = 0;
  virtual Status skip(std::uint64_t row_count) = 0;

  // The number in the file of the first row that decode() decodes; for messages.
  std::uint64_t file_row = 0;

 private:
  std::uint64_t group_row_ = 0;  // the file's number of the row group's first row
  std::uint64_t next_row_ = 0;   // of the row group
  RowRanges page_rows_;          // of the row group, in pages that are not left out
};

}  // namespace penstock::io
