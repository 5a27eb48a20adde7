// Tables read ahead by several threads and handed out in order (OrderedWindow).
//
// Each thread has a reader of its own and takes the next table that no thread has begun.
#pragma once
#include "base/ordered_window.hpp"
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
  // Returns the next table; at the end, and after a failure, the same result again.
  Result<std::optional<Table>> next() { return window_.next(); }

 private:
  using Window = OrderedWindow<Table, std::uint64_t>;  // the part: the table's index
  explicit ReadAhead(std::vector<ReadTable> readers) : readers_(std::move(readers)) {}
  Result<bool> read(Table& table, std::uint64_t index, std::size_t thread) const;

  const std::vector<ReadTable> readers_;
  std::uint64_t opened_ = 0;
  WindowLock lock_;
  Window window_{lock_,
                 {.open = [this](bool) { return Window::Opened{{}, {opened_++}}; },
                  .fill = [this](Table& table, std::uint64_t& index,
                                 std::size_t thread) { return read(table, index, thread); }}};
};

}  // namespace penstock::io
