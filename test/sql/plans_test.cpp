// Plans that DuckDB made of whole suites, in both dialects, bound over schemas without rows.
// plans/record_plans.py has recorded them with the names and types that DuckDB states.
#include <gtest/gtest.h>

#include "sql/recorded_plans.hpp"

namespace penstock::sql_test {
namespace {

using nlohmann::json;

std::string texts_of(const std::vector<std::pair<std::string, std::string>>& columns) {
  std::string text;
  for (const auto& [name, type] : columns) text += name + " " + type + "; ";
  return text;
}

// Binds each plan, and compares the columns of its result with DuckDB's.
void expect_columns_of_suite(const std::string& suite, const std::string& dialect,
                             std::size_t count) {
  const json recorded = recorded_plans(suite, dialect);
  ASSERT_TRUE(recorded.is_object());
  ASSERT_EQ(recorded["plans"].size(), count);
  const TableOpener open = schema_opener(suite);
  for (const json& each : recorded["plans"]) {
    SCOPED_TRACE(suite + " " + each["number"].get<std::string>());
    const json planned = {{"statement", ""},
                          {"names", each["names"]},
                          {"tables", recorded["tables"]},
                          {"plan", each["plan"]}};
    Plan plan;
    const auto step = bind_plan(planned.dump(), plan, open);
    EXPECT_TRUE(step.ok()) << step.status().text();
    if (!step.ok()) continue;
    std::vector<std::pair<std::string, std::string>> ours, theirs;
    for (const Field& field : plan.step(*step).schema)
      ours.emplace_back(field.name, name_of(field.type));
    for (std::size_t i = 0; i < each["names"].size(); i++)
      theirs.emplace_back(each["names"][i], each["types"][i]);
    EXPECT_EQ(texts_of(ours), texts_of(theirs));
  }
}

TEST(RecordedPlans, TpchOfDuckDB1HasItsColumns) { expect_columns_of_suite("tpch", "1.5", 22); }
TEST(RecordedPlans, TpchOfDuckDB2HasItsColumns) { expect_columns_of_suite("tpch", "2.0", 22); }
TEST(RecordedPlans, TpcdsOfDuckDB1HasItsColumns) { expect_columns_of_suite("tpcds", "1.5", 99); }
TEST(RecordedPlans, TpcdsOfDuckDB2HasItsColumns) { expect_columns_of_suite("tpcds", "2.0", 99); }
TEST(RecordedPlans, ClickBenchOfDuckDB1HasItsColumns) {
  expect_columns_of_suite("clickbench", "1.5", 43);
}
TEST(RecordedPlans, ClickBenchOfDuckDB2HasItsColumns) {
  expect_columns_of_suite("clickbench", "2.0", 43);
}

}  // namespace
}  // namespace penstock::sql_test
