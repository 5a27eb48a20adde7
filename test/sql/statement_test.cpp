// DuckDB's own spellings of a SELECT, and statements about one.
#include <gtest/gtest.h>

#include "sql/fixture.hpp"

namespace penstock::sql_test {
namespace {

std::string columns(std::string_view statement) {
  const Bound bound = bind_statement(statement);
  return bound.result.ok() ? columns_of(bound) : bound.result.status().text();
}
std::string opened(std::string_view statement) {
  const Bound bound = bind_statement(statement);
  return bound.result.ok() ? bound.opened : bound.result.status().text();
}

TEST(TableFunctions, AreReferencesWithTheirOptions) {
  EXPECT_EQ(opened("SELECT i8 FROM read_csv('f.csv', delim = ';', header = true)"),
            "read_csv('f.csv', delim = ';', header = true)");
  EXPECT_EQ(opened("SELECT i8 FROM READ_PARQUET(['a', 'b'], union_by_name := true)"),
            "read_parquet(['a', 'b'], union_by_name = true)");
  EXPECT_EQ(opened("SELECT i8 FROM read_csv_auto('f', nullstr => ['', 'NA'], "
                   "types = {'a': 'VARCHAR', b: DECIMAL(10, 2)}, skip = -1)"),
            "read_csv('f', nullstr = ['', 'NA'], types = {'a': 'VARCHAR', 'b': 'DECIMAL(10, 2)'}, "
            "skip = -1)");
  EXPECT_EQ(opened("SELECT i8 FROM read_ndjson('f')"),
            "read_json('f', format = 'newline_delimited')");
  EXPECT_EQ(opened("FROM 'f.csv'"), "f.csv");
}

// Found by comparison with DuckDB: the lexer read on to the next line feed.
TEST(Comments, EndAtACarriageReturn) {
  EXPECT_EQ(columns("SELECT i8 -- a number\rAS a FROM t"), "a TINYINT");
  EXPECT_EQ(columns("SELECT i8 -- a number\r\nAS a FROM t"), "a TINYINT");
  EXPECT_EQ(columns("SELECT 1 -- one\r + 1 AS a FROM t"), columns("SELECT 1 + 1 AS a FROM t"));
}

TEST(Strings, GoOnAfterAQuoteOnALaterLine) {
  EXPECT_EQ(columns("SELECT 'a'\n'b' AS a FROM t"), "a VARCHAR");
  EXPECT_EQ(columns("SELECT E'it\\'s'\n 'one\\'s' AS a FROM t"), "a VARCHAR");
}

TEST(TableFunctions, QualifyColumnsByTheirName) {
  EXPECT_EQ(columns("SELECT read_csv.i8 FROM read_csv('f.csv')"), "i8 TINYINT");
  EXPECT_EQ(columns("SELECT x.i8 FROM read_csv('f.csv') AS x"), "i8 TINYINT");
  EXPECT_EQ(columns("SELECT a.i8 FROM read_csv('f') a, read_csv('g') b WHERE a.i8 = b.i8"),
            "i8 TINYINT");
}

TEST(FromFirst, IsTheSelectBehindIt) {
  const std::string all = columns("SELECT * FROM t");
  EXPECT_EQ(columns("FROM t"), all);
  EXPECT_EQ(columns("FROM 'f.parquet' WHERE i8 > 1 ORDER BY i16 LIMIT 3"), all);
  EXPECT_EQ(columns("FROM t SELECT i8 AS a, i16 b WHERE b > 1"), "a TINYINT; b SMALLINT");
  EXPECT_EQ(columns("FROM t SELECT s, count(*) GROUP BY s HAVING count(*) > 1"),
            "s VARCHAR; count_star() BIGINT");
  EXPECT_EQ(columns("FROM t a JOIN t b USING (i8) SELECT a.i8, trim(FROM b.s)"),
            "i8 TINYINT; \"trim\"(b.s) VARCHAR");
  EXPECT_EQ(columns("SELECT i8 FROM t WHERE i8 IN (FROM 'g' SELECT i8 WHERE i8 > 1) AND b"),
            "i8 TINYINT");
}

TEST(FromFirst, KeepsTheSpellingOfAliases) {
  EXPECT_EQ(columns("FROM t SELECT i8 AS \"A b\", i16 Mixed"), "A b TINYINT; Mixed SMALLINT");
}

// Returns the keys of each step that groups.
std::vector<std::size_t> keys_of_groups(std::string_view statement) {
  const Bound bound = bind_statement(statement);
  EXPECT_TRUE(bound.result.ok()) << bound.result.status().text();
  std::vector<std::size_t> counts;
  for (StepId id = 0; id < bound.plan.size(); id++)
    if (bound.plan.step(id).kind == StepKind::group_by)
      counts.push_back(bound.plan.step(id).projections.size());
  return counts;
}

TEST(DependentKeys, AreComputedFromTheGroups) {
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(keys_of_groups("SELECT i8 + 1, i8, 5, count(*) FROM t GROUP BY 1, 2, 3"), Counts{1});
  EXPECT_EQ(keys_of_groups("SELECT i8 + i16, i16, i8 FROM t GROUP BY 1, 2, 3"), Counts{2});
  EXPECT_EQ(keys_of_groups("SELECT i8 + i16, i16 FROM t GROUP BY 1, 2"), Counts{2})
      << "i8 is no key";
  EXPECT_EQ(keys_of_groups("SELECT 5, 'x', count(*) FROM t GROUP BY 1, 2"), Counts{1})
      << "without a key there would be a group of no rows";
  EXPECT_EQ(columns("SELECT i8 + 1 AS a, s, 5 AS b, count(*) AS c, i8 FROM t GROUP BY 1, 2, 3, 5"),
            "a TINYINT; s VARCHAR; b INTEGER; c BIGINT; i8 TINYINT");
}

TEST(Stars, LeaveOutReplaceAndRename) {
  EXPECT_EQ(columns("SELECT x.* EXCLUDE (b, i16, i32, i64, u8, u32, u64, f, d, dt, ts, s, "
                    "\"mixed case\", price) REPLACE (i8 + 1 AS i8) RENAME (m AS n), 1 FROM t x"),
            "i8 TINYINT; n DECIMAL(15,2); 1 INTEGER");
  EXPECT_EQ(columns("SELECT * EXCLUDE i8, 1 FROM t").substr(0, 21), "b BOOLEAN; i16 SMALLI");
  EXPECT_EQ(columns("SELECT * REPLACE i8 + i16 AS i8 FROM t").substr(0, 23),
            "b BOOLEAN; i8 SMALLINT;");
}

TEST(Stars, LeaveMultiplicationAlone) {
  EXPECT_EQ(columns("SELECT i8 * i16 FROM t"), "(i8 * i16) SMALLINT");
  EXPECT_EQ(columns("SELECT count(*), i8 FROM t GROUP BY i8"), "count_star() BIGINT; i8 TINYINT");
}

TEST(All, GroupsAndOrdersByTheItems) {
  const Bound groups = bind_statement("SELECT s, count(*), i8 + 1, 5 FROM t GROUP BY ALL");
  ASSERT_TRUE(groups.result.ok()) << groups.result.status().text();
  EXPECT_EQ(last_step(groups, StepKind::group_by).projections.size(), 2u);
  const Bound order = bind_statement("SELECT s, i8 FROM t ORDER BY ALL DESC NULLS FIRST");
  ASSERT_TRUE(order.result.ok()) << order.result.status().text();
  EXPECT_EQ(last_step(order, StepKind::order_by).sort_keys,
            (std::vector<SortKey>{{0, true, true}, {1, true, true}}));
  EXPECT_EQ(columns("SELECT sum(i8) FROM t GROUP BY ALL"), "sum(i8) HUGEINT");
  EXPECT_EQ(columns("SELECT 5 FROM t GROUP BY ALL"), "5 INTEGER");
}

TEST(NoFrom, IsOneRow) {
  EXPECT_EQ(columns("SELECT 1, 2 + 2 AS four WHERE true"), "1 INTEGER; four INTEGER");
  EXPECT_EQ(columns("SELECT count(*), sum(3)"), "count_star() BIGINT; sum(3) HUGEINT");
}

TEST(TrailingComma, IsPassedOver) {
  EXPECT_EQ(columns("SELECT i8, i16, FROM t"), "i8 TINYINT; i16 SMALLINT");
}

TEST(TryCast, IsTheTypeAndNamedAsDuckDBDoes) {
  EXPECT_EQ(columns("SELECT TRY_CAST(i32 AS TINYINT), TRY_CAST('x' AS INT), try_cast(d AS int)"
                    " FROM t"),
            "TRY_CAST(i32 AS TINYINT) TINYINT; TRY_CAST('x' AS INTEGER) INTEGER; TRY_CAST(d AS "
            "INTEGER) INTEGER");
}

TEST(Strings, BesideNumbersAreReadAsThem) {
  EXPECT_EQ(predicate_of(bind_statement("SELECT 1 FROM t WHERE i8 = '5'")), "(i8 = 5)");
  EXPECT_EQ(predicate_of(bind_statement("SELECT 1 FROM t WHERE d = 'nan'")), "(d = nan)");
  EXPECT_EQ(predicate_of(bind_statement("SELECT 1 FROM t WHERE m < '2.504'")), "(m < 2.50)");
}

TEST(Statements, TellWhatTheyAskFor) {
  const Bound described = bind_statement("DESCRIBE 'f.parquet';");
  ASSERT_TRUE(described.result.ok()) << described.result.status().text();
  EXPECT_EQ(described.form.kind, StatementKind::describe);
  EXPECT_EQ(described.opened, "f.parquet");
  EXPECT_EQ(columns_of(described), columns("SELECT * FROM t"));
  for (const char* statement : {"DESC t", "DESCRIBE TABLE t", "DESCRIBE SELECT i8 FROM t",
                                "DESCRIBE FROM read_csv('f')", "DESCRIBE read_csv('f')"})
    EXPECT_EQ(bind_statement(statement).form.kind, StatementKind::describe) << statement;
  EXPECT_EQ(bind_statement("SUMMARIZE SELECT i8 FROM t").form.kind, StatementKind::summarize);
}

TEST(Statements, CopyHasItsTargetAndOptions) {
  const Bound bound = bind_statement(
      "COPY (FROM t SELECT i8, s) TO 'a/b.csv' WITH (FORMAT CSV, HEADER, DELIMITER ';', "
      "PARTITION_BY (i8, \"S\"), ROW_GROUP_SIZE 100);");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_EQ(bound.form.kind, StatementKind::copy);
  EXPECT_EQ(columns_of(bound), "i8 TINYINT; s VARCHAR");
  EXPECT_EQ(bound.form.target.path, "a/b.csv");
  const std::vector<TableOption> options = {{"format", std::string("CSV")},
                                            {"header", true},
                                            {"delimiter", std::string(";")},
                                            {"partition_by", OptionList{"i8", "S"}},
                                            {"row_group_size", std::int64_t{100}}};
  EXPECT_EQ(bound.form.target.options, options);
  EXPECT_EQ(opened("COPY 'in.csv' TO 'out.parquet'"), "in.csv");
}

TEST(Statements, OnlyASelectIsBoundAsOne) {
  Plan plan;
  const auto open = [](const TableReference&) -> Result<std::shared_ptr<TableSource>> {
    return std::shared_ptr<TableSource>(std::make_shared<NoRows>(every_type()));
  };
  EXPECT_EQ(bind_sql("DESCRIBE t", plan, open).status().code(), Code::unsupported);
  EXPECT_TRUE(bind_sql("SELECT i8 FROM t", plan, open).ok());
}

}  // namespace
}  // namespace penstock::sql_test
