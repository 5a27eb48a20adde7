// Joins as steps: what is read, what is asked below a join, and which side is held.
#include <gtest/gtest.h>

#include "sql/fixture.hpp"

namespace penstock::sql_test {
namespace {

class Rows : public NoRows {
 public:
  Rows(std::string name, Schema schema, std::uint64_t count)
      : NoRows(std::move(schema)), name_(std::move(name)), count_(count) {}
  std::optional<std::uint64_t> row_count() const override { return count_; }
  std::string describe() const override { return name_; }

 private:
  std::string name_;
  std::uint64_t count_;
};

// fact has the most rows; dim and other hang on it, far on dim.
Result<std::shared_ptr<TableSource>> open_star(const TableReference& reference) {
  const std::string name = reference.text();
  const Type id{Kind::int32}, text{Kind::string};
  const auto table = [&](Schema schema, std::uint64_t count) {
    return std::shared_ptr<TableSource>(std::make_shared<Rows>(name, std::move(schema), count));
  };
  if (name == "fact")
    return table({{"id", id}, {"dim", id}, {"other", id}, {"v", {Kind::float64}, true}}, 1000);
  if (name == "dim") return table({{"id", id}, {"far", id}, {"name", text, true}}, 10);
  if (name == "other") return table({{"id", {Kind::int64}}, {"label", text}}, 20);
  if (name == "far") return table({{"id", id}, {"region", text}}, 5);
  return Status(Code::io, "no table");
}

// "inner join(filter(fact), dim)"; maps left out, as they change no rows.
std::string shape(const Plan& plan, StepId id) {
  const Step& step = plan.step(id);
  if (step.kind == StepKind::source) return step.source->describe();
  if (step.kind == StepKind::map) return shape(plan, step.inputs[0]);
  if (step.kind == StepKind::join)
    return std::string(name_of(step.join_kind)) + "(" + shape(plan, step.inputs[0]) + ", " +
           shape(plan, step.inputs[1]) + ")";
  return std::string(name_of(step.kind)) + "(" + shape(plan, step.inputs[0]) + ")";
}

void expect_shape(const std::string& statement, const std::string& wanted) {
  SCOPED_TRACE(statement);
  Plan plan;
  const Result<StepId> result = bind_sql(statement, plan, open_star);
  ASSERT_TRUE(result.ok()) << result.status().text();
  EXPECT_EQ(shape(plan, *result), wanted);
}

TEST(SqlJoins, TheLargestTableStreamsWhateverTheOrder) {
  expect_shape("SELECT name FROM dim, fact WHERE fact.dim = dim.id", "inner join(fact, dim)");
  expect_shape("SELECT name FROM fact JOIN dim ON dim.id = fact.dim", "inner join(fact, dim)");
  expect_shape(
      "SELECT count(*) FROM far, other, dim, fact WHERE far.id = dim.far AND fact.other = other.id "
      "AND dim.id = fact.dim",
      "reduce(inner join(inner join(fact, inner join(dim, far)), other))");
}

TEST(SqlJoins, ConditionsOfOneTableAreAskedBelowTheJoin) {
  expect_shape("SELECT v FROM fact, dim WHERE fact.dim = dim.id AND v > 1 AND name = 'x'",
               "inner join(filter(fact), filter(dim))");
  expect_shape("SELECT v FROM fact, dim WHERE fact.dim = dim.id AND v > far",
               "filter(inner join(fact, dim))");
}

TEST(SqlJoins, TablesWithAFilterAreLookedUpFirst) {
  expect_shape(
      "SELECT v FROM fact, dim, other WHERE fact.dim = dim.id AND fact.other = other.id AND label "
      "= 'x'",
      "inner join(inner join(fact, filter(other)), dim)");
}

TEST(SqlJoins, AnEqualityInEveryBranchOfAnOrIsAKey) {
  expect_shape(
      "SELECT v FROM fact, dim WHERE (fact.dim = dim.id AND v > 1) OR (dim.id = fact.dim AND v < 0 "
      "AND fact.dim = dim.id)",
      "filter(inner join(fact, dim))");
}

TEST(SqlJoins, TheRightTableOfALeftJoinIsHeldAndItsConditionsStayWithIt) {
  expect_shape("SELECT v FROM dim LEFT JOIN fact ON fact.dim = dim.id AND v > 1",
               "left join(dim, filter(fact))");
  expect_shape("SELECT v FROM dim LEFT JOIN fact ON fact.dim = dim.id WHERE v > 1",
               "filter(left join(dim, fact))");
  expect_shape("SELECT v FROM dim LEFT JOIN fact ON fact.dim = dim.id JOIN far ON dim.far = far.id",
               "left join(inner join(dim, far), fact)");
}

TEST(SqlJoins, OnOfAnInnerJoinDoesNotBecomeThatOfALeftJoinInItsParentheses) {
  expect_shape(
      "SELECT v FROM fact JOIN (dim LEFT JOIN far ON far.id = dim.far) ON fact.dim = dim.id",
      "left join(inner join(fact, dim), far)");
  expect_shape(
      "SELECT v FROM fact JOIN (dim LEFT JOIN far ON far.id = dim.far) ON fact.dim = dim.id AND "
      "fact.other = far.id",
      "filter(left join(inner join(fact, dim), far))");
}

TEST(SqlJoins, OnReadsItsOwnJoinBeforeTheTablesInFrontOfIt) {
  expect_shape("SELECT 1 AS c FROM dim a JOIN far ON region = name JOIN dim b ON b.id = a.id",
               "inner join(inner join(dim, far), dim)");
  expect_shape("SELECT 1 AS c FROM dim a, dim b JOIN far ON region = name WHERE a.id = b.id",
               "inner join(dim, inner join(dim, far))");
  expect_shape(
      "SELECT v FROM fact JOIN dim n ON dim = n.id WHERE EXISTS (SELECT 1 FROM dim a JOIN far ON "
      "region = name JOIN dim b "
      "ON b.id = a.id WHERE a.id = v)",
      "inner join(semi join(fact, semi join(semi join(dim, far), dim)), dim)");
}

TEST(SqlJoins, SubqueriesAreSemiAndAntiJoinsOfTheTableTheyAskFor) {
  expect_shape(
      "SELECT v FROM fact, dim WHERE fact.dim = dim.id AND EXISTS (SELECT * FROM far WHERE far.id "
      "= dim.far AND region = 'x')",
      "inner join(fact, semi join(dim, filter(far)))");
  expect_shape("SELECT name FROM dim WHERE NOT EXISTS (SELECT 1 FROM fact WHERE fact.dim = dim.id)",
               "anti join(dim, fact)");
  expect_shape(
      "SELECT name FROM dim WHERE id IN (SELECT dim FROM fact GROUP BY dim HAVING count(*) > 3)",
      "semi join(dim, filter(group by(fact)))");
  expect_shape("SELECT name FROM dim WHERE id NOT IN (SELECT dim FROM fact)", "not in(dim, fact)");
}

// f.id, f.dim... come before d.id... however the tables are joined.
TEST(SqlJoins, AStarListsTheTablesInTheOrderOfFrom) {
  Plan plan;
  const Result<StepId> result =
      bind_sql("SELECT *, f.* FROM dim AS d, fact AS f WHERE d.id = f.dim", plan, open_star);
  ASSERT_TRUE(result.ok()) << result.status().text();
  std::string names;
  for (const Field& field : plan.step(*result).schema) names += field.name + " ";
  EXPECT_EQ(names, "id far name id dim other v id dim other v ");
}

TEST(SqlJoins, AColumnOfUsingStandsOnceAndIsTheLeftOnes) {
  Plan plan;
  const Result<StepId> result =
      bind_sql("SELECT * FROM dim LEFT JOIN other USING (id)", plan, open_star);
  ASSERT_TRUE(result.ok()) << result.status().text();
  const Schema& schema = plan.step(*result).schema;
  ASSERT_EQ(schema.size(), 4u);
  EXPECT_EQ(schema[0].name + " " + schema[3].name, "id label");
  EXPECT_FALSE(schema[0].nullable);
  EXPECT_TRUE(schema[3].nullable);  // of the right table
}

TEST(SqlJoins, ATableThatOnlyItsJoinReadsIsASemiJoinWhereRowsCountOnce) {
  const std::string from = " FROM fact, dim WHERE fact.dim = dim.id ";
  for (const std::string& once : std::vector<std::string>{
           "SELECT v" + from + "GROUP BY v ORDER BY v", "SELECT DISTINCT v" + from,
           "SELECT max(v), count(DISTINCT other)" + from,
           "SELECT v, row_number() OVER (ORDER BY v) AS r" + from + "GROUP BY v",
           "SELECT v AS x, min(other)" + from +
               "AND name = 'a' GROUP BY x HAVING min(other) > 2 ORDER BY x"}) {
    Plan plan;
    const Result<StepId> result = bind_sql(once, plan, open_star);
    ASSERT_TRUE(result.ok()) << result.status().text();
    EXPECT_NE(shape(plan, *result).find("semi join(fact, "), std::string::npos) << once;
  }
  for (const std::string& often : std::vector<std::string>{
           "SELECT v" + from, "SELECT sum(v)" + from, "SELECT v, count(*)" + from + "GROUP BY v",
           "SELECT v, name" + from + "GROUP BY ALL", "SELECT max(v)" + from + "AND v > dim.far",
           "SELECT v" + from + "GROUP BY v HAVING max(name) > 'a'",
           "SELECT v" + from + "GROUP BY v ORDER BY min(name)"}) {
    Plan plan;
    const Result<StepId> result = bind_sql(often, plan, open_star);
    ASSERT_TRUE(result.ok()) << result.status().text();
    EXPECT_NE(shape(plan, *result).find("inner join(fact, dim)"), std::string::npos) << often;
  }
}

TEST(SqlJoins, ATableBelowASemiJoinIsInnerForItsParent) {
  expect_shape("SELECT DISTINCT v FROM fact, dim, far WHERE fact.dim = dim.id AND far.id = dim.far",
               "group by(semi join(fact, semi join(dim, far)))");
}

}  // namespace
}  // namespace penstock::sql_test
