#include "io/parquet/parquet_scan.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <thread>

#include "base/thread_pool.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/parquet/parquet_decode.hpp"

namespace penstock::io {
namespace {

// A row group of which rows are read.
struct Group {
  int index = 0;
  RowRanges rows;                    // numbered from the row group's first
  std::uint64_t begin = 0, end = 0;  // where they stand among all rows that are read
};

struct Part {
  enum class State : unsigned char { waiting, running, done };
  State state = State::waiting;
  const Group* group = nullptr;
  std::size_t column = 0;       // index among the columns asked for
  std::size_t index = 0;        // index among the column's parts of this batch
  std::uint64_t first_row = 0;  // in the batch
  RowRanges rows;               // of the row group
  bool begins_chunk = false, ends_chunk = false;
};

struct Batch {
  std::uint64_t row_count = 0;
  std::deque<BatchColumn> columns;  // a deque: the type cannot be moved
  std::vector<Column> done;
  std::vector<Part> parts;
  std::size_t parts_left = 0;
  Status status;  // the first failure
};

// Limit of what is decoded before the first read: meanwhile a device opens, which takes a core.
constexpr std::uint64_t first_window_bytes = 16 << 20;

// Returns the row groups of which rows are read; `selected`: null for all rows.
std::vector<Group> groups_of(const ParquetFile& file, const RowSelection* selected) {
  RowRanges all;
  add_range(all, {0, file.first_rows().back()});
  const RowRanges& ranges = selected ? selected->ranges : all;
  std::vector<Group> groups;
  std::uint64_t begin = 0;
  for (int i = 0; i < file.row_group_count(); i++) {
    const std::uint64_t first = file.first_rows()[static_cast<std::size_t>(i)],
                        end = file.first_rows()[static_cast<std::size_t>(i) + 1];
    RowRanges rows = rows_between(ranges, {first, end});
    if (rows.empty()) continue;
    const std::uint64_t count = row_count(rows);
    groups.push_back({i, std::move(rows), begin, begin + count});
    begin += count;
  }
  return groups;
}

class ParquetStream final : public BatchStream {
 public:
  ParquetStream(std::shared_ptr<const ParquetFile> file, std::span<const std::uint32_t> columns,
                const ScanOptions& options);
  ~ParquetStream() override;
  Status start(std::uint32_t threads);
  Result<std::optional<Table>> next() override;

 private:
  using Chunk = std::pair<const Group*, std::size_t>;  // row group, column

  std::uint64_t row_total() const { return groups_.empty() ? 0 : groups_.back().end; }

  std::uint64_t row_bytes() const {
    std::uint64_t bytes = 0;
    for (const ParquetColumn* column : columns_) bytes += width_bytes(column->field.type);
    return bytes;
  }
  void open_batch();
  void run();
  Part* next_part(Batch*& batch);
  Status decode(Batch& batch, const Part& part, std::unique_ptr<ChunkDecoder> decoder);
  std::string context_of(const Part& part) const {
    return "while decoding column '" + columns_[part.column]->field.name + "', row group " +
           std::to_string(part.group->index);
  }

  std::shared_ptr<const ParquetFile> file_;
  const std::vector<Group> groups_;
  std::vector<const ParquetColumn*> columns_;
  std::uint64_t batch_rows_;
  std::size_t window_ = 2, first_window_ = 2;  // batches decoded ahead, and before the first read
  std::shared_ptr<BatchMemory> memory_, page_memory_;

  std::mutex mutex_;
  std::condition_variable work_, ready_;
  std::deque<std::unique_ptr<Batch>> batches_;  // opened and not yet taken
  std::map<Chunk, std::unique_ptr<ChunkDecoder>>
      decoders_;  // of chunks that are begun and not ended; null while one runs
  std::uint64_t opened_rows_ = 0;
  bool stopping_ = false, is_read_ = false;
  Status failed_;
  std::vector<std::thread> threads_;
};

ParquetStream::ParquetStream(std::shared_ptr<const ParquetFile> file,
                             std::span<const std::uint32_t> columns, const ScanOptions& options)
    : file_(std::move(file)),
      groups_(groups_of(*file_, options.rows.get())),
      batch_rows_(std::max<std::uint64_t>(options.batch_rows / 64 * 64, 64)) {
  for (const std::uint32_t column : columns) columns_.push_back(&file_->columns()[column]);
  memory_ = std::make_shared<BatchMemory>(4 * (columns_.size() + 1) * 2, options.memory);
  page_memory_ = std::make_shared<BatchMemory>(4 * (columns_.size() + 1) * 2, BatchAllocator());
}

ParquetStream::~ParquetStream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Status ParquetStream::start(std::uint32_t threads) {
  if (threads == 0) threads = host_core_count();
  const std::uint64_t chunks = groups_.size() * columns_.size();
  if (chunks == 0) return {};
  // Enough batches ahead that each thread has two parts: one is enough where a batch spans many
  // row groups.
  const std::uint64_t group_rows = std::max<std::uint64_t>(row_total() / groups_.size(), 1);
  const std::uint64_t batch_parts =
      columns_.size() * std::max<std::uint64_t>(batch_rows_ / group_rows, 1);
  window_ = std::clamp<std::uint64_t>(2 * threads / batch_parts + 1, 2, 16);
  first_window_ = std::clamp<std::uint64_t>(
      first_window_bytes / (batch_rows_ * std::max<std::uint64_t>(row_bytes(), 1)), window_, 16);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(threads, chunks); i++)
    threads_.emplace_back([this] { run(); });
  return {};
}

void ParquetStream::open_batch() {
  auto batch = std::make_unique<Batch>();
  batch->row_count = std::min(batch_rows_, row_total() - opened_rows_);
  const std::uint64_t end = opened_rows_ + batch->row_count;
  std::size_t index = 0;
  for (auto group =
           std::upper_bound(groups_.begin(), groups_.end(), opened_rows_,
                            [](std::uint64_t row, const Group& one) { return row < one.end; });
       group != groups_.end() && group->begin < end; group++, index++) {
    const std::uint64_t from = std::max(opened_rows_, group->begin), to = std::min(end, group->end);
    const RowRanges rows = rows_counted(group->rows, {from - group->begin, to - group->begin});
    for (std::size_t column = 0; column < columns_.size(); column++)
      batch->parts.push_back({Part::State::waiting, &*group, column, index, from - opened_rows_,
                              rows, from == group->begin, to == group->end});
  }
  for (const ParquetColumn* column : columns_)
    batch->columns.emplace_back(*column, batch->row_count, index);
  batch->done.resize(columns_.size());
  batch->parts_left = batch->parts.size();
  opened_rows_ = end;
  batches_.push_back(std::move(batch));
}

// Returns the first part in row order that can run: its chunk's earlier rows are decoded. Opens
// batches up to the window.
Part* ParquetStream::next_part(Batch*& batch) {
  if (!failed_.ok()) return nullptr;
  for (std::size_t i = 0; i < (is_read_ ? window_ : first_window_); i++) {
    if (i == batches_.size()) {
      if (opened_rows_ == row_total()) return nullptr;
      open_batch();
    }
    batch = batches_[i].get();
    for (Part& part : batch->parts) {
      if (part.state != Part::State::waiting) continue;
      if (part.begins_chunk) return &part;
      const auto decoder = decoders_.find({part.group, part.column});
      if (decoder != decoders_.end() && decoder->second) return &part;
    }
  }
  return nullptr;
}

void ParquetStream::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    Batch* batch = nullptr;
    Status status;
    // Opening a batch allocates.
    Part* part = nullptr;
    status = catch_arrow_exceptions([&]() -> Status {
      part = next_part(batch);
      return {};
    });
    if (!status.ok()) failed_ = status;
    if (part == nullptr) {
      ready_.notify_all();
      work_.wait(lock);
      continue;
    }
    part->state = Part::State::running;
    // Taken before the lock is released: its absence keeps other threads from the chunk's next
    // part.
    std::unique_ptr<ChunkDecoder> decoder;
    if (!part->begins_chunk)
      decoder = std::move(decoders_.find({part->group, part->column})->second);
    lock.unlock();
    status = catch_arrow_exceptions([&] { return decode(*batch, *part, std::move(decoder)); });
    if (!status.ok())
      status = catch_arrow_exceptions([&] { return status.with(context_of(*part)); });
    lock.lock();
    part->state = Part::State::done;
    if (!status.ok() && batch->status.ok()) batch->status = status;
    if (!status.ok()) failed_ = batch->status;
    batch->parts_left--;
    work_.notify_all();
    if (batch->parts_left == 0 || !status.ok()) ready_.notify_all();
  }
}

// `decoder` is null for the first part of a chunk.
Status ParquetStream::decode(Batch& batch, const Part& part,
                             std::unique_ptr<ChunkDecoder> decoder) {
  const Chunk chunk{part.group, part.column};
  if (part.begins_chunk) {
    PENSTOCK_ASSIGN(decoder, ChunkDecoder::open(*file_, part.group->index, *columns_[part.column],
                                                part.group->rows, page_memory_));
  }
  BatchColumn& column = batch.columns[part.column];
  column.prepare(*memory_);
  std::uint64_t row = part.first_row;
  for (const RowRange& rows : part.rows) {
    PENSTOCK_TRY(decoder->decode_rows(column, part.index, row, rows));
    row += rows.end - rows.begin;
  }
  if (!part.ends_chunk || !part.begins_chunk) {
    const std::lock_guard lock(mutex_);
    if (part.ends_chunk)
      decoders_.erase(chunk);
    else
      decoders_[chunk] = std::move(decoder);
  }
  if (!column.finish_part()) return {};
  if (column.has_denied_null()) {
    file_->found_null();
    return {Code::corrupt, "NULLs where the footer counts none"};
  }
  PENSTOCK_ASSIGN(batch.done[part.column], column.take(*memory_));
  return {};
}

Result<std::optional<Table>> ParquetStream::next() {
  return catch_arrow_exceptions([&]() -> Result<std::optional<Table>> {
    std::unique_lock lock(mutex_);
    is_read_ = true;
    if (batches_.empty() && opened_rows_ < row_total() && failed_.ok()) {
      open_batch();
      work_.notify_all();
    }
    if (batches_.empty()) {
      PENSTOCK_TRY(failed_.with("while reading '" + file_->path() + "'"));
      return std::optional<Table>();
    }
    Batch& front = *batches_.front();
    // After a failure no new part begins, so a batch may stay unfinished.
    ready_.wait(lock, [&] { return front.parts_left == 0 || !failed_.ok(); });
    if (front.parts_left > 0 || !front.status.ok())
      return (front.status.ok() ? failed_ : front.status)
          .with("while reading '" + file_->path() + "'");
    Table table;
    table.row_count = front.row_count;
    table.columns = std::move(front.done);
    for (const ParquetColumn* column : columns_) table.names.push_back(column->field.name);
    batches_.pop_front();
    work_.notify_all();
    return std::optional<Table>(std::move(table));
  });
}

}  // namespace

Result<std::unique_ptr<BatchStream>> scan_parquet(std::shared_ptr<const ParquetFile> file,
                                                  std::span<const std::uint32_t> columns,
                                                  const ScanOptions& options) {
  return catch_arrow_exceptions([&]() -> Result<std::unique_ptr<BatchStream>> {
    auto stream = std::make_unique<ParquetStream>(std::move(file), columns, options);
    PENSTOCK_TRY(stream->start(options.threads));
    return std::unique_ptr<BatchStream>(std::move(stream));
  });
}

}  // namespace penstock::io
