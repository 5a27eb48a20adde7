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
};

}  // namespace penstock::session
