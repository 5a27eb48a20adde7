// Statements that define names of a session: CREATE VIEW, CREATE TABLE, CREATE MACRO, DROP.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::sql {

enum class DefinitionKind : unsigned char { view, table, macro, drop };

struct Definition {
  DefinitionKind kind = DefinitionKind::view;
  std::string name;
  bool replaces = false;                          // OR REPLACE
  bool only_missing = false;                      // IF NOT EXISTS
  bool only_present = false;                      // DROP ... IF EXISTS
  DefinitionKind dropped = DefinitionKind::view;  // DROP
  std::string text;                               // the whole statement
  // The SELECT of a view or a table. A list of columns is one that yields no row.
  std::string query;
  bool has_columns = false;  // CREATE TABLE t (a INT)
  // A table or file of which the view is all columns and rows; "" for any other view.
  std::string only_table = {};
};
// Returns nothing for a statement that defines nothing.
Result<std::optional<Definition>> read_definition(std::string_view statement);

}  // namespace penstock::sql
