// A CSV file as a table. The sniffer fixes its columns when the file is opened. A later value that
// does not fit is an error that says where it is and which option to pass. Threads take blocks of
// whole rows in order, and each converts the columns that are asked for.
#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/exception_boundary.hpp"
#include "base/file.hpp"
#include "column/rebatch.hpp"
#include "column/unsupported.hpp"
#include "io/common/read_ahead.hpp"
#include "io/common/sources.hpp"
#include "io/csv/csv_blocks.hpp"
#include "io/csv/csv_convert.hpp"
#include "io/csv/csv_file.hpp"
#include "io/csv/csv_sniffer.hpp"

namespace penstock::io {
namespace {

// State that the threads of one scan share.
class CsvScan {
 public:
  CsvScan(std::string path, CsvReading reading, const Schema& schema,
          std::span<const std::uint32_t> columns, std::unique_ptr<CsvBlocks> blocks)
      : path_(std::move(path)),
        reading_(std::move(reading)),
        schema_(schema),
        converter_(reading_, schema_, columns),
        blocks_(std::move(blocks)) {}

  // Returns the table of this block. A thread that comes early reads the blocks before its own too,
  // rather than wait until the system lets the other threads run.
  Result<std::optional<Table>> read(std::uint64_t index) {
    const ReadBlock read = take(index);
    if (!read.block.ok()) return read.block.status().with(place(read.offset));
    if (!*read.block) return std::optional<Table>();
    return convert(**read.block);
  }

 private:
  struct ReadBlock {
    Result<std::optional<CsvBlock>> block;
    std::uint64_t offset = 0;  // where reading stands
  };

  ReadBlock take(std::uint64_t index) {
    const std::lock_guard lock(mutex_);
    for (; next_index_ <= index; next_index_++) {
      auto block = catch_exceptions([&] { return blocks_->next(); });
      read_blocks_.emplace(next_index_, ReadBlock{std::move(block), blocks_->offset()});
    }
    return std::move(read_blocks_.extract(index).mapped());
  }

  Result<std::optional<Table>> convert(const CsvBlock& block) const {
    return catch_exceptions([&]() -> Result<std::optional<Table>> {
      Table table;
      if (const auto error = converter_.convert(block.text, table)) {
        const Status status(error->code, error->text);
        return status.with(place(block.offset + error->offset));
      }
      return std::optional(std::move(table));
    });
  }

  std::string place(std::uint64_t offset) const {
    const auto line = line_of_byte(path_, offset);
    return line.ok() ? "in line " + std::to_string(*line) : "at byte " + std::to_string(offset);
  }

  const std::string path_;
  const CsvReading reading_;
  const Schema schema_;
  const CsvConverter converter_;
  std::mutex mutex_;
  const std::unique_ptr<CsvBlocks> blocks_;
  std::map<std::uint64_t, ReadBlock> read_blocks_;  // not taken by their threads yet
  std::uint64_t next_index_ = 0;
};

class CsvSource final : public TableSource {
 public:
  CsvSource(std::string path, CsvOptions options, CsvFormat format, std::string identity)
      : path_(std::move(path)),
        options_(std::move(options)),
        format_(std::move(format)),
        identity_(std::move(identity)) {}

  const Schema& schema() const override { return format_.schema; }
  std::optional<std::uint64_t> row_count() const override { return std::nullopt; }
  std::string describe() const override { return std::filesystem::path(path_).filename().string(); }
  std::string identity() const override { return identity_; }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    PENSTOCK_TRY(check_columns(format_.schema, columns, path_, "types"));
    auto stream = catch_exceptions([&] { return start(columns, options); });
    if (!stream.ok()) return stream.with("while reading '" + path_ + "'");
    return stream;
  }

 private:
  Result<std::unique_ptr<BatchStream>> start(std::span<const std::uint32_t> columns,
                                             const ScanOptions& options) const {
    PENSTOCK_ASSIGN(auto blocks, CsvBlocks::open(path_, format_.first_byte, format_.dialect,
                                                 options_.max_line_bytes));
    const std::size_t threads = options.threads > 0 ? options.threads : host_core_count();
    // The tables of the next batch use the memory of this batch's tables again.
    constexpr std::size_t kept_blocks = 4096;
    CsvReading reading{options_, format_.dialect, format_.time_formats,
                       std::make_shared<BatchMemory>(kept_blocks, BatchAllocator())};
    auto scan = std::make_shared<CsvScan>(path_, std::move(reading), format_.schema, columns,
                                          std::move(blocks));
    std::vector<ReadTable> readers(threads,
                                   [scan](std::uint64_t index) { return scan->read(index); });
    std::shared_ptr<ReadAhead> ahead = ReadAhead::start(std::move(readers), 2 * threads, threads);
    return column::rebatch(
        [path = path_, ahead] {
          auto table = ahead->next();
          return table.ok()
                     ? std::move(table)
                     : Result<std::optional<Table>>(table.with("while reading '" + path + "'"));
        },
        options.batch_rows);
  }

  const std::string path_;
  const CsvOptions options_;
  const CsvFormat format_;
  const std::string identity_;  // when it was opened
};

}  // namespace

Result<std::shared_ptr<TableSource>> open_csv(const std::string& path,
                                              std::span<const TableOption> options) {
  return catch_exceptions([&]() -> Result<std::shared_ptr<TableSource>> {
    std::string identity = file_identity(path);
    PENSTOCK_ASSIGN(auto known, csv_options(options));
    PENSTOCK_ASSIGN(const auto sample, read_csv_sample(path, known));
    PENSTOCK_ASSIGN(auto format, sniff_csv(sample, known));
    return std::shared_ptr<TableSource>(std::make_shared<CsvSource>(
        path, std::move(known), std::move(format), std::move(identity)));
  });
}

}  // namespace penstock::io
