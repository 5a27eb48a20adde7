// The plans that plans/record_plans.py and plans/record_substrait.py have recorded, and tables
// without rows for them.
#pragma once
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "expr/type_names.hpp"
#include "penstock/sql.hpp"
#include "plan/schema_source.hpp"

namespace penstock::sql_test {

inline const std::string plans_folder = PENSTOCK_RECORDED_PLANS;

inline nlohmann::json recorded_plans(const std::string& suite, const std::string& dialect) {
  const std::string name = plans_folder + "/" + suite + "-" + dialect + ".json.gz";
  const gzFile file = gzopen(name.c_str(), "rb");
  EXPECT_NE(file, nullptr) << name;
  std::string text;
  std::string part(1 << 16, '\0');
  for (int bytes = 1; file != nullptr && bytes > 0;) {
    bytes = gzread(file, part.data(), static_cast<unsigned>(part.size()));
    if (bytes > 0) text.append(part, 0, static_cast<std::size_t>(bytes));
  }
  if (file != nullptr) gzclose(file);
  return nlohmann::json::parse(text, nullptr, false);
}

// Returns the bytes of a plan in Substrait, which are recorded as hexadecimal digits.
inline std::string bytes_of_plan(const nlohmann::json& recorded) {
  const std::string digits = recorded["plan"].get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

// Opens the tables of a suite by their names.
inline TableOpener schema_opener(const std::string& suite) {
  std::ifstream file(plans_folder + "/tables.json");
  std::map<std::string, Schema> schemas;
  const nlohmann::json tables = nlohmann::json::parse(file, nullptr, false);
  for (const auto& [name, table] : tables[suite].items())
    for (const nlohmann::json& column : table["columns"]) {
      const auto type = expr::type_of_text(column[1].get<std::string>());
      EXPECT_TRUE(type.has_value()) << column;
      schemas[name].push_back({column[0], type.value_or(Type{}), true});
    }
  return [schemas](const TableReference& table) -> Result<std::shared_ptr<TableSource>> {
    const auto found = schemas.find(table.text());
    if (found == schemas.end()) return Status(Code::io, "no table " + table.text());
    return plan::schema_source(found->second);
  };
}

}  // namespace penstock::sql_test
