// Joins by partitions in a session: from the second statement on the left side's pages are
// resident.
#include <filesystem>
#include <numeric>

#include "on_device/plan/plan_fixture.hpp"
#include "penstock/io.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

std::string written(const std::filesystem::path& path, std::int64_t rows, std::int64_t apart,
                    std::int64_t keys) {
  std::vector<std::int64_t> key, value(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; row++) key.push_back(row % keys * apart);
  std::iota(value.begin(), value.end(), std::int64_t{0});
  const Table table = Table::of({{"k", Column::from(key)}, {"v", Column::from(value)}});
  EXPECT_TRUE(write_table(table, path.string(), FileFormat::parquet).ok());
  return path.string();
}

// Expects what the host's tables give, three times.
void expect_the_same_again(Device& device, const std::string& left, const std::string& right) {
  const auto session = Session::create({.device = device.traits().id});
  TAKE(const auto of_left, session->open_table(left));
  TAKE(const auto of_right, session->open_table(right));
  Plan plan;
  const StepId rows = plan.source(of_left), others = plan.source(of_right);
  TAKE(const StepId joined, plan.join(rows, others, JoinKind::inner, {{0, 0}}));
  Builder b(plan.step(joined).schema);
  TAKE(const StepId added, plan.reduce(joined, b.graph(),
                                       {{Aggregate::count_rows, 0, "n", nullptr},
                                        {Aggregate::sum, b.column(1), "left", nullptr},
                                        {Aggregate::sum, b.column(3), "right", nullptr}}));
  RunOptions options;
  options.intermediate_rows = IntermediateRows::host;
  TAKE(const QueryResult wanted, session->run(plan, added, options));
  options.intermediate_rows = IntermediateRows::device;
  options.page_decoding = PageDecoding::device;
  options.memory_limit_bytes = 256 << 10;
  for (int time = 0; time < 3; time++) {
    TAKE(const QueryResult found, session->run(plan, added, options));
    EXPECT_EQ(text_of_row(found.table, 0), text_of_row(wanted.table, 0));
    EXPECT_NE(testing::PrintToString(found.report.notes).find("partitions"), std::string::npos);
  }
}

TEST(SessionPartitions, AnsweredAgainOverResidentPages) {
  std::string folder =
      (std::filesystem::temp_directory_path() / "penstock-partitions-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string left = written(folder + "/left.parquet", 20000, 1, 6000),
                    right = written(folder + "/right.parquet", 4000, 3, 4000);
  on_each_device([&](Device& device) { expect_the_same_again(device, left, right); });
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace penstock::test
