// Names that statements of a session define: views, tables and macros.
#include <filesystem>

#include "on_device/plan/plan_fixture.hpp"
#include "penstock/session.hpp"
#include "sql/duckdb/plan_statement.hpp"

namespace penstock::test {
namespace {

class SessionNamesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-names-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    write("a", {1, 2, 3});
    write("b", {10, 20, 30});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // In quotes, for a FROM clause.
  std::string file(const std::string& name) const {
    return "'" + (folder_ / (name + ".parquet")).string() + "'";
  }
  void write(const std::string& name, const std::vector<std::int64_t>& n) const {
    std::vector<std::optional<std::string>> s;
    for (const std::int64_t value : n)
      s.push_back(value % 2 == 0 ? std::nullopt : std::optional("text " + std::to_string(value)));
    const Table table = Table::of({{"n", Column::from(n)}, {"s", Column::from_strings(s)}});
    ASSERT_OK(write_table(table, (folder_ / (name + ".parquet")).string(), FileFormat::parquet));
  }

  // Runs a test's statements in a session of each device.
  template <class Body> void in_each_session(Body body, Planner planner = Planner::automatic) {
    on_each_device([&](Device& device) {
      SessionOptions options;
      options.device = device.traits().id;
      options.planner = planner;
      const auto session = Session::create(options);
      body([&](const std::string& statement) { return answer(*session, statement); });
    });
  }
  // The rows as text, or the first line of the error.
  static std::string answer(Session& session, const std::string& statement) {
    const auto outcome = session.sql(statement);
    if (!outcome.ok()) {
      const std::string text = outcome.status().text();
      return text.substr(0, text.find('\n'));
    }
    std::string rows;
    for (std::uint64_t row = 0; row < outcome->table.row_count; row++)
      rows += (rows.empty() ? "" : " ") + text_of_row(outcome->table, row);
    return rows;
  }

  std::filesystem::path folder_;
};

TEST_F(SessionNamesTest, AViewOfAWholeFileIsReadByTheOwnPlanner) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("a")), "");
        EXPECT_EQ(ask("SELECT sum(n) FROM v"), "6|");
        EXPECT_EQ(ask("CREATE TEMP VIEW w AS FROM " + file("b") + ";"), "");
        EXPECT_EQ(ask("SELECT max(n), count(s) FROM w WHERE n > 15"), "30|0|");
        EXPECT_EQ(ask("SELECT count(*) FROM v JOIN w ON v.n * 10 = w.n"), "3|");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, AViewOfAViewIsItsFile) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("a")), "");
        EXPECT_EQ(ask("CREATE VIEW w AS SELECT * FROM v"), "");
        EXPECT_EQ(ask("SELECT sum(n) FROM w"), "6|");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, NamesAreFoundInAnyCaseAndInQuotes) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("create view \"My View\" as select * from " + file("a")), "");
        EXPECT_EQ(ask("SELECT count(*) FROM \"my view\""), "3|");
        EXPECT_EQ(ask("CREATE VIEW Plain AS SELECT * FROM " + file("a")), "");
        EXPECT_EQ(ask("SELECT count(*) FROM PLAIN"), "3|");
        EXPECT_EQ(ask("DROP VIEW pLAIN"), "");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, AViewOfItselfIsRefused) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM v"), "");
        EXPECT_TRUE(ask("SELECT * FROM v").starts_with("unsupported: "));
      },
      Planner::own);
}
// Ends the process by a stack without end, until the session follows names no further.
TEST_F(SessionNamesTest, ViewsOfEachOtherAreRefused) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM w"), "");
        EXPECT_EQ(ask("CREATE VIEW w AS SELECT * FROM v"), "");
        EXPECT_TRUE(ask("SELECT * FROM v").starts_with("invalid: "));
      },
      Planner::own);
}
TEST_F(SessionNamesTest, AViewIsDescribedAndSummarizedAsItsFile) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("a")), "");
        EXPECT_EQ(ask("DESCRIBE v"), ask("DESCRIBE " + file("a")));
        EXPECT_EQ(ask("SUMMARIZE v"), ask("SUMMARIZE " + file("a")));
      },
      Planner::own);
}
TEST_F(SessionNamesTest, SessionsDoNotShareNames) {
  in_each_session([&](auto ask) {
    EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("a")), "");
    in_each_session([&](auto other) { EXPECT_NE(other("SELECT count(*) FROM v"), "3|"); },
                    Planner::own);
  });
}

TEST_F(SessionNamesTest, ANameThatExistsIsReplacedByOrReplaceAlone) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("a")), "");
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("b")),
                  "invalid: \"v\" exists already; CREATE OR REPLACE replaces it");
        EXPECT_EQ(ask("CREATE TABLE v AS SELECT n FROM " + file("b")),
                  "invalid: \"v\" exists already; CREATE OR REPLACE replaces it");
        EXPECT_EQ(ask("SELECT sum(n) FROM v"), "6|");
        EXPECT_EQ(ask("CREATE OR REPLACE VIEW v AS SELECT * FROM " + file("b")), "");
        EXPECT_EQ(ask("SELECT sum(n) FROM v"), "60|") << "the same text, bound before";
      },
      Planner::own);
}
TEST_F(SessionNamesTest, IfNotExistsLeavesWhatIsThere) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW IF NOT EXISTS v AS SELECT * FROM " + file("a")), "");
        EXPECT_EQ(ask("CREATE VIEW IF NOT EXISTS v AS SELECT * FROM " + file("b")), "");
        EXPECT_EQ(ask("CREATE TABLE IF NOT EXISTS v AS SELECT no_column FROM " + file("b")), "")
            << "its SELECT is not run";
        EXPECT_EQ(ask("SELECT sum(n) FROM v"), "6|");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, ADroppedNameIsGoneFromStatementsThatWereBound) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("a")), "");
        EXPECT_EQ(ask("SELECT sum(n) FROM v"), "6|");
        EXPECT_EQ(ask("DROP VIEW v"), "");
        EXPECT_NE(ask("SELECT sum(n) FROM v"), "6|");
        EXPECT_EQ(ask("DROP VIEW v"), "invalid: there is no view, table or macro \"v\"");
        EXPECT_EQ(ask("DROP VIEW IF EXISTS v"), "");
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("b")), "");
        EXPECT_EQ(ask("SELECT sum(n) FROM v"), "60|");
      },
      Planner::own);
}

TEST_F(SessionNamesTest, ATableKeepsTheRowsThatItsSelectHad) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE TABLE t AS SELECT n, s FROM " + file("a") + " WHERE n > 1"), "2|");
        write("a", {100, 200});
        EXPECT_EQ(ask("SELECT * FROM t ORDER BY n"), "2|NULL| 3|text 3|");
        EXPECT_EQ(ask("SELECT count(*), max(s) FROM t WHERE n < 3"), "1|NULL|");
        write("a", {1, 2, 3});
      },
      Planner::own);
}
TEST_F(SessionNamesTest, ATableIsReplacedByASelectOfItself) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE TABLE t AS SELECT n FROM " + file("a")), "3|");
        EXPECT_EQ(ask("CREATE OR REPLACE TABLE t AS SELECT n + 1 AS n FROM t WHERE n > 1"), "2|");
        EXPECT_EQ(ask("SELECT * FROM t ORDER BY n"), "3| 4|");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, ATableOfSumsOf128BitsIsReadAgain) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(
            ask("CREATE TABLE t AS SELECT s, sum(n) AS total FROM " + file("a") + " GROUP BY s"),
            "3|");
        EXPECT_EQ(ask("SELECT total FROM t ORDER BY total DESC LIMIT 1"), "3|");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, ATableWithoutRowsHasItsColumns) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE TABLE t AS SELECT n, s FROM " + file("a") + " WHERE n > 99"), "0|");
        EXPECT_EQ(ask("SELECT count(*), sum(n), min(s) FROM t"), "0|NULL|NULL|");
        EXPECT_EQ(ask("SELECT n FROM t"), "");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, ATableWhoseSelectFailsIsNotThere) {
  in_each_session(
      [&](auto ask) {
        EXPECT_NE(ask("CREATE TABLE t AS SELECT no_column FROM " + file("a")), "3|");
        EXPECT_EQ(ask("DROP TABLE t"), "invalid: there is no view, table or macro \"t\"");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, AViewOfATableGoesOnWithTheTable) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE TABLE t AS SELECT n FROM " + file("a")), "3|");
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM t"), "");
        EXPECT_EQ(ask("SELECT sum(n) FROM v"), "6|");
        EXPECT_EQ(ask("CREATE OR REPLACE TABLE t AS SELECT n FROM " + file("b")), "3|");
        EXPECT_EQ(ask("SELECT sum(n) FROM v"), "60|");
      },
      Planner::own);
}

TEST_F(SessionNamesTest, WhatNoSessionHasIsRefusedByName) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW other.v AS SELECT * FROM " + file("a")),
                  "unsupported: a name with a schema other than main is not supported; write the "
                  "name alone");
        EXPECT_EQ(ask("CREATE TABLE t (n INTEGER PRIMARY KEY)"),
                  "unsupported: PRIMARY KEY in CREATE TABLE is not supported; a column has a name "
                  "and a type");
        EXPECT_EQ(ask("CREATE INDEX i ON t (n)"),
                  "unsupported: CREATE INDEX is not supported; a session has views, tables and "
                  "macros: VIEW, TABLE or MACRO is "
                  "expected");
        EXPECT_EQ(ask("DROP SCHEMA s"),
                  "unsupported: DROP SCHEMA is not supported; a session has views, tables and "
                  "macros: VIEW, TABLE or MACRO is "
                  "expected");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, DefinitionsThatLackAPartSayWhich) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW"), "invalid: a name is expected");
        EXPECT_EQ(ask("CREATE VIEW v"), "invalid: AS SELECT ... is expected");
        EXPECT_EQ(ask("CREATE VIEW v AS"), "invalid: a SELECT is expected behind AS");
        EXPECT_EQ(ask("CREATE OR VIEW v AS FROM x"), "invalid: REPLACE is expected behind OR");
        EXPECT_EQ(ask("CREATE VIEW IF EXISTS v AS FROM x"),
                  "invalid: NOT EXISTS is expected behind IF");
        EXPECT_EQ(ask("DROP VIEW IF v"), "invalid: EXISTS is expected behind IF");
        EXPECT_EQ(ask("DROP"),
                  "unsupported: a session has views, tables and macros: VIEW, TABLE or MACRO is "
                  "expected");
      },
      Planner::own);
}
TEST_F(SessionNamesTest, TheOwnPlannerRefusesAViewThatIsMoreThanAFile) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT n FROM " + file("a")), "");
        EXPECT_TRUE(ask("SELECT * FROM v")
                        .starts_with("unsupported: the view \"v\" needs DuckDB's planner"));
      },
      Planner::own);
}

// By DuckDB's planner.
class PlannedNamesTest : public SessionNamesTest {
 protected:
  void SetUp() override {
    if (!sql::has_duckdb()) GTEST_SKIP() << sql::how_to_install_duckdb();
    SessionNamesTest::SetUp();
  }
  void TearDown() override {
    if (!folder_.empty()) SessionNamesTest::TearDown();
  }
};

TEST_F(PlannedNamesTest, AViewOfAQueryIsReadWithTheStatement) {
  in_each_session([&](auto ask) {
    EXPECT_EQ(ask("CREATE VIEW v AS SELECT n * 2 AS m, s FROM " + file("a") + " WHERE n > 1"), "");
    EXPECT_EQ(ask("SELECT sum(m), count(s) FROM v"), "10|1|");
    EXPECT_EQ(ask("CREATE VIEW w(p) AS SELECT m + 1 FROM v"), "");
    EXPECT_EQ(ask("SELECT p FROM w ORDER BY p"), "5| 7|");
    EXPECT_EQ(ask("CREATE OR REPLACE VIEW v AS SELECT n AS m, s FROM " + file("b")), "");
    EXPECT_EQ(ask("SELECT sum(m), count(s) FROM v"), "60|0|") << "the same text, bound before";
  });
}
TEST_F(PlannedNamesTest, AViewOfAWholeFileStandsInNestedStatements) {
  in_each_session([&](auto ask) {
    EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("a")), "");
    EXPECT_EQ(ask("SELECT n FROM v WHERE n = (SELECT max(n) FROM v) UNION ALL SELECT 7 FROM v "
                  "WHERE n = 1 ORDER BY n"),
              "3| 7|");
  });
}
TEST_F(PlannedNamesTest, AViewOfATableIsReadWithTheStatement) {
  in_each_session([&](auto ask) {
    EXPECT_EQ(ask("CREATE TABLE t AS SELECT n, n % 2 AS odd FROM " + file("a")), "3|");
    EXPECT_EQ(ask("CREATE VIEW v AS SELECT odd, sum(n) AS total FROM t GROUP BY odd"), "");
    EXPECT_EQ(ask("SELECT total FROM v WHERE total > 1 ORDER BY total"), "2| 4|");
  });
}
TEST_F(PlannedNamesTest, ATableOfANestedSelectKeepsItsRows) {
  in_each_session([&](auto ask) {
    EXPECT_EQ(ask("CREATE TABLE t AS SELECT n FROM " + file("a") + " UNION ALL SELECT n FROM " +
                  file("b")),
              "6|");
    EXPECT_EQ(ask("SELECT sum(n) FROM t"), "66|");
  });
}
TEST_F(PlannedNamesTest, AMacroIsExpandedByThePlanner) {
  in_each_session([&](auto ask) {
    EXPECT_EQ(ask("CREATE MACRO twice(x) AS x * 2"), "");
    EXPECT_EQ(ask("SELECT sum(twice(n)) FROM " + file("a")), "12|");
    EXPECT_EQ(ask("CREATE OR REPLACE MACRO twice(x) AS x + x + 1"), "");
    EXPECT_EQ(ask("SELECT sum(twice(n)) FROM " + file("a")), "15|");
    EXPECT_EQ(ask("DROP MACRO twice"), "");
    EXPECT_NE(ask("SELECT sum(twice(n)) FROM " + file("a")), "15|");
  });
}
TEST_F(PlannedNamesTest, AMacroOfATableReadsItsFile) {
  in_each_session([&](auto ask) {
    EXPECT_EQ(ask("CREATE MACRO above(low) AS TABLE SELECT n FROM " + file("a") + " WHERE n > low"),
              "");
    EXPECT_EQ(ask("SELECT sum(n) FROM above(1)"), "5|");
  });
}
// The two that are left out are right as soon as the planner gets a replaced view before its
// readers, and stand-ins leave names of WITH alone.
TEST_F(PlannedNamesTest, AReplacedViewIsStillThereForItsReaders) {
  in_each_session([&](auto ask) {
    EXPECT_EQ(ask("CREATE VIEW v AS SELECT n + 1 AS n FROM " + file("a")), "");
    EXPECT_EQ(ask("CREATE VIEW w AS SELECT n * 2 AS n FROM v"), "");
    EXPECT_EQ(ask("CREATE OR REPLACE VIEW v AS SELECT n + 2 AS n FROM " + file("a")), "");
    EXPECT_EQ(ask("SELECT sum(n) FROM w"), "24|");
  });
}
TEST_F(PlannedNamesTest, ANameOfWithHidesATable) {
  in_each_session([&](auto ask) {
    EXPECT_EQ(ask("CREATE TABLE t AS SELECT n FROM " + file("a")), "3|");
    EXPECT_EQ(ask("WITH t AS (SELECT 7 AS n) SELECT n FROM t UNION ALL SELECT 8 ORDER BY n"),
              "7| 8|");
  });
}
TEST_F(PlannedNamesTest, AViewIsReadByEveryPlannerThatIsChosen) {
  in_each_session(
      [&](auto ask) {
        EXPECT_EQ(ask("CREATE VIEW v AS SELECT * FROM " + file("a")), "");
        EXPECT_EQ(ask("SELECT sum(n) FROM v"), "6|");
      },
      Planner::duckdb);
}

}  // namespace
}  // namespace penstock::test
