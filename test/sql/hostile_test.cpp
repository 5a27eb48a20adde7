// Statements that mean harm: each must end in a Status, never in a crash, a hang or an endless
// message.
#include <gtest/gtest.h>

#include <random>

#include "sql/fixture.hpp"
#include "sql/recorded.hpp"

namespace penstock::sql_test {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; i++) result += text;
  return result;
}

void expect_refused(const std::string& statement, const char* what) {
  const Bound bound = bind_statement(statement);
  ASSERT_FALSE(bound.result.ok()) << what;
  EXPECT_FALSE(bound.result.status().message().empty()) << what;
  EXPECT_LT(bound.result.status().message().size(), 2000u) << what;
}

TEST(SqlHostile, DeepNestingIsRefused) {
  constexpr std::size_t megabyte = 1 << 20;
  const std::string from = " FROM t";
  expect_refused(repeated("(", megabyte), "1 MB of open parentheses");
  expect_refused("SELECT " + repeated("(", megabyte / 2) + "1" + repeated(")", megabyte / 2) + from,
                 "balanced parentheses");
  expect_refused(
      "SELECT " + repeated("(", 990) + "1+" + repeated("(", 990) + "1" + repeated("))", 990) + from,
      "two deep parts");
  expect_refused("SELECT 1" + repeated("+1", megabyte / 2) + from, "a long sum");
  expect_refused("SELECT " + repeated("- ", megabyte / 2) + "1" + from, "signs");
  expect_refused("SELECT " + repeated("NOT ", megabyte / 4) + "b" + from, "NOT");
  expect_refused("SELECT " + repeated("CASE WHEN b AND ", 50'000) + "b" +
                     repeated(" THEN 1 END", 50'000) + from,
                 "CASE");
  expect_refused("SELECT i8" + repeated("::int", megabyte / 5) + from, "casts");
  expect_refused("SELECT i8" + repeated("[1]", megabyte / 3) + from, "subscripts");
  expect_refused("SELECT i8" + repeated(" IS NULL", 100'000) + from, "IS NULL");
  expect_refused("SELECT i8 FROM t" + repeated(" UNION SELECT i8, i8 FROM t", 30'000), "UNION");
  expect_refused("SELECT i8 FROM t" + repeated(" JOIN t ON a AND b", 30'000), "JOIN");
  expect_refused("SELECT " + repeated("(SELECT a, ", 100'000), "subqueries");
  expect_refused("SELECT " + repeated("abs(", 100'000) + "1" + repeated(")", 100'000) + from,
                 "calls");
  expect_refused("SELECT 1 FROM " + repeated("(", 100'000) + "t", "parentheses of FROM");
  expect_refused("SELECT 1 IN " + repeated("(1, 2 IN ", 100'000), "IN");
}

// An operand is no deeper than its operator.
TEST(SqlHostile, ASumOfAThousandTermsIsAnswered) {
  for (const std::string term : {"+i8", "+1", "||'a'", " - 1.5"}) {
    const std::string first = term.front() == '|' ? "s" : "i8";
    const Bound bound = bind_statement("SELECT " + first + repeated(term, 999) + " FROM t");
    EXPECT_TRUE(bound.result.ok()) << term << ": " << bound.result.status().text();
  }
}

TEST(SqlHostile, NestedSelectsAreBounded) {
  expect_refused("SELECT 1 FROM " + repeated("(SELECT i8 FROM ", 100) + "t" + repeated(") x", 100),
                 "derived tables within each other");
  expect_refused("SELECT i8 FROM t WHERE i8 > " + repeated("(SELECT i8 FROM t WHERE i8 > ", 100) +
                     "1" + repeated(")", 100),
                 "values within each other");
  expect_refused("SELECT " + repeated("(SELECT 1) + ", 100) + "1", "many values");
  expect_refused("SELECT 1 FROM " + repeated("(SELECT 1), ", 10'000) + "t", "derived tables");
  std::string names = "WITH w0 AS (SELECT i8 FROM t)";
  for (int i = 1; i < 100; i++)
    names += ", w" + std::to_string(i) + " AS (SELECT a.i8 FROM w" + std::to_string(i - 1) +
             " a JOIN w" + std::to_string(i - 1) + " b USING (i8))";
  expect_refused(names + " SELECT * FROM w99", "names of WITH");
}

TEST(SqlHostile, SharedNamesAreBoundOnce) {
  std::string names = "WITH w0 AS (SELECT i8 FROM t)";
  for (int i = 1; i < 60; i++)
    names += ", w" + std::to_string(i) + " AS (SELECT a.i8 + b.i8 AS i8 FROM w" +
             std::to_string(i - 1) + " a JOIN w" + std::to_string(i - 1) + " b USING (i8))";
  const Bound bound = bind_statement(names + " SELECT max(i8) FROM w59");
  ASSERT_TRUE(bound.result.ok()) << bound.result.status().text();
  EXPECT_LT(bound.plan.size(), 600u) << "each name is read twice";
}

TEST(SqlHostile, SetsOfGroupsAreBounded) {
  expect_refused("SELECT 1 FROM t GROUP BY CUBE (" + repeated("i8, ", 40) + "i8)", "2^41 sets");
  expect_refused("SELECT 1 FROM t GROUP BY ROLLUP (" + repeated("i8, ", 5000) + "i8)", "ROLLUP");
  expect_refused("SELECT 1 FROM t GROUP BY GROUPING SETS (" + repeated("(), ", 5000) + "())",
                 "sets of nothing");
  expect_refused("SELECT 1 FROM t GROUP BY " + repeated("CUBE (i8, i16), ", 10) + "i8", "products");
  expect_refused(
      "SELECT 1 FROM t GROUP BY " + repeated("GROUPING SETS (", 200) + "i8" + repeated(")", 200),
      "sets within each other");
}

TEST(SqlHostile, DeepButAllowedNestingBindsOrIsRefused) {
  for (const char* part : {"+1", "+(1", "::int", " IS NULL", "*i8"}) {
    const std::size_t opened = std::string_view(part).find('(') != std::string_view::npos;
    for (std::size_t depth : {100u, 240u, 300u, 480u, 600u, 2000u}) {
      const Bound bound =
          bind_statement("SELECT i8" + repeated(part, depth) + repeated(")", depth * opened) +
                         " AS x, x = x AS y FROM t GROUP BY 1, 2");
      if (depth == 100) { EXPECT_TRUE(bound.result.ok()) << bound.result.status().text(); }
      if (depth == 2000) { EXPECT_FALSE(bound.result.ok()); }
    }
  }
}

TEST(SqlHostile, DoublingAliasesAreBounded) {
  std::string statement = "SELECT i8 AS a0";
  for (int i = 1; i < 60; i++)
    statement += ", a" + std::to_string(i - 1) + " + a" + std::to_string(i - 1) + " AS a" +
                 std::to_string(i);
  expect_refused(statement + " FROM t", "2^60 terms");
  expect_refused(statement + ", count(*) FROM t GROUP BY i8", "2^60 terms over groups");
}

TEST(SqlHostile, WrongBytesAreRefused) {
  using namespace std::string_literals;
  for (const std::string& statement :
       {"SELECT i8\0 FROM t"s, "\0"s, "SELECT '\xFF' FROM t"s, "SELECT '\xC0\x80' FROM t"s,
        "SELECT '\xED\xA0\x80' FROM t"s, "SELECT '\xF4\x90\x80\x80' FROM t"s,
        "SELECT i8 FROM '\xE6\x97"s, "\x80"s, "SELECT \xC3"s})
    expect_refused(statement, "bytes");
}

TEST(SqlHostile, OpenTextIsRefused) {
  for (const char* text : {"'", "\"", "/*", "/* /* */", "$$", "$a$ $b$", "e'\\'", "'''", "$", "U&'",
                           "x'", "--", "(", "[", ";", "\\"})
    expect_refused(std::string("SELECT i8 FROM t WHERE ") + text, text);
}

TEST(SqlHostile, HugeStatementIsRefused) {
  expect_refused(repeated(" ", 5u << 20), "5 MB of blanks");
}

TEST(SqlHostile, LongTokensAreRefusedOrBind) {
  for (const char* part : {"9", "x", ".", "1e", "'", "\"", "e", "$", "/", "*", "=", "-", "\xC3\xBC",
                           ",", "i8,", "1,", "b AND ", "\n"}) {
    const Bound bound = bind_statement(
        "SELECT " + repeated(part, 100'000 / std::string_view(part).size()) + " FROM t");
    if (!bound.result.ok()) { EXPECT_LT(bound.result.status().message().size(), 2000u) << part; }
  }
}

// Bytes replaced, removed, doubled and swapped for words of the language.
std::string mutated(std::string statement, std::mt19937& random) {
  static constexpr std::string_view words[] = {"(",
                                               ")",
                                               ",",
                                               "'",
                                               "\"",
                                               "--",
                                               "/*",
                                               "*/",
                                               "//",
                                               "**",
                                               "==",
                                               ";",
                                               "$$",
                                               "*",
                                               ".",
                                               "::",
                                               "-",
                                               "+",
                                               "%",
                                               "<",
                                               "<>",
                                               "||",
                                               "[",
                                               "]",
                                               "\n",
                                               "\t",
                                               " FROM ",
                                               " SELECT ",
                                               " WHERE ",
                                               " GROUP BY ",
                                               " ORDER BY ",
                                               " HAVING ",
                                               " LIMIT ",
                                               " OFFSET ",
                                               " AND ",
                                               " OR ",
                                               " NOT ",
                                               " IN (",
                                               " IS NULL",
                                               " BETWEEN ",
                                               " CASE WHEN ",
                                               " THEN ",
                                               " ELSE ",
                                               " END ",
                                               " DISTINCT ",
                                               " INTERVAL ",
                                               " INTERVAL 1 DAYS ",
                                               " DATE ",
                                               "NULL",
                                               "true",
                                               " AS ",
                                               "1",
                                               "-1",
                                               "1.5",
                                               "1e9",
                                               "9223372036854775808",
                                               "i8",
                                               "m",
                                               "s",
                                               "dt",
                                               "nope",
                                               "sum(",
                                               "count(*)",
                                               "coalesce(",
                                               "extract(year FROM ",
                                               "CAST(",
                                               " FILTER (WHERE ",
                                               " OVER ()",
                                               "\xC3\xBC",
                                               "\xF0\x9F\x98\x80",
                                               "\xFF",
                                               " UNION ",
                                               " FROM 'a', 'b' ",
                                               " LIKE ",
                                               "U&\"x\"",
                                               "e'\\'",
                                               "0x1F",
                                               "$1"};
  static constexpr std::string_view names[] = {
      "i8", "i16", "m", "dt", "ts", "b", "d", "s", "1", "0.5", "NULL", "'1998-01-02'", "a", "2"};
  const auto below = [&](std::size_t bound) { return random() % bound; };
  const auto in_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (std::size_t edits = 1 + below(3), words_only = below(2); edits > 0 && !statement.empty();
       edits--) {
    const std::size_t at = below(statement.size()),
                      length = std::min(1 + below(8), statement.size() - at);
    switch (words_only ? 9 : below(6)) {
      case 0: statement.erase(at, length); break;
      case 1: statement.insert(at, words[below(std::size(words))]); break;
      case 2: statement.replace(at, length, words[below(std::size(words))]); break;
      case 3: statement.insert(at, statement.substr(below(statement.size()), 20)); break;
      case 4: statement[at] = static_cast<char>(below(256)); break;
      case 5: statement[at] = "+-*/%=<>(),. '1"[below(15)]; break;
      default: {  // a whole word for another one: most of these reach the binder
        std::size_t first = at, last = at;
        while (first > 0 && in_word(statement[first - 1])) first--;
        while (last < statement.size() && in_word(statement[last])) last++;
        const char start = statement[first];
        const bool keyword = (start >= 'A' && start <= 'Z') || !in_word(start);
        if (!keyword) statement.replace(first, last - first, names[below(std::size(names))]);
      }
    }
  }
  return statement;
}

TEST(SqlHostile, MutatedStatementsNeverCrash) {
  std::mt19937 random(20240607);  // seeded: a failure repeats
  std::size_t bound_count = 0, refused_count = 0;
  for (int i = 0; i < 5'000; i++) {
    // Half of them near the end of the list, where the long statements stand.
    const std::size_t near_end = std::size(recorded) - 1 - random() % 60,
                      anywhere = random() % std::size(recorded);
    const std::string statement =
        mutated(recorded[i % 2 == 0 ? near_end : anywhere].statement, random);
    const Bound bound = bind_statement(statement);
    bound.result.ok() ? bound_count++ : refused_count++;
    if (bound.result.ok()) {
      EXPECT_FALSE(columns_of(bound).empty()) << statement;
      continue;
    }
    const std::string message = bound.result.status().message();
    EXPECT_NE(bound.result.status().code(), Code::internal) << message;
    EXPECT_NE(message.find("\nLINE "), std::string::npos) << statement << "\n" << message;
  }
  EXPECT_GT(bound_count, 500u);  // the mutations must reach the binder, and must break something
  EXPECT_GT(refused_count, 500u);
}

}  // namespace
}  // namespace penstock::sql_test
