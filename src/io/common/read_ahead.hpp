// Tables read ahead by several threads and handed out in order.
//
// Each thread has a reader of its own and takes the next table that no thread has begun. At most a
// window of tables is begun before they are asked for, which bounds the memory. A failure is
// reported in its table's turn.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/thread_pool.hpp"
#include "penstock/column.hpp"

namespace penstock::io {

// Reads table `index` of the source; nullopt after the last. A single reader is called with 0, 1,
// 2... Throws nothing.
using ReadTable = std::function<Result<std::optional<Table>>(std::uint64_t index)>;

class ReadAhead {
 public:
  // Starts one thread per reader. They begin at most `first_window` tables before the first is
  // asked for, as a scan that is begun early may be given up. Throws what starting a thread throws.
  static std::unique_ptr<ReadAhead> start(std::vector<ReadTable> readers, std::size_t window,
                                          std::size_t first_window);
  ~ReadAhead();  // waits for the tables begun, and begins no more
  // Returns the next table; at the end, and after a failure, the same result again.
  Result<std::optional<Table>> next();

 private:
  ReadAhead(std::vector<ReadTable> readers, std::size_t window, std::size_t first_window)
      : readers_(std::move(readers)), done_(window), open_(first_window) {}
  void run(const ReadTable& read);

  const std::vector<ReadTable> readers_;
  std::mutex mutex_;
  std::condition_variable work_, ready_;
  std::vector<std::optional<Result<std::optional<Table>>>> done_;  // by index modulo the window
  std::size_t open_;  // tables that may be begun and not taken
  std::uint64_t begun_ = 0, taken_ = 0;
  bool ended_ = false, stopping_ = false;
  std::vector<Task<void>> workers_;
};

}  // namespace penstock::io
