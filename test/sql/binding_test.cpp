#include <gtest/gtest.h>

#include "expr/constant.hpp"
#include "sql/fixture.hpp"
#include "sql/recorded.hpp"

namespace penstock::sql_test {
namespace {

// recorded.hpp: names and types of result columns, as DuckDB 2.0 gave them for the same statement
// over the same columns.
TEST(Binding, NamesAndTypesAreDuckDBs) {
  for (const Recorded& row : recorded) {
    const Bound bound = bind_statement(row.statement);
    ASSERT_TRUE(bound.result.ok()) << row.statement << "\n" << bound.result.status().text();
    EXPECT_EQ(columns_of(bound), row.columns) << row.statement;
  }
}

TEST(Binding, StepsAreThoseTheStatementNeeds) {
  for (const Recorded& row : recorded) {
    const Bound bound = bind_statement(row.statement);
    ASSERT_TRUE(bound.result.ok()) << row.statement;
    EXPECT_EQ(steps_of(bound), row.steps) << row.statement;
  }
}

TEST(Binding, TpchQuery1IsOneGroupingWithoutMaps) {
  const Bound bound = bind_statement(
      "SELECT s, b, sum(d) AS sum_qty, sum(m * (1 - m) * (1 + m)) AS sum_charge, avg(m) AS "
      "avg_price, count(*) AS count_order\n"
      "FROM 'lineitem.parquet' WHERE dt <= DATE '1998-12-01' - INTERVAL '90' DAY GROUP BY s, b "
      "ORDER BY s, b");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_EQ(bound.opened, "lineitem.parquet");
  EXPECT_EQ(steps_of(bound), "source > filter > group by > order by");
  EXPECT_EQ(columns_of(bound),
            "s VARCHAR; b BOOLEAN; sum_qty DOUBLE; sum_charge DECIMAL(38,6); avg_price DOUBLE; "
            "count_order BIGINT");
}

// A TIMESTAMP at midnight would make the kernel widen every row's date.
TEST(Binding, DateColumnAgainstMidnightComparesDates) {
  const Bound bound =
      bind_statement("SELECT count(*) FROM t WHERE dt <= DATE '1998-12-01' - INTERVAL 3 MONTHS");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_EQ(predicate_of(bound),
            predicate_of(bind_statement("SELECT count(*) FROM t WHERE dt <= DATE '1998-09-01'")));
  EXPECT_NE(predicate_of(bound),
            predicate_of(bind_statement("SELECT count(*) FROM t WHERE dt <= DATE '1998-09-02'")));
}

TEST(Binding, DateColumnAgainstNoonComparesTimestamps) {
  const Bound bound =
      bind_statement("SELECT count(*) FROM t WHERE dt <= TIMESTAMP '1998-09-01 12:00:00'");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_NE(predicate_of(bound).find("TIMESTAMP"), std::string::npos) << predicate_of(bound);
}

TEST(Binding, PrecedenceIsDuckDBs) {
  const auto same = [](const char* written, const char* meant) {
    const Bound a = bind_statement(std::string("SELECT * FROM t WHERE ") + written),
                b = bind_statement(std::string("SELECT * FROM t WHERE ") + meant);
    ASSERT_TRUE(a.result.ok()) << a.result.status().text();
    ASSERT_TRUE(b.result.ok()) << b.result.status().text();
    EXPECT_EQ(predicate_of(a), predicate_of(b)) << written;
  };
  same("i32 + i32 // i16 > 1", "(i32 + (i32 // i16)) > 1");
  same("i32 // i16 * i16 > 1", "((i32 // i16) * i16) > 1");
  same("i32 * i16 // i16 > 1", "((i32 * i16) // i16) > 1");
  same("-i32 ** 2 > 1", "((-i32) ** 2) > 1");
  same("i32 == 1 and b or i16 == 2", "((i32 = 1) and b) or (i16 = 2)");
  same("not i32 == 1", "not (i32 = 1)");
  same("i32 & i16 + 1 > 1", "(i32 & (i16 + 1)) > 1");
}

TEST(Binding, CommentsAndStringsHideOperators) {
  const Bound bound = bind_statement(
      "SELECT s /* a // b == c */ FROM t WHERE s = 'a // b == c -- d' -- // ==\n AND i8 // 2 == 1");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_NE(predicate_of(bound).find("a // b == c -- d"), std::string::npos) << predicate_of(bound);
}

TEST(Binding, TableNameIsReadAsWritten) {
  for (const auto& [from, name] :
       {std::pair("'a b.parquet'", "a b.parquet"), std::pair("\"A b.parquet\"", "A b.parquet"),
        std::pair("'it''s \"x\".csv'", "it's \"x\".csv"), std::pair("Lineitem", "Lineitem"),
        std::pair("'\xC3\xBC/\xF0\x9F\x98\x80.csv' AS q", "\xC3\xBC/\xF0\x9F\x98\x80.csv")}) {
    const Bound bound = bind_statement("SELECT i8 FROM " + std::string(from));
    ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
    EXPECT_EQ(bound.opened, name);
  }
}

// PostgreSQL cuts names at 63 bytes.
TEST(Binding, LongNamesAreNotCut) {
  const std::string path = std::string(300, 'd') + "/lineitem.parquet", alias(100, 'X');
  const Bound bound =
      bind_statement("SELECT i8 AS " + alias + " FROM '" + path + "' ORDER BY " + alias);
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_EQ(bound.opened, path);
  EXPECT_EQ(columns_of(bound), alias + " TINYINT");
}

TEST(Binding, FileNameQualifiesColumns) {
  for (const char* statement :
       {"SELECT lineitem.i8 FROM 'data/lineitem.parquet'", "SELECT LineItem.i8 FROM 'lineitem.csv'",
        "SELECT L.i8 FROM 'lineitem.csv' l", "SELECT l.* FROM 'lineitem.csv' AS l"})
    EXPECT_TRUE(bind_statement(statement).result.ok())
        << statement << bind_statement(statement).result.status().text();
}

TEST(Binding, FromInsideFunctionsIsNoTable) {
  const Bound bound = bind_statement(
      "SELECT extract(year FROM '1998-01-02'::date), b IS DISTINCT FROM true FROM 't'");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_EQ(bound.opened, "t");
}

TEST(Binding, AliasKeepsItsCase) {
  const Bound bound = bind_statement(
      "SELECT i8 AS Aa, i16 Bb, case when b then 1 end AS \"C c\", b IS DISTINCT FROM b AS Dd, "
      "(i8) Ee FROM t");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_EQ(columns_of(bound), "Aa TINYINT; Bb SMALLINT; C c INTEGER; Dd BOOLEAN; Ee TINYINT");
}

TEST(Binding, LimitAndOffsetAreCounted) {
  const Bound bound = bind_statement("SELECT i8 FROM t LIMIT 2 * 5 OFFSET 3");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_EQ(last_step(bound, StepKind::limit).limit, 10u);
  EXPECT_EQ(last_step(bound, StepKind::limit).offset, 3u);
}

TEST(Binding, SortKeysCarryDirectionAndNulls) {
  const Bound bound =
      bind_statement("SELECT i8, i16 FROM t ORDER BY 2 DESC NULLS FIRST, i8 ASC, b DESC");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  const std::vector<SortKey>& keys = last_step(bound, StepKind::order_by).sort_keys;
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_TRUE(keys[0].column == 1 && keys[0].descending && keys[0].nulls_first);
  EXPECT_TRUE(keys[1].column == 0 && !keys[1].descending && !keys[1].nulls_first);
  EXPECT_TRUE(keys[2].column == 2 && keys[2].descending &&
              !keys[2].nulls_first);  // DuckDB: NULLs last both ways
}

TEST(Binding, EqualAggregatesAreComputedOnce) {
  const Bound bound = bind_statement(
      "SELECT sum(i8), sum(I8) + 1, sum(t.i8) / count(*) FROM t HAVING count(*) > 1");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_EQ(last_step(bound, StepKind::reduce).aggregates.size(), 2u);
}

// Returns for each step that groups whether its rows may come in any order.
std::vector<bool> orders_of_groups(std::string_view statement) {
  const Bound bound = bind_statement(statement);
  EXPECT_TRUE(bound.result.ok()) << bound.result.status().text();
  std::vector<bool> orders;
  for (StepId id = 0; id < bound.plan.size(); id++)
    if (bound.plan.step(id).kind == StepKind::group_by)
      orders.push_back(bound.plan.step(id).any_order);
  return orders;
}

TEST(Binding, GroupsAreSortedWhereTheirOrderIsSeen) {
  const std::string groups = "(SELECT s, count(*) AS n FROM t GROUP BY s)";
  for (const char* seen : {"SELECT s, count(*) FROM t GROUP BY s", "SELECT DISTINCT s FROM t"})
    EXPECT_EQ(orders_of_groups(seen), std::vector<bool>{false}) << seen;
  for (const char* seen :
       {"SELECT n + 1 FROM ", "SELECT * FROM ", "SELECT rank() OVER (ORDER BY n) FROM "})
    EXPECT_EQ(orders_of_groups(seen + groups), std::vector<bool>{false}) << seen;
  for (const char* unseen :
       {"SELECT max(n) FROM ", "SELECT i8 FROM t WHERE i64 IN (SELECT n FROM "})
    EXPECT_EQ(orders_of_groups(unseen + groups + (unseen[7] == 'i' ? " z)" : "")),
              std::vector<bool>{true})
        << unseen;
  EXPECT_EQ(orders_of_groups("SELECT i8 FROM t WHERE s IN (SELECT s FROM " + groups + " LIMIT 3)"),
            std::vector<bool>{false})
      << "LIMIT takes the first";
}

TEST(Binding, ANameOfWithIsComputedOnce) {
  const std::string with = "WITH w AS (SELECT s, count(*) AS n FROM t GROUP BY s) ";
  EXPECT_EQ(orders_of_groups(with + "SELECT a.n FROM w a JOIN w b ON a.s = b.s").size(), 1u);
  EXPECT_EQ(orders_of_groups(with + "SELECT n FROM w WHERE n > (SELECT avg(n) FROM w)").size(), 1u);
  EXPECT_EQ(orders_of_groups(with + "SELECT 1").size(), 0u);
}

TEST(Binding, ArithmeticOnSumsOfIntegersIsOf128Bits) {
  EXPECT_EQ(columns_of(bind_statement("SELECT sum(i8) + 1 FROM t")), "(sum(i8) + 1) HUGEINT");
}

// The types are DuckDB's; m is a DECIMAL(15,2).
TEST(Binding, ArithmeticOnSumsOfDecimalsHas38Digits) {
  const struct {
    const char* expression;
    const char* type;
  } sums[] = {{"sum(m) + 1", "DECIMAL(38,2)"},
              {"-sum(m)", "DECIMAL(38,2)"},
              {"100.00 * sum(m)", "DECIMAL(38,4)"},
              {"sum(m) * sum(m)", "DECIMAL(38,4)"},
              {"sum(m) * sum(i8)", "DECIMAL(38,2)"},
              {"sum(m) / sum(m)", "DOUBLE"},
              {"sum(m) % 7", "DECIMAL(38,2)"},
              {"sum(m) % sum(m * m)", "DOUBLE"},
              {"coalesce(sum(m), sum(m * m))", "DECIMAL(38,2)"},
              {"coalesce(sum(m), 0)", "DECIMAL(38,2)"},
              {"round(sum(m), 1)", "DECIMAL(38,1)"},
              {"floor(sum(m))", "DECIMAL(38,0)"},
              {"CAST(sum(m) AS DECIMAL(25, 3))", "DECIMAL(25,3)"},
              {"CAST(sum(m) AS DECIMAL(25, 3)) + 1.5", "DECIMAL(26,3)"}};
  for (const auto& sum : sums) {
    const std::string text =
        columns_of(bind_statement("SELECT " + std::string(sum.expression) + " AS x FROM t"));
    EXPECT_EQ(text, "x " + std::string(sum.type)) << sum.expression;
  }
}

TEST(Binding, FaultsKnowTheirPlaceInTheStatement) {
  const std::string statement = "SELECT i8 FROM t WHERE i8 * i16 > 3";
  const Bound bound = bind_statement(statement);
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  const Step& filter = last_step(bound, StepKind::filter);
  const NodeId product = filter.graph->at(filter.predicate).inputs[0];
  const auto site = filter.graph->sites.find(product);
  ASSERT_NE(site, filter.graph->sites.end());
  EXPECT_EQ(site->second.offset, static_cast<int>(statement.find('*')));
  EXPECT_EQ(site->second.text, "(i8 * i16)");
}

// The values are DuckDB 2.0's; "" is an error.
TEST(Binding, StringsCastToNumbersAsDuckDbReadsThem) {
  const Type integer{Kind::int32}, money = Type::decimal(10, 2), tiny{Kind::int8},
                                   large{Kind::uint64};
  const struct {
    Type type;
    const char* text;
    const char* value;
  } casts[] = {{integer, "12.5", "13"},
               {integer, "-12.5", "-13"},
               {integer, "12.49", "12"},
               {integer, "1e2", "100"},
               {integer, "1.25e1", "13"},
               {integer, "+5", "5"},
               {integer, "1e-3", "0"},
               {integer, ".5", "1"},
               {integer, "5.", "5"},
               {integer, "-.5", "-1"},
               {integer, "1_000", "1000"},
               {integer, "1e-400", "0"},
               {integer, "0e400", "0"},
               {integer, "-0.4", "0"},
               {integer, "25e-1", "3"},
               {integer, "1234567e-5", "12"},
               {integer, "+ 5", ""},
               {integer, "-+5", ""},
               {integer, "+-5", ""},
               {integer, ".", ""},
               {integer, "", ""},
               {integer, "e5", ""},
               {integer, "1e", ""},
               {integer, "1e400", ""},
               {integer, "1__0", ""},
               {integer, "1_", ""},
               {integer, "5e0.5", ""},
               {integer, "1e+-2", ""},
               {integer, "2147483648", ""},
               {integer, "99999999999999999999999999999999999999999999", ""},
               {tiny, "127.4", "127"},
               {tiny, "127.5", ""},
               {tiny, "-128", "-128"},
               {tiny, "-129", ""},
               {large, "18446744073709551615", "18446744073709551615"},
               {large, "18446744073709551615.4", "18446744073709551615"},
               {large, "18446744073709551615.5", ""},
               {large, "-0", "0"},
               {large, "-1", ""},
               {large, "-0.4", ""},
               {money, "1.25e1", "12.50"},
               {money, "+5", "5.00"},
               {money, "1.005", "1.01"},
               {money, "1.004999", "1.00"},
               {money, "1e+2", "100.00"},
               {money, "99999999.994", "99999999.99"},
               {money, "99999999.995", ""},
               {money, "1e400", ""},
               {money, "1234567e-5", "12.35"}};
  for (const auto& cast : casts) {
    const auto value = expr::parse_as(cast.type, cast.text);
    EXPECT_EQ(value ? text_of(*value) : "", cast.value)
        << cast.text << " as " << name_of(cast.type);
  }
}

TEST(Binding, LongInListNestsShallow) {
  std::string statement = "SELECT count(*) FROM t WHERE i32 IN (0";
  for (int i = 1; i < 20'000; i++) statement += "," + std::to_string(-i);
  EXPECT_TRUE(bind_statement(statement + ")").result.ok());
}

}  // namespace
}  // namespace penstock::sql_test
