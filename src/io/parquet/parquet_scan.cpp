#include "io/parquet/parquet_scan.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <thread>

#include "io/common/arrow_errors.hpp"
#include "io/parquet/parquet_decode.hpp"

namespace penstock::io {
namespace {

struct Piece {
  enum class State : unsigned char { waiting, running, done };
  State state = State::waiting;
  int row_group = 0;
  std::size_t column = 0;       // among those asked for
  std::size_t index = 0;        // among the column's pieces of this batch
  std::uint64_t first_row = 0;  // in the batch
  std::uint64_t row_count = 0;
  bool begins_chunk = false, ends_chunk = false;
};

struct Batch {
  std::uint64_t first_row = 0, row_count = 0;
  std::deque<BatchColumn> columns;  // of a type that cannot move
  std::vector<Column> done;
  std::vector<Piece> pieces;
  std::size_t pieces_left = 0;
  Status status;  // the first failure
};

// Decoded before anyone reads: meanwhile a device opens, which takes one of the cores.
constexpr std::uint64_t first_window_bytes = 16 << 20;

class ParquetStream final : public BatchStream {
 public:
  ParquetStream(std::shared_ptr<const ParquetFile> file, std::span<const std::uint32_t> columns,
                const ScanOptions& options);
  ~ParquetStream() override;
  Status start(std::uint32_t threads);
  Result<std::optional<Table>> next() override;

 private:
  using Chunk = std::pair<int, std::size_t>;  // row group, column

  std::uint64_t row_bytes() const {
    std::uint64_t bytes = 0;
    for (const ParquetColumn* column : columns_) bytes += width_bytes(column->field.type);
    return bytes;
  }
  void open_batch();
  void run();
  Piece* next_piece(Batch*& batch);
  Status decode(Batch& batch, const Piece& piece, std::unique_ptr<ChunkDecoder> decoder);
  std::string words_of(const Piece& piece) const {
    return "while decoding column '" + columns_[piece.column]->field.name + "', row group " +
           std::to_string(piece.row_group);
  }

  std::shared_ptr<const ParquetFile> file_;
  std::vector<const ParquetColumn*> columns_;
  std::uint64_t batch_rows_;
  std::size_t window_ = 2, first_window_ = 2;  // batches decoded ahead; and before anyone reads
  std::shared_ptr<BatchMemory> memory_, page_memory_;

  std::mutex mutex_;
  std::condition_variable work_, ready_;
  std::deque<std::unique_ptr<Batch>> batches_;  // opened and not yet taken
  std::map<Chunk, std::unique_ptr<ChunkDecoder>>
      decoders_;  // of chunks begun and not ended; null while running
  std::uint64_t opened_rows_ = 0;
  bool stopping_ = false, is_read_ = false;
  Status failed_;
  std::vector<std::thread> threads_;
};

ParquetStream::ParquetStream(std::shared_ptr<const ParquetFile> file,
                             std::span<const std::uint32_t> columns, const ScanOptions& options)
    : file_(std::move(file)),
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
  if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1u);
  const std::uint64_t chunks =
      static_cast<std::uint64_t>(file_->row_group_count()) * columns_.size();
  if (chunks == 0) return {};
  // Enough batches ahead that each thread has two pieces: one is enough where a batch spans many
  // row groups.
  const std::uint64_t group_rows = std::max<std::uint64_t>(
      file_->first_rows().back() / static_cast<std::uint64_t>(file_->row_group_count()), 1);
  const std::uint64_t batch_pieces =
      columns_.size() * std::max<std::uint64_t>(batch_rows_ / group_rows, 1);
  window_ = std::clamp<std::uint64_t>(2 * threads / batch_pieces + 1, 2, 16);
  first_window_ = std::clamp<std::uint64_t>(
      first_window_bytes / (batch_rows_ * std::max<std::uint64_t>(row_bytes(), 1)), window_, 16);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(threads, chunks); i++)
    threads_.emplace_back([this] { run(); });
  return {};
}

void ParquetStream::open_batch() {
  auto batch = std::make_unique<Batch>();
  const auto& group_rows = file_->first_rows();
  batch->first_row = opened_rows_;
  batch->row_count = std::min(batch_rows_, group_rows.back() - opened_rows_);
  const std::uint64_t end = opened_rows_ + batch->row_count;
  const auto first_group =
      std::upper_bound(group_rows.begin(), group_rows.end(), opened_rows_) - group_rows.begin() - 1;
  std::size_t index = 0;
  for (auto group = static_cast<std::size_t>(first_group);
       group + 1 < group_rows.size() && group_rows[group] < end; group++) {
    const std::uint64_t from = std::max(opened_rows_, group_rows[group]),
                        to = std::min(end, group_rows[group + 1]);
    if (from == to) continue;
    for (std::size_t column = 0; column < columns_.size(); column++)
      batch->pieces.push_back({Piece::State::waiting, static_cast<int>(group), column, index,
                               from - opened_rows_, to - from, from == group_rows[group],
                               to == group_rows[group + 1]});
    index++;
  }
  for (const ParquetColumn* column : columns_)
    batch->columns.emplace_back(*column, batch->row_count, index);
  batch->done.resize(columns_.size());
  batch->pieces_left = batch->pieces.size();
  opened_rows_ = end;
  batches_.push_back(std::move(batch));
}

// The first piece in row order that can run: its chunk's rows before it are decoded. Opens batches
// up to the window.
Piece* ParquetStream::next_piece(Batch*& batch) {
  if (!failed_.ok()) return nullptr;
  for (std::size_t i = 0; i < (is_read_ ? window_ : first_window_); i++) {
    if (i == batches_.size()) {
      if (opened_rows_ == file_->first_rows().back()) return nullptr;
      open_batch();
    }
    batch = batches_[i].get();
    for (Piece& piece : batch->pieces) {
      if (piece.state != Piece::State::waiting) continue;
      if (piece.begins_chunk) return &piece;
      const auto decoder = decoders_.find({piece.row_group, piece.column});
      if (decoder != decoders_.end() && decoder->second) return &piece;
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
    Piece* piece = nullptr;
    status = guard([&]() -> Status {
      piece = next_piece(batch);
      return {};
    });
    if (!status.ok()) failed_ = status;
    if (piece == nullptr) {
      ready_.notify_all();
      work_.wait(lock);
      continue;
    }
    piece->state = Piece::State::running;
    // Taken before the lock is given up: its absence is what keeps other threads from the chunk's
    // next piece.
    std::unique_ptr<ChunkDecoder> decoder;
    if (!piece->begins_chunk)
      decoder = std::move(decoders_.find({piece->row_group, piece->column})->second);
    lock.unlock();
    status = guard([&] { return decode(*batch, *piece, std::move(decoder)); });
    if (!status.ok()) status = guard([&] { return status.with(words_of(*piece)); });
    lock.lock();
    piece->state = Piece::State::done;
    if (!status.ok() && batch->status.ok()) batch->status = status;
    if (!status.ok()) failed_ = batch->status;
    batch->pieces_left--;
    work_.notify_all();
    if (batch->pieces_left == 0 || !status.ok()) ready_.notify_all();
  }
}

// `decoder` is null for the first piece of a chunk.
Status ParquetStream::decode(Batch& batch, const Piece& piece,
                             std::unique_ptr<ChunkDecoder> decoder) {
  const Chunk chunk{piece.row_group, piece.column};
  if (piece.begins_chunk) {
    PENSTOCK_ASSIGN(decoder, ChunkDecoder::open(*file_, piece.row_group, *columns_[piece.column],
                                                page_memory_));
  }
  BatchColumn& column = batch.columns[piece.column];
  column.prepare(*memory_);
  decoder->file_row = batch.first_row + piece.first_row;
  PENSTOCK_TRY(decoder->decode(column, piece.index, piece.first_row, piece.row_count));
  if (!piece.ends_chunk || !piece.begins_chunk) {
    const std::lock_guard lock(mutex_);
    if (piece.ends_chunk)
      decoders_.erase(chunk);
    else
      decoders_[chunk] = std::move(decoder);
  }
  if (column.finish_piece()) { PENSTOCK_ASSIGN(batch.done[piece.column], column.take(*memory_)); }
  return {};
}

Result<std::optional<Table>> ParquetStream::next() {
  return guard([&]() -> Result<std::optional<Table>> {
    std::unique_lock lock(mutex_);
    is_read_ = true;
    if (batches_.empty() && opened_rows_ < file_->first_rows().back() && failed_.ok()) {
      open_batch();
      work_.notify_all();
    }
    if (batches_.empty()) {
      PENSTOCK_TRY(failed_.with("while reading '" + file_->path() + "'"));
      return std::optional<Table>();
    }
    Batch& front = *batches_.front();
    // After a failure no new piece begins, so a batch may stay unfinished.
    ready_.wait(lock, [&] { return front.pieces_left == 0 || !failed_.ok(); });
    if (front.pieces_left > 0 || !front.status.ok())
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
  return guard([&]() -> Result<std::unique_ptr<BatchStream>> {
    auto stream = std::make_unique<ParquetStream>(std::move(file), columns, options);
    PENSTOCK_TRY(stream->start(options.threads));
    return std::unique_ptr<BatchStream>(std::move(stream));
  });
}

}  // namespace penstock::io
