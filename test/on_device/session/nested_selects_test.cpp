// SELECTs within SELECTs, sets of rows and of groups, and values of subqueries, by the own planner.
#include <filesystem>

#include "on_device/plan/plan_fixture.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

class NestedSelectsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-nested-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    const Table table = Table::of(
        {{"k", Column::from_strings(std::vector<std::string>{"a", "b", "a", "c", "b", "a"})},
         {"odd", Column::from(std::vector<std::int32_t>{1, 0, 1, 0, 1, 0})},
         {"n", Column::from(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6})}});
    ASSERT_OK(write_table(table, (folder_ / "t.parquet").string(), FileFormat::parquet));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // `#` stands for the file's name.
  std::string over_file(std::string statement) const {
    const std::string file = "'" + (folder_ / "t.parquet").string() + "'";
    for (std::size_t at = 0; (at = statement.find('#', at)) != statement.npos; at += file.size())
      statement.replace(at, 1, file);
    return statement;
  }
  // Expects the rows as text, or a part of the error.
  void expect_answer(const std::string& statement, const std::string& wanted) const {
    SCOPED_TRACE(statement);
    on_each_device([&](Device& device) {
      SessionOptions options;
      options.device = device.traits().id;
      options.planner = Planner::own;
      const auto session = Session::create(options);
      const auto outcome = session->sql(over_file(statement));
      std::string rows;
      for (std::uint64_t row = 0; outcome.ok() && row < outcome->table.row_count; row++)
        rows += (rows.empty() ? "" : " ") + text_of_row(outcome->table, row);
      if (outcome.ok())
        EXPECT_EQ(rows, wanted);
      else
        EXPECT_NE(outcome.status().text().find(wanted), std::string::npos)
            << outcome.status().text();
    });
  }

  std::filesystem::path folder_;
};

TEST_F(NestedSelectsTest, ADerivedTableIsReadByItsOwnNames) {
  expect_answer("SELECT x.m FROM (SELECT n * 10 AS m FROM #) x WHERE m > 40 ORDER BY m", "50| 60|");
  expect_answer("SELECT a_1 FROM (SELECT k AS a, n AS a FROM #) ORDER BY 1 DESC LIMIT 1", "6|");
  expect_answer("SELECT q FROM (SELECT k, sum(n) FROM # GROUP BY k) z(w, q) WHERE w = 'b'", "7|");
}

TEST_F(NestedSelectsTest, GroupsOfADerivedTableComeInTheirOrder) {
  expect_answer("SELECT * FROM (SELECT k, count(*) FROM # GROUP BY k) LIMIT 2", "a|3| b|2|");
}

TEST_F(NestedSelectsTest, ANameOfWithStandsForItsRowsWhereverItIsRead) {
  expect_answer(
      "WITH w AS (SELECT k, sum(n) AS q FROM # GROUP BY k), best AS (SELECT max(q) AS m FROM w) "
      "SELECT w.k FROM w JOIN best ON w.q = best.m",
      "a|");
  expect_answer(
      "WITH w (i) AS (SELECT n FROM #) SELECT count(*) FROM w a JOIN w b ON a.i = b.i + 1", "5|");
  expect_answer(
      "WITH w AS (SELECT 1 AS i), w2 AS (WITH w AS (SELECT 2 AS i) SELECT i FROM w) "
      "SELECT w.i, w2.i FROM w, w2",
      "1|2|");
}

TEST_F(NestedSelectsTest, SetsOfRowsAreThoseOfBothSides) {
  expect_answer("SELECT k FROM # UNION SELECT 'z' ORDER BY 1", "a| b| c| z|");
  expect_answer("SELECT odd FROM # UNION ALL SELECT 7 ORDER BY odd DESC LIMIT 2", "7| 1|");
  expect_answer("SELECT odd FROM # INTERSECT SELECT n FROM #", "1|");
  expect_answer("SELECT n FROM # EXCEPT SELECT n FROM # WHERE n > 2 ORDER BY n", "1| 2|");
  expect_answer("SELECT odd FROM # EXCEPT ALL SELECT 1 ORDER BY 1", "0| 0| 0| 1| 1|");
}

TEST_F(NestedSelectsTest, GroupsOfSeveralSetsHaveNullForKeysThatASetLacks) {
  expect_answer(
      "SELECT odd, k, sum(n), grouping(odd, k) FROM # GROUP BY ROLLUP (odd, k) ORDER BY 4, 1, 2",
      "0|a|6|0| 0|b|2|0| 0|c|4|0| 1|a|4|0| 1|b|5|0| 0|NULL|12|1| 1|NULL|9|1| NULL|NULL|21|3|");
  expect_answer("SELECT odd, count(DISTINCT k) FROM # GROUP BY CUBE (odd) ORDER BY odd",
                "0|3| 1|2| NULL|3|");
  expect_answer("SELECT 1 AS o FROM # WHERE n > 100 GROUP BY ()", "1|");
}

TEST_F(NestedSelectsTest, ASubqueryOfOneValueStandsForIt) {
  expect_answer("SELECT n FROM # WHERE n > (SELECT avg(n) FROM #) ORDER BY n", "4| 5| 6|");
  expect_answer("SELECT k, sum(n) * 100 // (SELECT sum(n) FROM #) FROM # GROUP BY k ORDER BY k",
                "a|47| b|33| c|19|");
  expect_answer("SELECT k FROM # GROUP BY k HAVING count(*) = (SELECT 1)", "c|");
}

TEST_F(NestedSelectsTest, ASubqueryWithoutRowsIsNull) {
  expect_answer("SELECT (SELECT n FROM # WHERE n > 100) AS v", "NULL|");
  expect_answer("SELECT count(*) FROM # WHERE n > (SELECT n FROM # WHERE false)", "0|");
}

TEST_F(NestedSelectsTest, ASubqueryOfSeveralRowsIsNoValue) {
  const std::string fault = "more than one row returned by a subquery used as an expression";
  expect_answer("SELECT (SELECT n FROM #) AS v", fault);
  expect_answer("SELECT count(*) FROM # WHERE n > (SELECT n FROM # WHERE n < 3)", fault);
}

}  // namespace
}  // namespace penstock::test
