#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sql/duckdb/plan_json.hpp"

namespace penstock {
namespace {

std::optional<std::string> separator(const char* call) {
  const nlohmann::json json = nlohmann::json::parse(call);
  return sql::separator_of(sql::Tree(&json));
}

// DuckDB 1.5 drops the second input of string_agg() when it binds.
TEST(PlanJson, SeparatorsAreInputsOrFactsOfTheFunction) {
  EXPECT_EQ(separator(R"({"children": [{}], "function_data": {"separator": "|"}})"), "|");
  EXPECT_EQ(separator(R"({"children": [{}], "function_data": {"separator": ""}})"), "");
  EXPECT_EQ(separator(R"({"children": [{}]})"), ",");
  EXPECT_EQ(separator(R"({"children": [{}, {"value": {"type": {"id": "VARCHAR", "type_info": null},
                          "is_null": false, "value": "; "}}]})"),
            "; ");
  EXPECT_EQ(separator(R"({"children": [{}, {"expression_class": "BOUND_REF"}]})"), std::nullopt);
}

}  // namespace
}  // namespace penstock
