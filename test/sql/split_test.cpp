// Splits a text into statements: the end of one, and the begin of the next.
#include <gtest/gtest.h>

#include "penstock/sql.hpp"

namespace penstock::test {
namespace {

std::vector<std::string> texts_of(std::string_view text) {
  std::vector<std::string> texts;
  for (const StatementText& statement : split_statements(text)) texts.push_back(statement.text);
  return texts;
}

TEST(SplitStatements, SemicolonsWithinAStatementDoNotEndIt) {
  for (const char* statement : {"SELECT ';'", "SELECT 'it''s;'", "SELECT E'a\\';b'",
                                "SELECT \"a;\"\";b\"", "SELECT $$a;b$$", "SELECT $tag$a;$$;b$tag$",
                                "SELECT 1 /* a; /* b; */ c; */ + 2", "SELECT 1 -- a;\n + 2"}) {
    EXPECT_EQ(texts_of(std::string(statement) + ";SELECT 2"),
              (std::vector<std::string>{statement, "SELECT 2"}));
  }
}

TEST(SplitStatements, EmptyStatementsAndCommentsAloneAreLeftOut) {
  EXPECT_EQ(texts_of(""), std::vector<std::string>());
  EXPECT_EQ(texts_of(" ;; -- nothing; \n /* ; */ ;\n"), std::vector<std::string>());
  EXPECT_EQ(texts_of(";SELECT 1;;"), std::vector<std::string>{"SELECT 1"});
}

TEST(SplitStatements, AStatementKnowsItsLine) {
  const auto statements = split_statements("-- two lines\n\nSELECT\n1;\n\n  SELECT 2; SELECT 3");
  ASSERT_EQ(statements.size(), 3u);
  EXPECT_EQ(statements[0].line, 3u);
  EXPECT_EQ(statements[1].line, 6u);
  EXPECT_EQ(statements[2].line, 6u);
}

TEST(SplitStatements, OnlyTheLastMayLackItsSemicolon) {
  const auto statements = split_statements("SELECT 1; SELECT 2");
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_TRUE(statements[0].has_semicolon);
  EXPECT_FALSE(statements[1].has_semicolon);
}

TEST(SplitStatements, WhatIsNotClosedReachesToTheEnd) {
  for (const char* open : {"SELECT 'a; b;", "SELECT \"a;", "SELECT $$ a;", "SELECT 1 /* a;",
                           "/* a; /* b; */ c;", "'a;"}) {
    const auto statements = split_statements(std::string("SELECT 1;\n") + open);
    ASSERT_EQ(statements.size(), 2u) << open;
    EXPECT_EQ(statements[1].text, open);
    EXPECT_EQ(statements[1].line, 2u);
    EXPECT_FALSE(statements[1].has_semicolon);
  }
}

}  // namespace
}  // namespace penstock::test
