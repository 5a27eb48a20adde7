// The views, tables and macros that statements of a session have defined. Thread-safe.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/session.hpp"
#include "sql/parse/definition.hpp"

namespace penstock::session {

class SessionNames {
 public:
  // Adds or removes a name. `table`: the rows of CREATE TABLE.
  Status define(const sql::Definition& definition, std::shared_ptr<TableSource> table);
  // Puts other rows in the place of a table's, unless these are no longer `before`: then it returns
  // false, and the caller looks again.
  bool replace_rows(const std::string& name, const std::shared_ptr<TableSource>& before,
                    std::shared_ptr<TableSource> after);
  // Remembers what there is, for has_changed().
  void begin();
  // Returns whether a name or its rows have changed since begin().
  bool has_changed() const;
  // Returns whether CREATE ... IF NOT EXISTS has nothing to do.
  bool is_defined(const std::string& name) const;
  // Returns a table, or nothing; for a view of one whole table, the name of that.
  struct Meaning {
    std::shared_ptr<TableSource> table;
    std::string only_table;
  };
  std::optional<Meaning> find(const std::string& name) const;
  std::vector<SessionTable> tables() const;  // in the order of their names
  // Returns the texts that define the views and macros, in the order in which they were defined.
  std::vector<std::string> definitions() const;

 private:
  struct Entry {
    sql::Definition definition;
    std::shared_ptr<TableSource> table;
    std::uint64_t order = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Entry> by_name_;  // in lower case
  std::uint64_t next_order_ = 0;
  std::uint64_t changes_ = 0, changes_at_begin_ = 0;
};

}  // namespace penstock::session
