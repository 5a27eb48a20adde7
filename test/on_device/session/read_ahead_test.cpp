// Pages of joined tables are read ahead: the streamed table's while the right side's are not all
// there.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "on_device/io/watched_pages.hpp"
#include "on_device/plan/plan_fixture.hpp"
#include "penstock/io.hpp"

namespace penstock::test {
namespace {

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
