// Plans that DataFusion made of whole suites, bound over schemas without rows.
// plans/record_substrait.py has recorded them with the names and types that DataFusion gives.
#include <gtest/gtest.h>

#include "sql/recorded_plans.hpp"
#include "sql/substrait/plan_bytes.hpp"

namespace penstock::sql_test {
namespace {

using nlohmann::json;

std::string columns_of(const Schema& schema) {
  std::string text;
  for (const Field& field : schema) text += field.name + " " + name_of(field.type) + "; ";
  return text;
}

std::string columns_of(const json& recorded) {
  std::string text;
  for (std::size_t i = 0; i < recorded["names"].size(); i++)
    text += recorded["names"][i].get<std::string>() + " " +
            recorded["types"][i].get<std::string>() + "; ";
  return text;
}

std::string bound_columns(const std::string& plan_text, const TableOpener& open) {
  Plan plan;
  const auto step = bind_plan(plan_text, plan, open);
  return step.ok() ? columns_of(plan.step(*step).schema) : step.status().text();
}

// Binds each plan as bytes and as protobuf's JSON.
void expect_columns_of_substrait(const std::string& suite, std::size_t count) {
  const json recorded = recorded_plans(suite, "substrait");
  ASSERT_TRUE(recorded.is_object());
  ASSERT_EQ(recorded["plans"].size(), count);
  const TableOpener open = schema_opener(suite);
  for (const json& each : recorded["plans"]) {
    SCOPED_TRACE(suite + " " + each["number"].get<std::string>());
    const std::string bytes = bytes_of_plan(each);
    EXPECT_TRUE(is_plan_text(bytes));
    EXPECT_EQ(bound_columns(bytes, open), columns_of(each));
    const auto decoded = sql::decode_plan(bytes);
    ASSERT_TRUE(decoded.ok()) << decoded.status().text();
    EXPECT_EQ(bound_columns(decoded->dump(), open), columns_of(each));
  }
}

TEST(SubstraitPlans, TpchOfDataFusionHasItsColumns) { expect_columns_of_substrait("tpch", 22); }
TEST(SubstraitPlans, TpcdsOfDataFusionHasItsColumns) { expect_columns_of_substrait("tpcds", 99); }
TEST(SubstraitPlans, ClickBenchOfDataFusionHasItsColumns) {
  expect_columns_of_substrait("clickbench", 43);
}

}  // namespace
}  // namespace penstock::sql_test
