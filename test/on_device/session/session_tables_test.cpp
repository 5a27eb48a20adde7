// Tables that a program gives to a session under names.
#include "on_device/plan/plan_fixture.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

std::shared_ptr<TableSource> table_of_numbers(std::vector<std::int64_t> n) {
  return table_source(Table::of({{"n", Column::from(std::move(n))}}));
}

std::string sum_of(Session& session, const std::string& name) {
  const auto answer = session.sql("SELECT sum(n) FROM " + name);
  return answer.ok() ? text_of_row(answer->table, 0) : answer.status().text();
}

std::shared_ptr<Session> session_on(Device& device) {
  SessionOptions options;
  options.device = device.traits().id;
  options.planner = Planner::own;
  return Session::create(options);
}

TEST(SessionTables, AGivenTableIsReadLikeOneThatAStatementMade) {
  on_each_device([&](Device& device) {
    const auto session = session_on(device);
    ASSERT_OK(session->define_table("Given", table_of_numbers({1, 2})));
    EXPECT_EQ(sum_of(*session, "given"), "3|");
    ASSERT_OK(session->sql("CREATE TABLE copy AS SELECT n FROM given"));
    ASSERT_OK(session->sql("CREATE VIEW seen AS SELECT * FROM given"));
    EXPECT_EQ(sum_of(*session, "copy"), "3|");
    EXPECT_EQ(sum_of(*session, "seen"), "3|");
    ASSERT_OK(session->sql("DROP TABLE given"));
    EXPECT_FALSE(session->sql("SELECT n FROM given").ok());
  });
}

TEST(SessionTables, AStatementThatWasBoundBeforeReadsTheNewRows) {
  on_each_device([&](Device& device) {
    const auto session = session_on(device);
    ASSERT_OK(session->define_table("t", table_of_numbers({1, 2})));
    EXPECT_EQ(sum_of(*session, "t"), "3|");
    ASSERT_OK(session->define_table("t", table_of_numbers({5}), true));
    EXPECT_EQ(sum_of(*session, "t"), "5|");
  });
}

TEST(SessionTables, ANameThatExistsIsKept) {
  const auto session = Session::create();
  ASSERT_OK(session->define_table("t", table_of_numbers({1})));
  EXPECT_EQ(session->define_table("T", table_of_numbers({2})).code(), Code::invalid);
  EXPECT_EQ(session->find_table("t")->row_count(), 1u);
}

TEST(SessionTables, ATableHasANameAndRows) {
  const auto session = Session::create();
  EXPECT_EQ(session->define_table("", table_of_numbers({1})).code(), Code::invalid);
  EXPECT_EQ(session->define_table("t", nullptr).code(), Code::invalid);
  EXPECT_EQ(session->find_table("t"), nullptr);
}

TEST(SessionTables, ViewsAndTablesAreListedAndMacrosAreNot) {
  const auto session = Session::create();
  ASSERT_OK(session->define_table("Z", table_of_numbers({1})));
  ASSERT_OK(session->sql("CREATE VIEW a AS SELECT * FROM z"));
  ASSERT_OK(session->sql("CREATE MACRO m(x) AS x + 1"));
  const auto tables = session->tables();
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].name, "a");
  EXPECT_TRUE(tables[0].is_view);
  EXPECT_EQ(tables[1].name, "Z");
  EXPECT_FALSE(tables[1].is_view);
}

TEST(SessionTables, TheColumnsOfASelectAreKnownBeforeItRuns) {
  const auto session = Session::create();
  ASSERT_OK(session->define_table("t", table_of_numbers({1})));
  const auto schema = session->schema_of("SELECT n, n > 1 AS large FROM t");
  ASSERT_OK(schema.status());
  ASSERT_EQ(schema->size(), 2u);
  EXPECT_EQ((*schema)[0].type, Type{Kind::int64});
  EXPECT_EQ((*schema)[1].name, "large");
  EXPECT_EQ(session->schema_of("CREATE TABLE u AS SELECT 1").status().code(), Code::unsupported);
  EXPECT_EQ(session->schema_of("DESCRIBE t").status().code(), Code::unsupported);
  EXPECT_EQ(session->tables().size(), 1u) << "asking defines nothing";
}

}  // namespace
}  // namespace penstock::test
