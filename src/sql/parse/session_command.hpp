// Statements to a session that clients send beside SELECT and CREATE: about its names and settings,
// and changes of its tables.
//
//     INSERT INTO t (a, b) SELECT ...    DELETE FROM t WHERE ...    UPDATE t SET a = 1 WHERE ...
//     EXPLAIN ...    SHOW TABLES    SHOW threads    SET threads = 4    BEGIN
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::sql {

enum class CommandKind : unsigned char {
  explain,
  show_tables,
  show_all_tables,
  show_schemas,
  show_databases,
  show_name,   // a setting, or a table's columns
  table_info,  // PRAGMA table_info('t')
  set,
  reset,
  begin,
  commit,
  rollback,
  insert,
  remove,  // DELETE and TRUNCATE
  update,
};

struct Command {
  CommandKind kind = CommandKind::explain;
  std::string name = {};                  // of a table, or of a setting
  std::string value = {};                 // of SET, without quotes
  std::string query = {};                 // what EXPLAIN explains; the rows of INSERT
  std::string alias = {};                 // of DELETE's or UPDATE's table; "" without one
  std::string condition = {};             // of DELETE and UPDATE; "" for all rows
  std::vector<std::string> columns = {};  // of INSERT, none for all; those that UPDATE sets
  std::vector<std::string> values = {};   // UPDATE's expressions, one for each of its columns
  bool is_by_name = false;                // INSERT ... BY NAME
};
// Tells whether a text behind INSERT or AS may be a query: it changes nothing and defines nothing.
bool reads_rows(std::string_view query);

// Returns nothing for other statements.
Result<std::optional<Command>> read_command(std::string_view statement);

}  // namespace penstock::sql
