// The tables of one FROM and their columns, which the names of a SELECT refer to, and the values
// that its subqueries are.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "sql/bind/bind_context.hpp"

namespace penstock::sql {

struct ScopeTable {
  std::string name, alias;             // as FROM has them
  std::uint32_t first = 0, count = 0;  // its columns in the scope's schema
  RelationId rows = 0;
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
  Schema schema;  // of all tables; a column for each value stands behind them
  // The values of subqueries that stand for one. `rows` has a column and a row at most.
  struct Value {
    std::uint32_t column = 0;
    std::optional<RelationId> rows;  // none: it cannot be bound
  };
  std::map<const Select*, Value> values;

  std::size_t table_of(std::uint32_t column) const;
  bool is_merged(std::uint32_t column) const;
  // Returns how many columns the tables have.
  std::uint32_t table_columns() const {
    return tables.empty() ? 0 : tables.back().first + tables.back().count;
  }
};

// Returns DuckDB's name of a file's table: "lineitem" of "data/lineitem.parquet".
std::string stem(std::string_view path);
// Opens the tables of FROM, binds derived ones, and resolves the columns of USING.
Result<Scope> open_scope(BindContext& context, const Select& select, const Surroundings& around);
// Binds the subqueries that stand for values in the clauses of the SELECT. `names` are those of the
// scope.
Status bind_values(BindContext& context, const Select& select, const CommonTables* tables,
                   const Names& names, Scope& scope);
// Gives the first columns these names, and each later one of a name a number: a, a_1.
Status rename_columns(const std::vector<std::string>& names, const std::string& table,
                      Schema& schema);

// Returns the one row of a SELECT without FROM. Its column has no name in a scope.
std::shared_ptr<TableSource> one_row_source();

}  // namespace penstock::sql
