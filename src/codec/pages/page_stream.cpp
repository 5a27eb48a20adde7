#include "codec/pages/page_stream.hpp"

#include <algorithm>

#include "base/exception_boundary.hpp"

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
    const std::size_t thread_count = threads == 0 ? host_core_count() : threads;
    if (!order) order = std::make_shared<ReadingOrder>();
    std::unique_ptr<PageStream> stream(new PageStream(std::move(table), std::move(columns),
                                                      std::move(batches), std::move(memory),
                                                      std::move(order)));
    {
      const std::lock_guard lock(stream->order_->lock_.mutex);
      stream->order_->streams_.push_back(stream.get());
    }
    stream->window_.start(stream->window_size(thread_count),
                          std::min(thread_count, stream->chunk_count()));
    return stream;
  });
}

PageStream::PageStream(std::shared_ptr<const PagedTable> table, std::vector<std::uint32_t> columns,
                       std::vector<RowGroupBatch> batches, BatchAllocator memory,
                       std::shared_ptr<ReadingOrder> order)
    : table_(std::move(table)),
      columns_(std::move(columns)),
      batches_(std::move(batches)),
      memory_(std::move(memory)),
      order_(std::move(order)),
      window_(
          order_->lock_,
          {.open = [this](bool is_asked) { return open_batch(is_asked); },
           .fill = [this](PageBatch& batch, Part& part, std::size_t) { return read(batch, part); },
           .take = [this](const PageBatch& batch) { open_bytes_ -= batch.groups.stored_bytes; }}) {}

PageStream::~PageStream() {
  {
    const std::lock_guard lock(order_->lock_.mutex);
    std::erase(order_->streams_, this);
  }
  order_->lock_.work.notify_all();
}

// Enough batches that each thread has two chunks.
WindowSize PageStream::window_size(std::size_t threads) const {
  std::size_t chunks = 1;
  std::uint64_t bytes = 1;
  for (const RowGroupBatch& batch : batches_) {
    chunks = std::max(chunks, batch.row_groups.size() * columns_.size());
    bytes = std::max(bytes, batch.stored_bytes);
  }
  const std::uint64_t that_fit = std::max<std::uint64_t>(window_bytes / bytes, 2);
  return {.first = std::min<std::uint64_t>(that_fit, max_first_window),
          .later = std::min<std::uint64_t>(
              that_fit, std::clamp<std::size_t>(2 * threads / chunks + 1, min_window, max_window))};
}

std::size_t PageStream::chunk_count() const {
  std::size_t chunks = 0;
  for (const RowGroupBatch& batch : batches_) chunks += batch.row_groups.size() * columns_.size();
  return chunks;
}

std::optional<PageStream::Window::Opened> PageStream::open_batch(bool is_asked) {
  if (opened_ == batches_.size() || !(is_asked || may_read_ahead())) return std::nullopt;
  Window::Opened next;
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
  opened_++;
  return next;
}

// Chunks begin in order, so that the last batch's last one is the last.
bool PageStream::has_begun_all() const {
  if (window_.has_failed() || columns_.empty()) return true;
  return opened_ == batches_.size() && window_.has_begun_all();
}

// Returns whether another batch may be read in addition to the batches that earlier streams hold.
bool PageStream::may_read_ahead() const {
  std::uint64_t held = 0;
  for (const PageStream* const stream : order_->streams_) {
    if (stream == this) break;
    if (!stream->has_begun_all()) return false;
    held += stream->open_bytes_;
  }
  return held == 0 || held + open_bytes_ + batches_[opened_].stored_bytes <= window_bytes;
}

std::vector<std::uint32_t> PageStream::columns_at(std::span<const std::size_t> places) const {
  std::vector<std::uint32_t> columns;
  for (const std::size_t place : places) columns.push_back(columns_[place]);
  return columns;
}

Result<bool> PageStream::read(PageBatch& batch, const Part& part) {
  bool is_last = false;
  {
    const std::lock_guard lock(order_->lock_.mutex);
    is_last = has_begun_all();
  }
  if (is_last) order_->lock_.work.notify_all();  // others of the order
  // While all threads read, none gets help: with help a large chunk was read in pieces, by twice as
  // many threads as there are cores.
  const ThreadPool::TakenCore core(ThreadPool::shared());
  PENSTOCK_ASSIGN(auto pages,
                  table_->read_neighbours(columns_at(part.columns),
                                          batch.groups.row_groups[part.group], memory_));
  for (std::size_t i = 0; i < part.columns.size(); i++)
    batch.columns[part.columns[i]][part.group] = std::move(pages[i]);
  return true;
}

}  // namespace penstock::pages
