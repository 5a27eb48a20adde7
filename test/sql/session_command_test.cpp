// Statements to a session, taken apart by their tokens.
#include "sql/parse/session_command.hpp"

#include <gtest/gtest.h>

#include "sql/parse/definition.hpp"
#include "sql/parse/statement_reader.hpp"

namespace penstock::sql {
namespace {

Command command_of(std::string_view statement) {
  const auto read = read_command(statement);
  EXPECT_TRUE(read.ok()) << statement << ": " << read.status().text();
  EXPECT_TRUE(read.ok() && *read) << statement;
  return read.ok() && *read ? **read : Command();
}
std::string error_of(std::string_view statement) {
  const std::string text = read_command(statement).status().text();
  return text.substr(0, text.find('\n'));
}

TEST(SessionCommands, TheFirstWordStandsBehindBlanksAndComments) {
  EXPECT_EQ(first_word_of(" \n\tInsert INTO t"), "insert");
  EXPECT_EQ(first_word_of("-- a; comment\n /* b /* c */ d */SHOW tables"), "show");
  for (const char* none :
       {"", "  ", "-- only", "/* open", "/* a */", "/*/", "(SELECT 1)", "'x'", "-"})
    EXPECT_EQ(first_word_of(none), "") << none;
  EXPECT_EQ(first_word_of("set_x = 1"), "set");
}

TEST(SessionCommands, OtherStatementsAreNone) {
  for (const char* other :
       {"SELECT 1", "setx y = 1", "COPY (SELECT 1) TO 'x'", "COPY 'a' TO 'b'", "COPY t TO 'b'",
        "DESCRIBE t", "explainx", "", "/* INSERT */", "WITH insert AS (SELECT 1) FROM insert"}) {
    const auto read = read_command(other);
    ASSERT_TRUE(read.ok()) << other << read.status().text();
    EXPECT_FALSE(*read) << other;
  }
}

TEST(SessionCommands, AnInsertKeepsTheTextOfItsRows) {
  const Command plain = command_of("/* c */ INSERT INTO main.\"T x\" (b, \"A\") VALUES (1, ')') ;");
  EXPECT_EQ(plain.name, "T x");
  EXPECT_EQ(plain.columns, (std::vector<std::string>{"b", "A"}));
  EXPECT_EQ(plain.query, "VALUES (1, ')')");
  EXPECT_EQ(command_of("INSERT INTO t (SELECT 1)").query, "(SELECT 1)");
  EXPECT_TRUE(command_of("insert into t by name select 1 AS a").is_by_name);
  EXPECT_EQ(command_of("INSERT INTO t SELECT * FROM a JOIN b ON a.x = b.x WHERE a.on_sale").query,
            "SELECT * FROM a JOIN b ON a.x = b.x WHERE a.on_sale");
  EXPECT_EQ(command_of("COPY t (a) FROM 'it''s.csv' (FORMAT csv)").query,
            "SELECT * FROM read_csv('it''s.csv')");
}

TEST(SessionCommands, AnUpdateEndsItsValuesOutsideOfBrackets) {
  const Command command = command_of(
      "UPDATE t AS x SET a = f(1, (SELECT b FROM u WHERE c)), d = x.a IS DISTINCT FROM 2, "
      "e = [1, 2] WHERE a IN (1, 2)");
  EXPECT_EQ(command.alias, "x");
  EXPECT_EQ(command.columns, (std::vector<std::string>{"a", "d", "e"}));
  EXPECT_EQ(command.values, (std::vector<std::string>{"f(1, (SELECT b FROM u WHERE c))",
                                                      "x.a IS DISTINCT FROM 2", "[1, 2]"}));
  EXPECT_EQ(command.condition, "a IN (1, 2)");
}

TEST(SessionCommands, SettingsHaveNamesAndValues) {
  for (const char* spelt : {"SET threads = 4", "set threads TO 4", "SET SESSION threads='4'",
                            "PRAGMA threads = 4", "SET LOCAL threads = 4;"}) {
    EXPECT_EQ(command_of(spelt).name, "threads") << spelt;
    EXPECT_EQ(command_of(spelt).value, "4") << spelt;
  }
  EXPECT_EQ(command_of("SET x = -1.5").value, "-1.5");
  EXPECT_EQ(command_of("SET TIME ZONE 'UTC'").name, "timezone");
}

TEST(SessionCommands, WrongTextsSayWhatIsExpected) {
  EXPECT_EQ(error_of("INSERT t VALUES (1)"), "invalid: INTO is expected behind INSERT");
  EXPECT_EQ(error_of("INSERT INTO t"), "invalid: VALUES or a SELECT is expected");
  EXPECT_EQ(error_of("INSERT INTO t (a"), "invalid: \")\" is expected");
  EXPECT_EQ(error_of("UPDATE t"), "invalid: SET is expected");
  EXPECT_EQ(error_of("UPDATE t SET a = "), "invalid: a value is expected");
  EXPECT_EQ(error_of("DELETE t"), "invalid: FROM is expected behind DELETE");
  EXPECT_EQ(error_of("SET threads"), "invalid: \"=\" is expected behind a setting's name");
  EXPECT_EQ(error_of("EXPLAIN"), "invalid: a statement is expected behind EXPLAIN");
  EXPECT_EQ(error_of("BEGIN now"), "invalid: the end of the statement is expected");
  EXPECT_EQ(error_of("DELETE FROM other.t"),
            "unsupported: a name with a schema other than main is not supported; write the name "
            "alone");
}

TEST(SessionCommands, ColumnsOfATableBecomeASelectWithoutRows) {
  const auto read = read_definition("CREATE TABLE t (a INTEGER, \"b c\" DECIMAL(5, 2) NULL)");
  ASSERT_TRUE(read.ok() && *read) << read.status().text();
  EXPECT_EQ(
      (*read)->query,
      "SELECT CAST(NULL AS INTEGER) AS \"a\", CAST(NULL AS DECIMAL(5, 2)) AS \"b c\" LIMIT 0");
}

}  // namespace
}  // namespace penstock::sql
