// Reads the pages of a table ahead, batch by batch, by several threads.
//
// Each thread reads one column chunk at a time, or a few that are neighbours in the file, in the
// order in which they are needed (OrderedWindow), so that many threads fill a batch at the speed of
// memory.
//
// Streams of several tables may read in one order: a later stream begins while batches of earlier
// streams are still being decoded.
#pragma once
#include "base/ordered_window.hpp"
#include "codec/pages/page_batches.hpp"

namespace penstock::pages {

struct PageBatch {
  RowGroupBatch groups;
  // For each requested column, the chunk of each row group of the batch; without bytes if the
  // column is not read from it.
  std::vector<std::vector<ChunkPages>> columns;
};

class PageStream;

// The order in which streams read. A stream begins when all streams opened before it have begun all
// their chunks. The chunks of earlier streams and its own read-ahead share the limit of one stream.
// Once a batch is requested, a stream does not wait for the others.
class ReadingOrder {
 private:
  friend class PageStream;
  WindowLock lock_;
  std::vector<const PageStream*> streams_;
};

class PageStream {
 public:
  // `threads` of 0: one a core. `memory` may be empty, as for PagedTable::read(). `order`: null
  // where the stream reads by itself.
  static Result<std::unique_ptr<PageStream>> open(std::shared_ptr<const PagedTable> table,
                                                  std::vector<std::uint32_t> columns,
                                                  std::vector<RowGroupBatch> batches,
                                                  BatchAllocator memory, std::uint32_t threads = 0,
                                                  std::shared_ptr<ReadingOrder> order = nullptr);
  ~PageStream();  // waits for the chunks that are being read, and begins no more
  PageStream(const PageStream&) = delete;
  PageStream& operator=(const PageStream&) = delete;

  // Returns the next batch, nullopt after the last. After a failure the same failure again. One
  // thread at a time may call it.
  Result<std::optional<PageBatch>> next() { return window_.next(); }

 private:
  // Chunks that are read at once.
  struct Part {
    std::size_t group = 0;             // of the batch's row groups
    std::vector<std::size_t> columns;  // of the requested ones
  };
  using Window = OrderedWindow<PageBatch, Part>;

  PageStream(std::shared_ptr<const PagedTable> table, std::vector<std::uint32_t> columns,
             std::vector<RowGroupBatch> batches, BatchAllocator memory,
             std::shared_ptr<ReadingOrder> order);
  WindowSize window_size(std::size_t threads) const;
  std::size_t chunk_count() const;
  std::optional<Window::Opened> open_batch(bool is_asked);
  bool has_begun_all() const;
  bool may_read_ahead() const;
  Result<bool> read(PageBatch& batch, const Part& part);
  std::vector<std::uint32_t> columns_at(std::span<const std::size_t> places) const;

  const std::shared_ptr<const PagedTable> table_;
  const std::vector<std::uint32_t> columns_;
  const std::vector<RowGroupBatch> batches_;
  const BatchAllocator memory_;

  const std::shared_ptr<ReadingOrder> order_;  // its lock guards what follows
  std::uint64_t open_bytes_ = 0;               // of the batches begun and not taken
  std::size_t opened_ = 0;                     // of batches_
  Window window_;                              // last: it uses the others
};

}  // namespace penstock::pages
