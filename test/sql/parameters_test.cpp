// Values in place of a statement's parameters.
#include "sql/parse/parameters.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "column/nested/nested_column.hpp"
#include "penstock/expression.hpp"
#include "sql/fixture.hpp"

namespace penstock::sql_test {
namespace {

using GivenValues = std::vector<std::pair<std::string, Scalar>>;

Table row_of_values(const GivenValues& values) {
  Table table;
  table.row_count = 1;
  for (const auto& [name, value] : values) {
    table.names.push_back(name);
    table.columns.push_back(column_of(value.type, {&value, 1}));
  }
  return table;
}

// The statement, or the first line of the error.
std::string with_values(std::string_view statement, const GivenValues& values) {
  const auto text = sql::with_parameters(statement, row_of_values(values));
  if (text.ok()) return *text;
  const std::string error = text.status().text();
  return error.substr(0, error.find('\n'));
}

Scalar units_of_decimal(int precision, int scale, Int128 units) {
  return Scalar::of(Type::decimal(precision, scale), units);
}

const Scalar given_seven = Scalar::of(std::int32_t{7});

TEST(Parameters, AValueStandsWhereItsParameterStood) {
  EXPECT_EQ(with_values("SELECT ? + b WHERE c=?", {{"", given_seven}, {"", Scalar::of("x")}}),
            "SELECT CAST(7 AS INTEGER) + b WHERE c= 'x'");
  EXPECT_EQ(with_values("SELECT $2, $1, $2", {{"", given_seven}, {"", Scalar::of(true)}}),
            "SELECT true, CAST(7 AS INTEGER), true");
  EXPECT_EQ(
      with_values("SELECT $a || $A", {{"A", Scalar::of("upper")}, {"a", Scalar::of("lower")}}),
      "SELECT 'lower' || 'upper'");
}

TEST(Parameters, AValueIsNoPartOfTheWordBeforeIt) {
  EXPECT_EQ(with_values("SELECT u&?", {{"", Scalar::of("\\0041")}}), "SELECT u& '\\0041'");
}

TEST(Parameters, StringsNamesAndCommentsHoldNone) {
  for (const char* statement :
       {"SELECT '?$1'", "SELECT 'it''s ?'", "SELECT E'\\'?'", "SELECT \"?\"", "SELECT \"a\"\"?\"",
        "SELECT $$ ? $1 $$", "SELECT $t$ ? $$ $t$", "SELECT 1 -- ?\n",
        "SELECT 1 /* ? /* $1 */ ? */", "SELECT a$1 FROM t", "SELECT a$b FROM t"})
    EXPECT_EQ(with_values(statement, {}), statement);
}

TEST(Parameters, AValueIsOneConstantWhateverItsTextSays) {
  EXPECT_EQ(with_values("SELECT ?", {{"", Scalar::of("'; DROP TABLE t; --")}}),
            "SELECT '''; DROP TABLE t; --'");
  EXPECT_EQ(with_values("SELECT ?, ?", {{"", Scalar::of("?")}, {"", Scalar::of("$1")}}),
            "SELECT '?', '$1'");
  EXPECT_EQ(with_values("SELECT E?", {{"", Scalar::of("\\'")}}), "SELECT E '\\'''");
  EXPECT_EQ(with_values("SELECT 'a'?'b'", {{"", Scalar::of("x")}}), "SELECT 'a' 'x' 'b'");
}

TEST(Parameters, WordsBesideAParameterStayWords) {
  EXPECT_EQ(with_values("SELECT 1 LIMIT?", {{"", given_seven}}),
            "SELECT 1 LIMIT CAST(7 AS INTEGER)");
  EXPECT_EQ(with_values("WHERE ?AND ?", {{"", Scalar::of(true)}, {"", Scalar::of(false)}}),
            "WHERE true AND false");
}

TEST(Parameters, NulBytesBecomeCalls) {
  EXPECT_EQ(with_values("SELECT ?", {{"", Scalar::of(std::string("a\0b\0", 4))}}),
            "SELECT ('a' || chr(0) || 'b' || chr(0) || '')");
}

TEST(Parameters, ConstantsHaveTheTypesOfTheirValues) {
  const Scalar values[] = {
      Scalar::of(std::int8_t{-128}),
      Scalar::of(std::numeric_limits<std::int64_t>::min()),
      Scalar::of(std::numeric_limits<std::uint64_t>::max()),
      Scalar::of(-0.0),
      Scalar::of(std::numeric_limits<double>::infinity()),
      Scalar::of(0.1f),
      Scalar::of(false),
      Scalar::of("text"),
      units_of_decimal(5, 2, -1),
      units_of_decimal(38, 38, 1),
      units_of_decimal(38, 0, Int128{-99999999999999999} * 1000000000000000000),
      Scalar::of({Kind::date32}, std::int32_t{-1}),
      Scalar::of({Kind::timestamp}, std::int64_t{-1}),
      Scalar::of({Kind::timestamp, 0, 0, LogicalType::time}, std::int64_t{86399999999}),
      Scalar::of({Kind::timestamp, 0, 0, LogicalType::timestamp_tz}, std::int64_t{1}),
      Scalar::of({Kind::string, 0, 0, LogicalType::blob}, std::string("\0'\\\xff", 4)),
      Scalar::of({Kind::string, 0, 0, LogicalType::uuid}, std::string("0123456789abcdef")),
  };
  for (const Scalar& value : values) {
    for (const bool is_null : {false, true}) {
      Scalar given = value;
      given.is_null = is_null;
      const std::string statement = with_values("SELECT ? AS x", {{"", given}});
      const Bound bound = sql_test::bind_statement(statement);
      ASSERT_TRUE(bound.result.ok()) << statement << "\n" << bound.result.status().text();
      EXPECT_EQ(columns_of(bound), "x " + name_of(value.type)) << statement;
    }
  }
}

TEST(Parameters, AColumnWithoutRowsIsNullOfNoType) {
  Table values;
  values.row_count = 1;
  values.names = {"", ""};
  values.columns = {Column(), Column::from(std::vector<std::int32_t>{7})};
  const auto text = sql::with_parameters("SELECT ? = ?", values);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "SELECT NULL = CAST(7 AS INTEGER)");
}

TEST(Parameters, EachParameterHasAValueAndEachValueAParameter) {
  EXPECT_EQ(with_values("SELECT ?, ?", {{"", given_seven}}),
            "invalid: the parameter 2 has no value; values given: 1");
  EXPECT_EQ(with_values("SELECT $b", {{"B", given_seven}}),
            "invalid: the parameter b has no value; values given: 1");
  EXPECT_EQ(with_values("SELECT ?", {{"", given_seven}, {"", given_seven}}),
            "invalid: the statement has no parameter 2, for which a value is given");
  EXPECT_EQ(with_values("SELECT $a", {{"a", given_seven}, {"c", given_seven}}),
            "invalid: the statement has no parameter $c, for which a value is given");
  EXPECT_EQ(with_values("SELECT 1", {{"a", given_seven}}),
            "invalid: the statement has no parameter 1, for which a value is given");
}

TEST(Parameters, KindsDoNotMix) {
  for (const char* statement : {"SELECT ?, $1", "SELECT $1, $a", "SELECT $a, ?"})
    EXPECT_EQ(with_values(statement, {{"a", given_seven}, {"b", given_seven}}),
              "invalid: a statement has one kind of parameters: ?, $1 or $name");
}

TEST(Parameters, NumbersBeginAtOneAndEnd) {
  for (const char* statement :
       {"SELECT $0", "SELECT $65536", "SELECT $99999999999999999999", "SELECT $1.5", "SELECT $1a"})
    EXPECT_EQ(with_values(statement, {{"", given_seven}}),
              "invalid: a parameter's number is 1 to 65535")
        << statement;
}

column::NestedColumn leaf_of(Column column) {
  return {column.type, column.row_count, column.validity, {}, {}, column};
}

TEST(Parameters, ListsAndMapsBecomeCalls) {
  const auto text_of_nested = [](const column::NestedColumn& rows) {
    Table values;
    values.row_count = 1;
    values.names = {"l"};
    values.columns = {column::pack(rows)};
    return *sql::with_parameters("SELECT ?", values);
  };
  const auto keys = leaf_of(Column::from_strings(std::vector<std::string>{"a'", "b"}));
  const auto numbers =
      leaf_of(Column::from(std::vector<std::optional<std::int32_t>>{1, std::nullopt}));
  const Type texts = list_of({Kind::string}), map = map_of({Kind::string}, {Kind::int32});
  EXPECT_EQ(text_of_nested({texts, 1, {}, {0, 2}, {keys}, {}}), "SELECT list_value('a''', 'b')");
  EXPECT_EQ(text_of_nested({texts, 1, {}, {0, 0}, {keys}, {}}),
            "SELECT CAST(list_value() AS VARCHAR[])");
  const column::NestedColumn pairs{
      struct_of({"key", "value"}, {{Kind::string}, {Kind::int32}}), 2, {}, {}, {keys, numbers}, {}};
  EXPECT_EQ(text_of_nested({map, 1, {}, {0, 2}, {pairs}, {}}),
            "SELECT map(list_value('a''', 'b'), list_value(CAST(1 AS INTEGER), CAST(NULL AS "
            "INTEGER)))");
  EXPECT_EQ(text_of_nested(pairs),
            "SELECT struct_pack(\"key\" := 'a''', \"value\" := CAST(1 AS INTEGER))");
}

TEST(Parameters, AListThatIsNullHasItsType) {
  Table values;
  values.row_count = 1;
  values.names = {"l"};
  const Scalar null = Scalar::null_of(list_of({Kind::int32}));
  values.columns = {column_of(null.type, {&null, 1})};
  EXPECT_EQ(*sql::with_parameters("SELECT ?", values), "SELECT CAST(NULL AS INTEGER[])");
}

TEST(Parameters, SeveralRowsAreRefused) {
  Table values = Table::of({{"a", Column::from(std::vector<std::int32_t>{1, 2})}});
  EXPECT_EQ(sql::with_parameters("SELECT ?", values).status().text(),
            "invalid: values of parameters are one row, not 2");
}

TEST(Parameters, NamesAreListedInTheOrderOfTheText) {
  const auto parameters = sql::parameters_of("SELECT $b, '$c', $a + $b");
  ASSERT_TRUE(parameters.ok());
  std::string names;
  for (const sql::Parameter& parameter : *parameters) names += parameter.name;
  EXPECT_EQ(names, "bab");
}

TEST(Parameters, AStatementThatIsNotClosedIsLeftToTheBinder) {
  EXPECT_EQ(with_values("SELECT 'a ?", {}), "SELECT 'a ?");
}

}  // namespace
}  // namespace penstock::sql_test
