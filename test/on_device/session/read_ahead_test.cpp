// Pages of joined tables are read ahead: the streamed table's while the right side's are not all
// there.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "codec/pages/paged_table.hpp"
#include "on_device/plan/plan_fixture.hpp"
#include "penstock/io.hpp"

namespace penstock::test {
namespace {

// Calls a function before each chunk that is read.
class WatchedPages final : public pages::PagedTable {
 public:
  WatchedPages(std::shared_ptr<const PagedTable> table, std::function<void()> on_read)
      : table_(std::move(table)), on_read_(std::move(on_read)) {}
  const std::vector<pages::PagedColumn>& columns() const override { return table_->columns(); }
  std::span<const std::uint64_t> first_rows() const override { return table_->first_rows(); }
  std::span<const pages::StoredChunk> chunks(std::uint32_t column) const override {
    return table_->chunks(column);
  }
  Result<pages::ChunkPages> read(std::uint32_t column, std::uint32_t group,
                                 const BatchAllocator& memory) const override {
    on_read_();
    return table_->read(column, group, memory);
  }
  Result<Column> dictionary_strings(std::uint32_t column,
                                    const pages::ChunkPages& chunk) const override {
    return table_->dictionary_strings(column, chunk);
  }
  std::string location_of(std::uint32_t column, const pages::ChunkPages& chunk,
                          std::uint32_t page) const override {
    return table_->location_of(column, chunk, page);
  }

 private:
  std::shared_ptr<const PagedTable> table_;
  std::function<void()> on_read_;
};

class WatchedSource final : public TableSource {
 public:
  WatchedSource(std::shared_ptr<TableSource> source, std::function<void()> on_read)
      : source_(std::move(source)),
        pages_(std::make_shared<WatchedPages>(source_->pages(), std::move(on_read))) {}
  const Schema& schema() const override { return source_->schema(); }
  std::optional<std::uint64_t> row_count() const override { return source_->row_count(); }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    return source_->scan(columns, options);
  }
  std::shared_ptr<const pages::PagedTable> pages() const override { return pages_; }
  std::string describe() const override { return source_->describe(); }

 private:
  std::shared_ptr<TableSource> source_;
  std::shared_ptr<const pages::PagedTable> pages_;
};

std::shared_ptr<TableSource> file_of(const std::filesystem::path& path, std::int64_t apart) {
  std::vector<std::int64_t> keys;
  std::vector<std::int32_t> numbers;
  for (std::int32_t row = 0; row < 1000; row++) {
    keys.push_back(row * apart);
    numbers.push_back(row);
  }
  const Table table = Table::of({{"key", Column::from(keys)}, {"number", Column::from(numbers)}});
  EXPECT_TRUE(write_table(table, path.string(), FileFormat::parquet).ok());
  return open_table(path.string()).value();
}

// The last chunk of the right side is read only when one of the left side is, or after ten seconds.
TEST(ReadAhead, TheStreamedTableIsReadBeforeTheRightSideIsThere) {
  std::string folder = (std::filesystem::temp_directory_path() / "penstock-ahead-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto left_file = file_of(folder + "/left.parquet", 1),
             right_file = file_of(folder + "/right.parquet", 2);
  on_each_device([&](Device& device) {
    std::atomic<unsigned> left_reads = 0, right_reads = 0;
    std::atomic<bool> overlapped = false;
    const auto right_read = [&] {
      if (++right_reads < 2) return;
      for (int i = 0; i < 10000 && left_reads == 0; i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      overlapped = left_reads > 0;
    };
    Plan plan;
    const StepId left =
                     plan.source(std::make_shared<WatchedSource>(left_file, [&] { left_reads++; })),
                 right = plan.source(std::make_shared<WatchedSource>(right_file, right_read));
    TAKE(const StepId joined, plan.join(left, right, JoinKind::inner, {{0, 0}}));
    RunOptions options;
    options.device = device.traits().id;
    options.intermediate_rows = IntermediateRows::device;
    options.page_decoding = PageDecoding::device;
    TAKE(const QueryResult result, run(plan, joined, options));
    EXPECT_EQ(result.table.row_count, 500u);
    EXPECT_TRUE(overlapped);
    EXPECT_EQ(left_reads, 2u);
    EXPECT_EQ(right_reads, 2u);
  });
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace penstock::test
