// Plans that DuckDB made of whole suites, in both dialects, bound over schemas without rows.
// plans/record_plans.py has recorded them with the names and types that DuckDB states.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "expr/type_names.hpp"
#include "penstock/sql.hpp"
#include "plan/schema_source.hpp"

namespace penstock::sql_test {
namespace {

using nlohmann::json;

const std::string plans_folder = PENSTOCK_RECORDED_PLANS;

json unpacked(const std::string& name) {
  const gzFile file = gzopen((plans_folder + "/" + name).c_str(), "rb");
  EXPECT_NE(file, nullptr) << name;
  std::string text;
  std::string part(1 << 16, '\0');
  for (int bytes = 1; file != nullptr && bytes > 0;) {
    bytes = gzread(file, part.data(), static_cast<unsigned>(part.size()));
    if (bytes > 0) text.append(part, 0, static_cast<std::size_t>(bytes));
  }
  if (file != nullptr) gzclose(file);
  return json::parse(text, nullptr, false);
}

std::map<std::string, Schema> schemas_of(const std::string& suite) {
  std::ifstream file(plans_folder + "/tables.json");
  std::map<std::string, Schema> schemas;
  const json tables = json::parse(file, nullptr, false);
  for (const auto& [name, table] : tables[suite].items())
    for (const json& column : table["columns"]) {
      const auto type = expr::type_of_text(column[1].get<std::string>());
      EXPECT_TRUE(type.has_value()) << column;
      schemas[name].push_back({column[0], type.value_or(Type{}), true});
    }
  return schemas;
}

std::string texts_of(const std::vector<std::pair<std::string, std::string>>& columns) {
  std::string text;
  for (const auto& [name, type] : columns) text += name + " " + type + "; ";
  return text;
}

// Binds each plan, and compares the columns of its result with DuckDB's.
void expect_columns_of_suite(const std::string& suite, const std::string& dialect,
                             std::size_t count) {
  const json recorded = unpacked(suite + "-" + dialect + ".json.gz");
  ASSERT_TRUE(recorded.is_object());
  ASSERT_EQ(recorded["plans"].size(), count);
  const auto schemas = schemas_of(suite);
  const TableOpener open =
      [&](const TableReference& table) -> Result<std::shared_ptr<TableSource>> {
    const auto found = schemas.find(table.text());
    if (found == schemas.end()) return Status(Code::io, "no table " + table.text());
    return plan::schema_source(found->second);
  };
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
