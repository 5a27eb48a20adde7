#include "io/parquet/parquet_scan.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "base/ordered_window.hpp"
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
  const Group* group = nullptr;
  std::size_t column = 0;       // index among the columns asked for
  std::size_t index = 0;        // index among the column's parts of this batch
  std::uint64_t first_row = 0;  // in the batch
  RowRanges rows;               // of the row group
  bool begins_chunk = false, ends_chunk = false;
  std::unique_ptr<ChunkDecoder> decoder = nullptr;  // of a chunk that earlier parts began
};

struct Batch {
  std::uint64_t row_count = 0;
  std::deque<BatchColumn> columns;  // a deque: the type cannot be moved
  std::vector<Column> done;
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
  void start(std::uint32_t threads);
  Result<std::optional<Table>> next() override;

 private:
  using Chunk = std::pair<const Group*, std::size_t>;  // row group, column
  using Window = OrderedWindow<Batch, Part>;

  std::uint64_t row_total() const { return groups_.empty() ? 0 : groups_.back().end; }

  std::uint64_t row_bytes() const {
    std::uint64_t bytes = 0;
    for (const ParquetColumn* column : columns_) bytes += width_bytes(column->field.type);
    return bytes;
  }
  std::optional<Window::Opened> open_batch();
  bool begin(Part& part);
  Result<bool> decode(Batch& batch, Part& part);
  Status decode_rows(Batch& batch, Part& part);
  void keep_decoder(const Part& part, std::unique_ptr<ChunkDecoder> decoder);
  std::string context_of(const Part& part) const {
    return "while decoding column '" + columns_[part.column]->field.name + "', row group " +
           std::to_string(part.group->index);
  }

  std::shared_ptr<const ParquetFile> file_;
  const std::vector<Group> groups_;
  std::vector<const ParquetColumn*> columns_;
  std::uint64_t batch_rows_;
  std::shared_ptr<BatchMemory> memory_, page_memory_;

  WindowLock lock_;
  std::map<Chunk, std::unique_ptr<ChunkDecoder>>
      decoders_;  // of chunks that are begun and not ended; null while one runs
  std::uint64_t opened_rows_ = 0;
  Window window_{
      lock_,
      {.open = [this](bool) { return open_batch(); },
       .fill = [this](Batch& batch, Part& part, std::size_t) { return decode(batch, part); },
       .begin = [this](Part& part) { return begin(part); }}};
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

void ParquetStream::start(std::uint32_t threads) {
  if (threads == 0) threads = host_core_count();
  const std::uint64_t chunks = groups_.size() * columns_.size();
  if (chunks == 0) return;
  // Enough batches ahead that each thread has two parts: one is enough where a batch spans many
  // row groups.
  const std::uint64_t group_rows = std::max<std::uint64_t>(row_total() / groups_.size(), 1);
  const std::uint64_t batch_parts =
      columns_.size() * std::max<std::uint64_t>(batch_rows_ / group_rows, 1);
  const std::size_t window = std::clamp<std::uint64_t>(2 * threads / batch_parts + 1, 2, 16);
  const std::size_t first_window = std::clamp<std::uint64_t>(
      first_window_bytes / (batch_rows_ * std::max<std::uint64_t>(row_bytes(), 1)), window, 16);
  window_.start({.first = first_window, .later = window}, std::min<std::uint64_t>(threads, chunks));
}

std::optional<ParquetStream::Window::Opened> ParquetStream::open_batch() {
  if (opened_rows_ == row_total()) return std::nullopt;
  Window::Opened opened;
  Batch& batch = opened.batch;
  batch.row_count = std::min(batch_rows_, row_total() - opened_rows_);
  const std::uint64_t end = opened_rows_ + batch.row_count;
  std::size_t index = 0;
  for (auto group =
           std::upper_bound(groups_.begin(), groups_.end(), opened_rows_,
                            [](std::uint64_t row, const Group& one) { return row < one.end; });
       group != groups_.end() && group->begin < end; group++, index++) {
    const std::uint64_t from = std::max(opened_rows_, group->begin), to = std::min(end, group->end);
    const RowRanges rows = rows_counted(group->rows, {from - group->begin, to - group->begin});
    for (std::size_t column = 0; column < columns_.size(); column++)
      opened.parts.push_back({&*group, column, index, from - opened_rows_, rows,
                              from == group->begin, to == group->end});
  }
  for (const ParquetColumn* column : columns_)
    batch.columns.emplace_back(*column, batch.row_count, index);
  batch.done.resize(columns_.size());
  opened_rows_ = end;
  return opened;
}

// A part begins when its chunk's earlier rows are decoded. It takes the decoder: its absence keeps
// other threads from the chunk's next part.
bool ParquetStream::begin(Part& part) {
  if (part.begins_chunk) return true;
  const auto decoder = decoders_.find({part.group, part.column});
  if (decoder == decoders_.end() || !decoder->second) return false;
  part.decoder = std::move(decoder->second);
  return true;
}

Result<bool> ParquetStream::decode(Batch& batch, Part& part) {
  return catch_arrow_exceptions([&]() -> Result<bool> {
    const Status status = catch_arrow_exceptions([&] { return decode_rows(batch, part); });
    PENSTOCK_TRY(status.with(context_of(part)));
    return true;
  });
}

void ParquetStream::keep_decoder(const Part& part, std::unique_ptr<ChunkDecoder> decoder) {
  if (part.ends_chunk && part.begins_chunk) return;
  const Chunk chunk{part.group, part.column};
  const std::lock_guard lock(lock_.mutex);
  if (part.ends_chunk)
    decoders_.erase(chunk);
  else
    decoders_[chunk] = std::move(decoder);
}

Status ParquetStream::decode_rows(Batch& batch, Part& part) {
  std::unique_ptr<ChunkDecoder> decoder = std::move(part.decoder);
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
  keep_decoder(part, std::move(decoder));
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
    auto batch = window_.next();
    if (!batch.ok()) return batch.with("while reading '" + file_->path() + "'");
    if (!*batch) return std::optional<Table>();
    Table table;
    table.row_count = (*batch)->row_count;
    table.columns = std::move((*batch)->done);
    for (const ParquetColumn* column : columns_) table.names.push_back(column->field.name);
    return std::optional<Table>(std::move(table));
  });
}

}  // namespace

Result<std::unique_ptr<BatchStream>> scan_parquet(std::shared_ptr<const ParquetFile> file,
                                                  std::span<const std::uint32_t> columns,
                                                  const ScanOptions& options) {
  return catch_arrow_exceptions([&]() -> Result<std::unique_ptr<BatchStream>> {
    auto stream = std::make_unique<ParquetStream>(std::move(file), columns, options);
    stream->start(options.threads);
    return std::unique_ptr<BatchStream>(std::move(stream));
  });
}

}  // namespace penstock::io
