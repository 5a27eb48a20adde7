#include "io/files/files_scan.hpp"

#include <algorithm>
#include <deque>

#include "base/thread_pool.hpp"
#include "column/rebatch.hpp"
#include "io/files/cast_column.hpp"
#include "io/files/constant_column.hpp"

namespace penstock::io {
namespace {

// Cuts ranges of rows out of a stream of all rows.
class RangesStream final : public BatchStream {
 public:
  RangesStream(std::unique_ptr<BatchStream> all, std::shared_ptr<const RowSelection> rows)
      : all_(std::move(all)), rows_(std::move(rows)) {}

  Result<std::optional<Table>> next() override {
    while (range_ < rows_->ranges.size()) {
      const RowRange& wanted = rows_->ranges[range_];
      const std::uint64_t begin = std::max(wanted.begin, at_);
      const std::uint64_t end = first_ + (batch_ ? batch_->row_count : 0);
      if (!batch_ || end <= begin) {
        first_ = end;
        PENSTOCK_ASSIGN(batch_, all_->next());
        if (!batch_) break;
        continue;
      }
      at_ = std::min(end, wanted.end);
      if (at_ == wanted.end) range_++;
      return std::optional<Table>(slice(begin - first_, at_ - begin));
    }
    return std::optional<Table>();
  }

 private:
  Table slice(std::uint64_t first, std::uint64_t count) const {
    Table part;
    part.names = batch_->names;
    part.row_count = count;
    for (const Column& column : batch_->columns) part.columns.push_back(column.slice(first, count));
    return part;
  }

  std::unique_ptr<BatchStream> all_;
  const std::shared_ptr<const RowSelection> rows_;
  std::optional<Table> batch_;
  std::uint64_t first_ = 0, at_ = 0;  // the batch's first row; the row after the last one taken
  std::size_t range_ = 0;
};

class FilesStream {
 public:
  FilesStream(std::shared_ptr<const JoinedFiles> joined, std::vector<FileRows> files,
              std::vector<std::uint32_t> columns, const ScanOptions& options)
      : joined_(std::move(joined)),
        files_(std::move(files)),
        columns_(std::move(columns)),
        options_(options),
        threads_(options.threads > 0 ? options.threads : host_core_count()) {
    read_ahead();
  }

  Result<std::optional<Table>> next() {
    while (!open_.empty()) {
      Open& front = open_.front();
      auto batch = front.stream.ok() ? (*front.stream)->next() : front.stream.status();
      if (!batch.ok()) return batch.with("while reading '" + front.file->part->path + "'");
      if (*batch) {
        PENSTOCK_ASSIGN(Table table, as_joined(*front.file->part, std::move(**batch)));
        return std::optional<Table>(std::move(table));
      }
      open_.pop_front();
      read_ahead();
    }
    return std::optional<Table>();
  }

 private:
  struct Open {
    const FileRows* file;
    Result<std::unique_ptr<BatchStream>> stream;
  };

  std::uint64_t rows_of(const FileRows& file) const {
    return file.row_count.value_or(options_.batch_rows);
  }

  // Opens the scans of the next files.
  void read_ahead() {
    std::uint64_t rows_ahead = 0;
    for (std::size_t i = 1; i < open_.size(); i++) rows_ahead += rows_of(*open_[i].file);
    while (begun_ < files_.size() && open_.size() <= threads_ &&
           (open_.size() < 2 || rows_ahead < options_.batch_rows)) {
      const FileRows& file = files_[begun_++];
      if (!open_.empty()) rows_ahead += rows_of(file);
      open_.push_back({&file, open(file)});
    }
  }

  // A small file has few of the threads: others are read at once.
  Result<std::unique_ptr<BatchStream>> open(const FileRows& file) const {
    ScanOptions options = options_;
    const std::uint64_t batches =
        rows_of(file) * threads_ / std::max<std::uint64_t>(options_.batch_rows, 1);
    options.threads = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(batches, 1, threads_));
    options.rows = file.selects_rows ? file.rows : nullptr;
    std::vector<std::uint32_t> stored;
    options.encoded.clear();
    for (const std::uint32_t column : columns_) {
      const auto& own = file.part->stored[column];
      if (!own) continue;
      stored.push_back(*own);
      if (std::ranges::find(options_.encoded, column) != options_.encoded.end())
        options.encoded.push_back(*own);
    }
    PENSTOCK_ASSIGN(auto stream, file.part->source->scan(stored, options));
    if (!file.rows || file.selects_rows) return stream;
    return std::unique_ptr<BatchStream>(
        std::make_unique<RangesStream>(std::move(stream), file.rows));
  }

  // Returns a file's rows with the types of the table, and with the columns that are not stored.
  Result<Table> as_joined(const FilePart& part, Table batch) {
    Table table;
    table.row_count = batch.row_count;
    std::size_t stored = 0;
    for (const std::uint32_t column : columns_) {
      const Field& field = joined_->schema[column];
      table.names.push_back(field.name);
      if (!part.stored[column]) {
        table.columns.push_back(
            constant_column(constant_of(part, column, field.type), batch.row_count));
        continue;
      }
      auto cast = cast_column(batch.columns[stored++], field.type);
      if (!cast.ok())
        return cast.with("in column '" + field.name + "' of '" + part.path +
                         "', which is read as in the first file; union_by_name = true joins the "
                         "types of all");
      table.columns.push_back(std::move(*cast));
    }
    return table;
  }

  const std::shared_ptr<const JoinedFiles> joined_;
  const std::vector<FileRows> files_;
  const std::vector<std::uint32_t> columns_;
  const ScanOptions options_;
  const std::uint32_t threads_;
  std::deque<Open> open_;  // the first is being taken
  std::size_t begun_ = 0;  // of files_
};

}  // namespace

std::unique_ptr<BatchStream> scan_files(std::shared_ptr<const JoinedFiles> joined,
                                        std::vector<FileRows> files,
                                        std::vector<std::uint32_t> columns,
                                        const ScanOptions& options) {
  const auto stream = std::make_shared<FilesStream>(std::move(joined), std::move(files),
                                                    std::move(columns), options);
  return column::rebatch([stream] { return stream->next(); }, options.batch_rows);
}

}  // namespace penstock::io
