#include "codec/pages/page_stream.hpp"

#include <algorithm>
#include <utility>

#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"

namespace penstock::pages {
namespace {

// The limit of bytes read and not taken, unless two batches are larger: the batch that a device is
// busy with, and the next.
constexpr std::uint64_t window_bytes = std::uint64_t{1} << 30;
constexpr std::size_t min_window = 4, max_window = 16;
// Before the first batch is taken all of window_bytes may be read: a device may be opening, which
// takes longer than to read it.
constexpr std::size_t max_first_window = 64;

}  // namespace

Result<std::unique_ptr<PageStream>> PageStream::open(std::shared_ptr<const PagedTable> table,
                                                     std::vector<std::uint32_t> columns,
                                                     std::vector<RowGroupBatch> batches,
                                                     BatchAllocator memory, std::uint32_t threads,
                                                     std::shared_ptr<ReadingOrder> order) {
  return catch_exceptions([&]() -> Result<std::unique_ptr<PageStream>> {
    if (threads == 0) threads = host_core_count();
    if (!order) order = std::make_shared<ReadingOrder>();
    std::unique_ptr<PageStream> stream(new PageStream(std::move(table), std::move(columns),
                                                      std::move(batches), std::move(memory),
                                                      std::move(order)));
    stream->set_window(threads);
    {
      const std::lock_guard lock(stream->order_->mutex_);
      stream->order_->streams_.push_back(stream.get());
    }
    stream->start_threads(threads);
    return stream;
  });
}

PageStream::~PageStream() {
  {
    const std::lock_guard lock(order_->mutex_);
    stopping_ = true;
    std::erase(order_->streams_, this);
  }
  order_->work_.notify_all();
  workers_.clear();  // waits for them
}

// Enough batches that each thread has two chunks.
void PageStream::set_window(std::size_t threads) {
  std::size_t chunks = 1;
  std::uint64_t bytes = 1;
  for (const RowGroupBatch& batch : batches_) {
    chunks = std::max(chunks, batch.row_groups.size() * columns_.size());
    bytes = std::max(bytes, batch.stored_bytes);
  }
  const std::uint64_t that_fit = std::max<std::uint64_t>(window_bytes / bytes, 2);
  window_ = std::min<std::uint64_t>(that_fit, max_first_window);
  later_window_ = std::min<std::uint64_t>(
      that_fit, std::clamp<std::size_t>(2 * threads / chunks + 1, min_window, max_window));
}

void PageStream::start_threads(std::size_t threads) {
  std::size_t chunks = 0;
  for (const RowGroupBatch& batch : batches_) chunks += batch.row_groups.size() * columns_.size();
  workers_.reserve(std::min(threads, chunks));
  while (workers_.size() < std::min(threads, chunks)) {
    try {
      workers_.push_back(ThreadPool::shared().start([this] { run(); }));
    } catch (const std::exception&) {
      if (workers_.empty()) throw;
      return;  // the threads that started are enough
    }
  }
}

void PageStream::open_batch() {
  OpenBatch next;
  next.batch.groups = batches_[opened_];
  next.batch.columns.resize(columns_.size());
  for (std::vector<ChunkPages>& chunks : next.batch.columns)
    chunks.resize(next.batch.groups.row_groups.size());
  std::vector<std::size_t> places = next.batch.groups.places;
  if (places.empty())
    for (std::size_t place = 0; place < columns_.size(); place++) places.push_back(place);
  const std::vector<std::uint32_t> columns = columns_at(places);
  for (std::size_t group = 0; group < next.batch.groups.row_groups.size(); group++)
    for (auto& together : table_->neighbours(columns, next.batch.groups.row_groups[group])) {
      for (std::size_t& column : together) column = places[column];
      next.parts.push_back({group, std::move(together)});
    }
  open_bytes_ += next.batch.groups.stored_bytes;
  open_.push_back(std::move(next));
  opened_++;
}

// Chunks begin in order, so that the last batch's last one is the last.
bool PageStream::has_begun_all() const {
  if (!failed_.ok() || columns_.empty()) return true;
  return opened_ == batches_.size() &&
         (open_.empty() || open_.back().begun == open_.back().parts.size());
}

// Returns whether another batch may be read in addition to the batches that earlier streams hold.
bool PageStream::may_read_ahead() const {
  if (is_asked_) return true;
  std::uint64_t held = 0;
  for (const PageStream* const stream : order_->streams_) {
    if (stream == this) break;
    if (!stream->has_begun_all()) return false;
    held += stream->open_bytes_;
  }
  return held == 0 || held + open_bytes_ + batches_[opened_].stored_bytes <= window_bytes;
}

// Returns the first batch of which a part has not begun; null if none may begin.
PageStream::OpenBatch* PageStream::batch_to_read() {
  if (!failed_.ok()) return nullptr;
  for (OpenBatch& batch : open_)
    if (batch.begun < batch.parts.size()) return &batch;
  if (open_.size() >= window_ || opened_ == batches_.size() || !may_read_ahead()) return nullptr;
  open_batch();
  return &open_.back();
}

void PageStream::run() {
  std::unique_lock lock(order_->mutex_);
  while (!stopping_) {
    OpenBatch* batch = nullptr;
    const Status status = catch_exceptions([&]() -> Status {
      batch = batch_to_read();  // which allocates
      return {};
    });
    if (!status.ok()) {
      failed_ = status;
      ready_.notify_all();
      order_->work_.notify_all();
    }
    if (batch == nullptr)
      order_->work_.wait(lock);
    else
      read_part(*batch, batch->begun++, lock);
  }
}

std::vector<std::uint32_t> PageStream::columns_at(std::span<const std::size_t> places) const {
  std::vector<std::uint32_t> columns;
  for (const std::size_t place : places) columns.push_back(columns_[place]);
  return columns;
}

// Reads without the lock. The deque keeps its elements in place meanwhile: a batch is taken when
// all its parts are done.
void PageStream::read_part(OpenBatch& of, std::size_t number, std::unique_lock<std::mutex>& lock) {
  const Part& part = of.parts[number];
  const std::uint32_t row_group = of.batch.groups.row_groups[part.group];
  const bool was_last = has_begun_all();
  lock.unlock();
  if (was_last) order_->work_.notify_all();  // other streams of the order
  auto pages = catch_exceptions([&] {
    // While all threads read, they take no helpers: with helpers a large chunk was read in pieces
    // by twice as many threads as there are cores.
    const ThreadPool::TakenCore core(ThreadPool::shared());
    return table_->read_neighbours(columns_at(part.columns), row_group, memory_);
  });
  lock.lock();
  if (pages.ok()) {
    for (std::size_t i = 0; i < part.columns.size(); i++)
      of.batch.columns[part.columns[i]][part.group] = std::move((*pages)[i]);
  } else if (of.status.ok() || number < of.failed_part) {
    of.status = pages.status();
    of.failed_part = number;
  }
  if (!pages.ok() && failed_.ok()) {
    failed_ = pages.status();
    order_->work_.notify_all();
  }
  of.done++;
  if (of.done == of.begun) ready_.notify_all();
}

Result<std::optional<PageBatch>> PageStream::next() {
  return catch_exceptions([&]() -> Result<std::optional<PageBatch>> {
    std::unique_lock lock(order_->mutex_);
    window_ = later_window_;
    if (!std::exchange(is_asked_, true)) order_->work_.notify_all();
    if (open_.empty() && opened_ < batches_.size() && failed_.ok()) {
      open_batch();
      order_->work_.notify_all();
    }
    if (open_.empty()) {
      PENSTOCK_TRY(failed_);
      return std::optional<PageBatch>();
    }
    OpenBatch& front = open_.front();
    // After a failure no part begins, but the parts that have begun end: an earlier part may fail,
    // too.
    ready_.wait(lock, [&] {
      return front.done == front.begun && (front.done == front.parts.size() || !failed_.ok());
    });
    PENSTOCK_TRY(front.status);
    if (front.done < front.parts.size()) return failed_;
    std::optional<PageBatch> batch = std::move(front.batch);
    open_bytes_ -= batch->groups.stored_bytes;
    open_.pop_front();
    order_->work_.notify_all();
    return batch;
  });
}

}  // namespace penstock::pages
