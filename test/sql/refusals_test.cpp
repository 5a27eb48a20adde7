// One error names all unsupported features of a statement, and no consequences of them.
#include <gtest/gtest.h>

#include "sql/fixture.hpp"

namespace penstock::sql_test {
namespace {

using Sentences = std::vector<std::string>;

// Returns the sentences of the error, up to what can be written instead.
Sentences problems(std::string_view statement) {
  const Status status = bind_statement(statement).result.status();
  const std::string message = status.message().substr(0, status.message().rfind("\nLINE "));
  Sentences sentences;
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    const std::string line = message.substr(begin, end - begin);
    sentences.push_back(line.substr(0, line.find(" is not supported")));
    begin = end + 1;
  }
  return sentences;
}

Code code(std::string_view statement) { return bind_statement(statement).result.status().code(); }

TEST(Refusals, OfSyntaxAreNamedAtOnce) {
  EXPECT_EQ(
      problems("WITH a AS (SELECT median(i8) FROM t) SELECT stddev(i8), ntile(4) OVER () FROM a"),
      (Sentences{"the function median", "the function stddev", "ntile as a window function"}));
  EXPECT_EQ(problems("SELECT s, string_agg(s, ',') FROM t GROUP BY ROLLUP(s) UNION ALL SELECT s, "
                     "(SELECT max(s) FROM t) > ALL (SELECT median(i8) FROM t) FROM t"),
            (Sentences{"the function string_agg",
                       "a comparison with ANY or ALL anywhere but in WHERE, joined to the rest by "
                       "AND,",
                       "the function median"}));
  EXPECT_EQ(problems("WITH RECURSIVE a AS (SELECT median(i8) FROM t) SELECT x FROM a, LATERAL "
                     "(SELECT stddev(i8) AS x FROM t) y"),
            (Sentences{"the function median", "LATERAL", "the function stddev"}));
  EXPECT_EQ(problems("SELECT DISTINCT ON (s) s FROM t TABLESAMPLE system (10) FOR UPDATE"),
            (Sentences{"TABLESAMPLE", "FOR UPDATE or the like"}));
}

TEST(Refusals, AreNamedWhereTheParserStops) {
  EXPECT_EQ(problems("WITH a AS (SELECT 1) SELECT median(i8) FROM a QUALIFY rank() OVER () = 1 "
                     "LIMIT 5%"),
            (Sentences{"the function median", "LIMIT with a percentage"}));
  EXPECT_EQ(
      problems("SELECT list_transform([1, 2], x -> x) FROM (SELECT 1 UNION BY NAME SELECT 2)"),
      (Sentences{"a list", "UNION BY NAME"}));
}

TEST(Refusals, LeaveSyntaxErrorsOfOtherReasonsAlone) {
  EXPECT_EQ(problems("SELECT median(i8) FROM t WHERE )"),
            (Sentences{"syntax error at or near \")\""}));
}

TEST(Refusals, OfFunctionsAreNamedWhereTheTableIsNotKnown) {
  EXPECT_EQ(problems("SELECT nofunction(x), 1 + nothing(x) FROM (SELECT noone(i8) x FROM t) y"),
            (Sentences{"the function nofunction", "the function nothing", "the function noone"}));
}

TEST(Refusals, OfEveryClauseAreNamedInTheirOrder) {
  EXPECT_EQ(problems("SELECT s::DECIMAL(20,0), s::DECIMAL(21,0) FROM t WHERE s::DECIMAL(24,0) > 1 "
                     "AND greatest(INTERVAL 1 DAY, INTERVAL 1 DAY) "
                     "> INTERVAL 1 DAY ORDER BY nofunction(s) LIMIT nothing(3)"),
            (Sentences{"a cast of VARCHAR to DECIMAL(20,0)", "a cast of VARCHAR to DECIMAL(21,0)",
                       "a cast of VARCHAR to DECIMAL(24,0)", "greatest of INTERVAL",
                       "the function nofunction", "the function nothing"}));
}

TEST(Refusals, OfGroupsAreNamedInTheirOrder) {
  EXPECT_EQ(problems("SELECT extract(timezone FROM dt) AS k, sum(s::DECIMAL(20,0)), "
                     "max(s)::DECIMAL(21,0), median(i8) "
                     "FROM t GROUP BY k HAVING count(u64 + i64) > 1"),
            (Sentences{"the date part 'timezone'", "a cast of VARCHAR to DECIMAL(20,0)",
                       "a cast of VARCHAR to DECIMAL(21,0)", "the function median",
                       "cannot add UBIGINT and BIGINT: the result would be HUGEINT; "
                       "cast one side to the other's type, or to HUGEINT"}));
}

TEST(Refusals, OfOperandsBesideEachOtherAreAllNamed) {
  EXPECT_EQ(
      problems(
          "SELECT s::DECIMAL(20,0) + s::DECIMAL(22,0), CASE WHEN s::DECIMAL(20,3) THEN "
          "extract(timezone FROM ts) "
          "ELSE s::DECIMAL(23,0) END, i8 IN (1, s::DECIMAL(20,2)) OR s::DECIMAL(20,1) > 1 FROM t"),
      (Sentences{"a cast of VARCHAR to DECIMAL(20,0)", "a cast of VARCHAR to DECIMAL(22,0)",
                 "a cast of VARCHAR to DECIMAL(20,3)", "the date part 'timezone'",
                 "a cast of VARCHAR to DECIMAL(23,0)", "a cast of VARCHAR to DECIMAL(20,2)",
                 "a cast of VARCHAR to DECIMAL(20,1)"}));
}

TEST(Refusals, OfWindowsAreNamedInTheirOrder) {
  EXPECT_EQ(
      problems("SELECT sum(s::DECIMAL(20,0)) OVER (PARTITION BY s::DECIMAL(21,0) ORDER BY "
               "extract(timezone "
               "FROM dt)), ntile(3) OVER (), count(DISTINCT i8) OVER (), sum(i8) OVER (ROWS 3 "
               "PRECEDING) FROM t"),
      (Sentences{"a cast of VARCHAR to DECIMAL(20,0)", "a cast of VARCHAR to DECIMAL(21,0)",
                 "the date part 'timezone'", "ntile as a window function",
                 "DISTINCT in a window function",
                 "a frame other than UNBOUNDED PRECEDING to CURRENT ROW or UNBOUNDED "
                 "FOLLOWING"}));
}

TEST(Refusals, OfJoinsAreNamedInTheirOrder) {
  EXPECT_EQ(
      problems("SELECT x.s::DECIMAL(21,0) FROM t x JOIN t y ON x.i8 = y.s::DECIMAL(20,0) LEFT JOIN "
               "t z ON "
               "x.i8 = z.i8 AND x.i16 < z.i16 AND z.s::DECIMAL(20,1) > 1 WHERE x.i8 IN (SELECT "
               "extract(timezone FROM dt) FROM t) AND x.s::DECIMAL(20,2) > 2"),
      (Sentences{"a cast of VARCHAR to DECIMAL(21,0)", "a cast of VARCHAR to DECIMAL(20,0)",
                 "a cast of VARCHAR to DECIMAL(20,1)", "the date part 'timezone'",
                 "a cast of VARCHAR to DECIMAL(20,2)"}));
}

TEST(Refusals, InsideOfWhatIsRefusedAreNamed) {
  EXPECT_EQ(
      problems("SELECT s::DECIMAL(20,0) AS n FROM t UNION ALL SELECT s::DECIMAL(21,0) FROM t"),
      (Sentences{"a cast of VARCHAR to DECIMAL(20,0)", "a cast of VARCHAR to DECIMAL(21,0)"}));
  EXPECT_EQ(problems("WITH a AS (SELECT extract(timezone FROM dt) AS n FROM t) SELECT n FROM a "
                     "WHERE n > (SELECT avg(s::DECIMAL(20,1)) FROM t y WHERE y.i8 = n)"),
            (Sentences{"the date part 'timezone'", "a cast of VARCHAR to DECIMAL(20,1)"}));
  EXPECT_EQ(problems("SELECT i8 IN (SELECT s::DECIMAL(20,0) FROM t) FROM t"),
            (Sentences{"a cast of VARCHAR to DECIMAL(20,0)"}));
  EXPECT_EQ(
      problems(
          "SELECT s::DECIMAL(20,0) FROM t x WHERE EXISTS (SELECT 1 FROM t a, t b WHERE a.i8 = x.i8 "
          "AND b.i8 = a.i8)"),
      (Sentences{"a cast of VARCHAR to DECIMAL(20,0)"}));
  EXPECT_EQ(problems("SELECT n FROM (SELECT t.s::DECIMAL(20,0) AS n, t.i8 FROM t, t y) x"),
            (Sentences{"a cast of VARCHAR to DECIMAL(20,0)"}));
}

TEST(Refusals, OfTheArgumentsOfRefusedAggregatesAreNamed) {
  EXPECT_EQ(problems("SELECT s, median(s::DECIMAL(20,0)) FILTER (WHERE s::DECIMAL(21,0) = 1) FROM "
                     "t GROUP BY s"),
            (Sentences{"the function median", "a cast of VARCHAR to DECIMAL(20,0)",
                       "a cast of VARCHAR to DECIMAL(21,0)"}));
  EXPECT_EQ(problems("SELECT s, i16, median(i8) FROM t GROUP BY s"),
            (Sentences{"column \"i16\" must appear in the GROUP BY clause or must be part of an "
                       "aggregate function",
                       "the function median"}));
  EXPECT_EQ(problems("SELECT s, nofunction(i8) FROM t GROUP BY s"),
            (Sentences{"the function nofunction"}));
}

TEST(Refusals, OfColumnsThatAreNotReadStandBesideOthers) {
  EXPECT_EQ(problems("SELECT zoned, i8, bytes FROM unread WHERE s::DECIMAL(20,0) > 1"),
            (Sentences{"column 'zoned' cannot be read: it is TIMESTAMP WITH TIME ZONE",
                       "column 'bytes' cannot be read: it is BLOB",
                       "a cast of VARCHAR to DECIMAL(20,0)"}));
  EXPECT_EQ(problems("DESCRIBE SELECT zoned FROM unread WHERE s::DECIMAL(20,0) > 1"),
            (Sentences{"a cast of VARCHAR to DECIMAL(20,0)"}));
}

TEST(Refusals, OfOneSentenceAreNamedOnce) {
  EXPECT_EQ(problems("SELECT s::DECIMAL(20,0), s::DECIMAL(20,0) + 1 FROM t WHERE s::DECIMAL(20,0) "
                     "> 2 ORDER BY s::DECIMAL(20,0)"),
            (Sentences{"a cast of VARCHAR to DECIMAL(20,0)"}));
}

// Each has one reason. An expression that reads a refused part is not an error of its own.
TEST(Refusals, LeaveOutWhatFollowsFromOthers) {
  const struct {
    const char *statement, *sentence;
  } rows[] = {
      {"SELECT nofunction(i8) + INTERVAL 1 DAY, year(nofunction(i8)) FROM t",
       "the function nofunction"},
      {"SELECT s, i16, GROUPING(nofunction(s)) FROM t GROUP BY ROLLUP(nofunction(s), i16)",
       "the function nofunction"},
      {"SELECT s::DECIMAL(20,0) AS k, k + 1 FROM t GROUP BY k ORDER BY k",
       "a cast of VARCHAR to DECIMAL(20,0)"},
      {"SELECT i8 FROM t GROUP BY nofunction(i8)", "the function nofunction"},
      {"SELECT s, median(i8) FROM t GROUP BY s HAVING median(i8) > 1", "the function median"},
      {"SELECT median(i8) FROM t HAVING 1 = 1", "the function median"},
      {"SELECT median(i8) FROM t WHERE i8 > 0 ORDER BY median(i8)", "the function median"},
      {"SELECT sum(i8) OVER w, count(*) OVER (w) FROM t WINDOW w AS (ROWS 3 PRECEDING)",
       "a frame other than UNBOUNDED PRECEDING to CURRENT ROW or UNBOUNDED FOLLOWING"},
      {"SELECT 1 FROM t x JOIN t y ON x.s = initcap(y.s)", "the string function initcap"},
      {"SELECT 1 FROM t x, t y WHERE x.i8 = y.i8[1]", "a subscript or field access"},
      {"SELECT 1 FROM t x LEFT JOIN t y ON initcap(x.s) = y.s", "the string function initcap"},
      {"SELECT x.i8 FROM t x RIGHT JOIN t y USING (i8)", "USING with a RIGHT JOIN"},
      {"SELECT x.i8 FROM t x NATURAL FULL JOIN t y", "NATURAL JOIN with a FULL JOIN"},
      {"SELECT a, missing.b FROM missing(1) WHERE a > 3", "the table function missing"},
      {"SELECT x.nope FROM (SELECT i8 FROM t TABLESAMPLE system (10)) x", "TABLESAMPLE"},
      {"SELECT 1 FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE nofunction(y.i8) = x.i8)",
       "the function nofunction"},
      {"SELECT 1 FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE y.i8[1] = x.i8)",
       "a subscript or field access"},
      {"SELECT 1 FROM t x WHERE x.i8 IN (SELECT i8 FROM t UNION SELECT nofunction(i8) FROM t)",
       "the function nofunction"},
      {"SELECT i8 + (SELECT nofunction(i8) FROM t) FROM t WHERE i8 > (SELECT nofunction(i8) FROM "
       "t)",
       "the function nofunction"},
      {"SELECT sum(nofunction(i8)) OVER (ORDER BY i8) + 1 FROM t", "the function nofunction"},
      {"SELECT s FROM t UNION ALL SELECT nofunction(i8) FROM t ORDER BY nope",
       "the function nofunction"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(problems(row.statement), Sentences{row.sentence}) << row.statement;
    EXPECT_EQ(code(row.statement), Code::unsupported) << row.statement;
  }
}

// As in DuckDB the first error of the statement's own is the one reported.
TEST(Refusals, StandBehindTheFirstErrorOfTheStatement) {
  const char* statement =
      "SELECT median(i8), nope, other, i8 + b FROM t WHERE s::DECIMAL(20,0) > 1";
  const Status status = bind_statement(statement).result.status();
  EXPECT_EQ(status.code(), Code::invalid);
  EXPECT_EQ(
      problems(statement),
      (Sentences{"referenced column \"nope\" not found in FROM clause; there are b, i8, i16, i32, "
                 "i64, u8, u32, u64, f, d, dt, ts, m, s, Mixed Case, Price",
                 "the function median", "a cast of VARCHAR to DECIMAL(20,0)"}));
  EXPECT_TRUE(status.message().ends_with("\n" + std::string(8 + 19, ' ') + "^")) << status.text();
}

TEST(Refusals, StandBehindTheErrorOfATableThatIsNotThere) {
  const char* statement = "SELECT median(x) FROM 'missing.parquet'";
  EXPECT_EQ(code(statement), Code::io);
  EXPECT_EQ(problems(statement), (Sentences{"no file 'missing.parquet'", "the function median"}));
}

TEST(Refusals, BeyondTwelveAreCounted) {
  std::string statement = "SELECT 1";
  for (int i = 10; i < 25; i++) statement += ", xyz" + std::to_string(i) + "(i8)";
  const Sentences few = problems(statement + " FROM t");
  ASSERT_EQ(few.size(), 13u);
  EXPECT_EQ(few.back(), "and 3 more are not supported");
  for (int i = 0; i < 20'000; i++) statement += ", xyz" + std::to_string(i) + "(i8)";
  EXPECT_EQ(problems(statement + " FROM t").back(), "and at least 88 more are not supported");
}

}  // namespace
}  // namespace penstock::sql_test
