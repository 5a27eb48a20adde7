#include "io/common/read_ahead.hpp"

namespace penstock::io {

std::unique_ptr<ReadAhead> ReadAhead::start(std::vector<ReadTable> readers, std::size_t window,
                                            std::size_t first_window) {
  std::unique_ptr<ReadAhead> ahead(new ReadAhead(std::move(readers), window, first_window));
  for (const ReadTable& read : ahead->readers_)
    ahead->workers_.push_back(
        ThreadPool::shared().start([&ahead = *ahead, &read] { ahead.run(read); }));
  return ahead;
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  workers_.clear();  // waits for them
}

void ReadAhead::run(const ReadTable& read) {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stopping_ || ended_ || begun_ < taken_ + open_; });
    if (stopping_ || ended_) return;
    const std::uint64_t index = begun_++;
    lock.unlock();
    Result<std::optional<Table>> table = read(index);
    lock.lock();
    if (!table.ok() || !table.value()) {
      ended_ = true;  // the tables before it were begun and will arrive
      work_.notify_all();
    }
    done_[index % done_.size()].emplace(std::move(table));
    ready_.notify_all();
  }
}

Result<std::optional<Table>> ReadAhead::next() {
  std::unique_lock lock(mutex_);
  if (open_ != done_.size()) {
    open_ = done_.size();
    work_.notify_all();
  }
  auto& slot = done_[taken_ % done_.size()];
  ready_.wait(lock, [&] { return slot.has_value(); });
  if (!slot->ok() || !slot->value()) return *slot;
  Result<std::optional<Table>> table = std::move(*slot);
  slot.reset();
  taken_++;
  work_.notify_one();
  return table;
}

}  // namespace penstock::io
