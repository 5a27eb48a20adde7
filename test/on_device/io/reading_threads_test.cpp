// Shares of several devices read with the threads of one.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "on_device/io/array_files.hpp"
#include "on_device/io/watched_pages.hpp"
#include "penstock/io.hpp"
#include "penstock/run.hpp"
#include "penstock/sql.hpp"

namespace penstock::test {
namespace {

// A column of the numbers of its rows, 16 row groups of a thousand.
std::shared_ptr<TableSource> file_of_row_groups(const std::string& path) {
  constexpr std::int64_t group_rows = 1000, groups = 16;
  arrow::Int64Builder rows;
  for (std::int64_t row = 0; row < group_rows * groups; row++) EXPECT_TRUE(rows.Append(row).ok());
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("row", arrow::int64())}),
                                        {rows.Finish().ValueOrDie()});
  const auto file = arrow::io::FileOutputStream::Open(path).ValueOrDie();
  EXPECT_TRUE(
      parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file, group_rows).ok());
  EXPECT_TRUE(file->Close().ok());
  return open_table(path).value();
}

TEST(ReadingThreads, AreSharedByTheDevices) {
  const std::string path = own_path("reading_threads.parquet");
  const auto file = file_of_row_groups(path);
  on_each_device([&](Device& device) {
    std::atomic<int> inside = 0, most = 0, reads = 0;
    const auto on_read = [&] {
      const int now = ++inside;
      for (int max = most; now > max && !most.compare_exchange_weak(max, now);) {}
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // as others do
      inside--, reads++;
    };
    Plan plan;
    const auto open = [&](const TableReference&) -> Result<std::shared_ptr<TableSource>> {
      return std::shared_ptr<TableSource>(std::make_shared<WatchedSource>(file, on_read));
    };
    TAKE(const StepId sum, bind_sql("SELECT sum(\"row\") AS s FROM 'rows'", plan, open));
    RunOptions options;
    options.device = device.traits().id + "," + device.traits().id;
    options.reading_threads = 2;
    options.page_decoding = PageDecoding::device;
    TAKE(const QueryResult result, run(plan, sum, options));
    EXPECT_EQ(result.report.shares.size(), 2u);
    EXPECT_EQ(text_of(scalar_at(result.table.columns[0], 0)), "127992000");
    EXPECT_EQ(reads, 16);
    EXPECT_LE(most, 2);
  });
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace penstock::test
