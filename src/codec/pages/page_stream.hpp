// Reads the pages of a table ahead, batch by batch, by several threads.
//
// Each thread reads one column chunk at a time, or a few that are neighbours in the file, in the
// order in which they are needed, so that many threads fill a batch at the speed of memory. A
// failure is reported in its batch's turn.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>

#include "base/thread_pool.hpp"
#include "codec/pages/page_batches.hpp"

namespace penstock::pages {

struct PageBatch {
  RowGroupBatch groups;
  // For each column asked for, the chunk of each row group of the batch; without bytes where the
  // column is not read of it.
  std::vector<std::vector<ChunkPages>> columns;
};

class PageStream {
 public:
  // `threads` of 0: one a core. `memory` may be empty, as for PagedTable::read().
  static Result<std::unique_ptr<PageStream>> open(std::shared_ptr<const PagedTable> table,
                                                  std::vector<std::uint32_t> columns,
                                                  std::vector<RowGroupBatch> batches,
                                                  BatchAllocator memory, std::uint32_t threads = 0);
  ~PageStream();  // waits for the chunks that are being read, and begins no more
  PageStream(const PageStream&) = delete;
  PageStream& operator=(const PageStream&) = delete;

  // Returns the next batch, nullopt after the last. After a failure the same failure again. One
  // thread at a time may call it.
  Result<std::optional<PageBatch>> next();

 private:
  // Chunks that are read at once.
  struct Part {
    std::size_t group = 0;             // of the batch's row groups
    std::vector<std::size_t> columns;  // of those asked for
  };
  struct OpenBatch {
    PageBatch batch;
    std::vector<Part> parts;
    std::size_t begun = 0, done = 0;  // of its parts
    std::size_t failed_part = 0;      // the first one, where `status` is a failure
    Status status;
  };

  PageStream(std::shared_ptr<const PagedTable> table, std::vector<std::uint32_t> columns,
             std::vector<RowGroupBatch> batches, BatchAllocator memory)
      : table_(std::move(table)),
        columns_(std::move(columns)),
        batches_(std::move(batches)),
        memory_(std::move(memory)) {}
  void set_window(std::size_t threads);
  void start_threads(std::size_t threads);
  void open_batch();
  OpenBatch* batch_to_read();
  void run();
  void read_part(OpenBatch& of, std::size_t number, std::unique_lock<std::mutex>& lock);
  std::vector<std::uint32_t> columns_at(std::span<const std::size_t> places) const;

  const std::shared_ptr<const PagedTable> table_;
  const std::vector<std::uint32_t> columns_;
  std::vector<RowGroupBatch> batches_;
  const BatchAllocator memory_;

  std::mutex mutex_;
  std::size_t window_ = 2, later_window_ = 2;  // batches begun and not taken
  std::condition_variable work_, ready_;
  std::deque<OpenBatch> open_;  // those begun and not taken
  std::size_t opened_ = 0;      // of batches_
  bool stopping_ = false;
  Status failed_;  // the first failure; no further chunk is begun
  std::vector<Task<void>> workers_;
};

}  // namespace penstock::pages
