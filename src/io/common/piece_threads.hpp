// Threads that several readers share for the pieces of large reads, so that all of them are at work
// whoever reads.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace penstock::io {

class PieceThreads {
 public:
  // So many threads, or as many as there can be; none is no error.
  explicit PieceThreads(std::uint64_t threads);
  ~PieceThreads();
  // Calls piece(0) ... piece(count - 1), those of earlier callers first, and returns when all have
  // ended. What a piece throws, the first of them, is thrown then; without threads no further piece
  // is begun.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& piece);

 private:
  struct Work {
    const std::function<void(std::int64_t)>& piece;
    std::int64_t next, count, left;
    std::exception_ptr thrown = nullptr;  // the first
  };
  void work();

  std::mutex mutex_;
  std::condition_variable wanted_, done_;
  std::deque<Work*> waiting_;  // of which pieces have not begun
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace penstock::io
