// Pages that a session keeps, of files of several row groups: statements that need some row groups
// read no page twice, and tables of strings are sent once.
#include <algorithm>
#include <filesystem>

#include "on_device/io/array_files.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

constexpr std::int64_t group_rows = 1000, group_count = 8;

class ResidentPagesOfGroups : public ::testing::Test {
 protected:
  void SetUp() override { path_ = own_path("resident_groups.parquet"); }
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::vector<std::shared_ptr<arrow::Field>>& fields,
             const std::vector<std::shared_ptr<arrow::Array>>& columns, std::int64_t rows_of_group,
             bool has_dictionaries) const {
    parquet::WriterProperties::Builder builder;
    if (!has_dictionaries) builder.disable_dictionary();
    const auto file = arrow::io::FileOutputStream::Open(path_).ValueOrDie();
    ASSERT_TRUE(parquet::arrow::WriteTable(*arrow::Table::Make(arrow::schema(fields), columns),
                                           arrow::default_memory_pool(), file, rows_of_group,
                                           builder.build())
                    .ok());
    ASSERT_TRUE(file->Close().ok());
  }

  // k ascends, so that a condition of it skips row groups.
  void write_groups() const {
    arrow::Int64Builder k, n, m;
    arrow::StringBuilder s;
    for (std::int64_t row = 0; row < group_rows * group_count; row++) {
      ASSERT_TRUE(k.Append(row).ok() && n.Append(row * 7 % 1001).ok() && m.Append(row % 13).ok());
      ASSERT_TRUE(s.Append("key " + std::to_string(row / 500 % 9)).ok());
    }
    const auto number = [](const char* name) { return arrow::field(name, arrow::int64()); };
    write({number("k"), number("n"), number("m"), arrow::field("s", arrow::utf8())},
          {k.Finish().ValueOrDie(), n.Finish().ValueOrDie(), m.Finish().ValueOrDie(),
           s.Finish().ValueOrDie()},
          group_rows, true);
  }
  std::string select(const std::string& what, const std::string& where = "") const {
    return "SELECT " + what + " FROM '" + path_ + "'" + where;
  }
  static RunOptions options(std::uint64_t batch_rows = 4 * group_rows) {
    RunOptions options;
    options.page_decoding = PageDecoding::device;
    options.batch_rows = batch_rows;
    return options;
  }
  static std::shared_ptr<Session> session_on(const Device& device) {
    return Session::create(
        {.device = device.traits().id, .cache_limit_bytes = std::uint64_t{64} << 20});
  }
  static void expect_every_row_is_counted(const RunReport& report) {
    EXPECT_EQ(report.rows_read + report.skipped.rows_skipped,
              static_cast<std::uint64_t>(group_rows * group_count));
  }
  void expect_answer(const QueryResult& found, const std::string& statement) const {
    Plan plan;
    TAKE(const StepId result, bind_sql(statement, plan, open_table));
    RunOptions by_host;
    by_host.page_decoding = PageDecoding::host;
    TAKE(const QueryResult expected, run(plan, result, by_host));
    EXPECT_EQ(cells_of(found.table), cells_of(expected.table)) << statement;
  }

  std::string path_;
};

const char* const sums = "sum(k) AS k, sum(n) AS n, count(s) AS s";

TEST_F(ResidentPagesOfGroups, AStatementOfSomeGroupsFindsThoseThatOneOfAllLeft) {
  ASSERT_NO_FATAL_FAILURE(write_groups());
  on_each_device([&](Device& device) {
    const auto session = session_on(device);
    TAKE(const QueryResult all, session->sql(select(sums), options()));
    for (const char* where :
         {" WHERE k < 2500", " WHERE k >= 3000 AND k < 5000", " WHERE k IN (17, 2001, 7999)"}) {
      TAKE(const QueryResult some, session->sql(select(sums, where), options()));
      EXPECT_EQ(some.report.read_seconds, 0) << where;
      EXPECT_LT(some.report.bytes_uploaded, 1000u) << where;
      EXPECT_GT(some.report.columns_from_cache, 0u);
      expect_every_row_is_counted(some.report);
      expect_answer(some, select(sums, where));
    }
  });
}

TEST_F(ResidentPagesOfGroups, AStatementOfSomeGroupsFindsItsOwnAgain) {
  ASSERT_NO_FATAL_FAILURE(write_groups());
  on_each_device([&](Device& device) {
    for (const char* where : {" WHERE k < 2500", " WHERE k IN (17, 2001, 7999)"}) {
      const auto session = session_on(device);
      for (const bool is_first : {true, false}) {
        TAKE(const QueryResult some, session->sql(select(sums, where), options()));
        EXPECT_EQ(some.report.columns_from_cache > 0, !is_first);
        EXPECT_GT(some.report.skipped.rows_skipped, 0u);
        expect_every_row_is_counted(some.report);
        expect_answer(some, select(sums, where));
      }
      TAKE(const QueryResult all, session->sql(select(sums), options()));
      expect_answer(all, select(sums));
    }
  });
}

// The second chunk of n is there, and not the first; m is nowhere.
TEST_F(ResidentPagesOfGroups, ChunksOfAColumnThatAreThereAreNotReadAgain) {
  ASSERT_NO_FATAL_FAILURE(write_groups());
  on_each_device([&](Device& device) {
    const auto session = session_on(device);
    TAKE(const QueryResult second,
         session->sql(select("sum(n) AS n", " WHERE k >= 4000"), options()));
    const std::string both = select("sum(n) AS n, sum(k) AS k, sum(m) AS m");
    TAKE(const QueryResult mixed, session->sql(both, options()));
    EXPECT_EQ(mixed.report.columns_from_cache, 2u);
    expect_answer(mixed, both);
    TAKE(const QueryResult again, session->sql(both, options()));
    EXPECT_EQ(again.report.columns_from_cache, 6u);
    EXPECT_EQ(again.report.bytes_uploaded, 0u);
    expect_answer(again, both);
  });
}

// Codes are sent for the new strings of every chunk; codes of earlier chunks' strings are there.
TEST_F(ResidentPagesOfGroups, CodesOfStringsAreSentOnce) {
  constexpr std::int64_t rows = 20000, rows_of_group = 400;
  arrow::StringBuilder s;
  for (std::int64_t row = 0; row < rows; row++)
    ASSERT_TRUE(s.Append(std::to_string(row * 7919 % rows)).ok());
  ASSERT_NO_FATAL_FAILURE(
      write({arrow::field("s", arrow::utf8())}, {s.Finish().ValueOrDie()}, rows_of_group, false));
  on_each_device([&](Device& device) {
    const auto session = session_on(device);
    const std::string statement =
        select("upper(s) AS u, count(*) AS c", " GROUP BY u ORDER BY u LIMIT 50");
    TAKE(const QueryResult outcome, session->sql(statement, options(rows_of_group)));
    EXPECT_EQ(outcome.report.chunks, static_cast<std::uint64_t>(rows / rows_of_group));
    EXPECT_LT(outcome.report.bytes_uploaded, 2 * std::filesystem::file_size(path_));
    expect_answer(outcome, statement);
  });
}

}  // namespace
}  // namespace penstock::test
