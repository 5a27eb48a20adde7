// The tables of one FROM and their columns, which the names of a SELECT refer to.
#pragma once
#include <string>
#include <vector>

#include "penstock/plan.hpp"
#include "penstock/sql.hpp"
#include "sql/parse/syntax.hpp"

namespace penstock::sql {

struct ScopeTable {
  std::string name, alias;             // as FROM has them
  std::uint32_t first = 0, count = 0;  // its columns in the scope's schema
  std::shared_ptr<TableSource> source;
  bool is_left = false;               // right side of a LEFT JOIN: any of its columns may be NULL
  std::vector<std::uint32_t> merged;  // those that USING names: one of a table before stands for
                                      // them where no table is named

  std::string shown()
      const;  // what qualifies its columns: the alias, or a file's name without folder and ending
  bool is_called(std::string_view qualifier) const;
  bool holds(std::uint32_t column) const { return column >= first && column - first < count; }
};

struct Scope {
  std::vector<ScopeTable> tables;
  Schema schema;  // of all tables

  std::size_t table_of(std::uint32_t column) const;
  bool is_merged(std::uint32_t column) const;
};

// Returns DuckDB's name of a file's table: "lineitem" of "data/lineitem.parquet".
std::string stem(std::string_view path);
// Opens the tables of FROM and resolves the columns of USING.
Result<Scope> open_scope(const Lexed& lexed, const Select& select, const TableOpener& open);

// Returns the one row of a SELECT without FROM. Its column has no name in a scope.
std::shared_ptr<TableSource> one_row_source();

}  // namespace penstock::sql
