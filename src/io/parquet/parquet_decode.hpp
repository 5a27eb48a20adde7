// Decodes one column of one row group, in order, straight into the memory of batches.
//
// Row groups and batches do not share boundaries: a piece is the rows that one row group gives to
// one batch. Several threads fill pieces of one batch column at once; only bytes of bits are shared
// at the pieces' edges, and those are or-ed atomically.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "io/common/batch_memory.hpp"
#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

// Texts of one piece, or the dictionary of one batch column.
struct Texts {
  std::vector<std::int64_t> ends;  // of each text in `bytes`
  std::vector<char> bytes;
};

// A column of a batch while its pieces are decoded.
class BatchColumn {
 public:
  BatchColumn(const ParquetColumn& column, std::uint64_t row_count, std::size_t piece_count)
      : column_(column),
        row_count_(row_count),
        pieces_left_(piece_count),
        pieces_(is_plain_text() ? piece_count : 0) {}
  // Takes the memory; the first piece that comes does it for all.
  void prepare(BatchMemory& memory);

  std::byte* values() const { return values_.get(); }
  std::byte* validity() const { return validity_.get(); }
  void saw_null() { any_null_.store(true, std::memory_order_relaxed); }
  Texts& piece(std::size_t index) { return pieces_[index]; }
  // Appends a row group's dictionary and says where it begins in the batch's. Code::capacity where
  // a batch of so many rows has no use for so many (dictionary_limit.hpp).
  Result<std::int64_t> add_dictionary(const parquet::ByteArray* entries, std::int32_t count);
  // Whether this was the last piece; then take() may be called.
  bool finish_piece() { return pieces_left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  Result<Column> take(BatchMemory& memory);

 private:
  bool is_plain_text() const {
    return column_.conversion == Conversion::string && !column_.is_dictionary;
  }

  const ParquetColumn& column_;
  const std::uint64_t row_count_;
  std::once_flag prepared_;
  std::shared_ptr<std::byte> values_, validity_;
  std::atomic<bool> any_null_{false};
  std::atomic<std::size_t> pieces_left_;
  std::vector<Texts> pieces_;  // plain strings
  std::mutex dictionary_mutex_;
  Texts dictionary_;
};

// The reader of one column chunk. One thread at a time.
class ChunkDecoder {
 public:
  virtual ~ChunkDecoder() = default;
  // The number in the file of the first row that the next call decodes; for messages.
  std::uint64_t file_row = 0;
  // Decodes the next `row_count` rows into rows [first_row, ...) of `to`, whose piece this is. May
  // throw what Parquet throws.
  virtual Status decode(BatchColumn& to, std::size_t piece, std::uint64_t first_row,
                        std::uint64_t row_count) = 0;
  // `memory` is where pages go.
  static Result<std::unique_ptr<ChunkDecoder>> open(const ParquetFile& file, int row_group,
                                                    const ParquetColumn& column,
                                                    const std::shared_ptr<BatchMemory>& memory);
};

}  // namespace penstock::io
