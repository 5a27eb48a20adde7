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

// A subquery as the right side of a join. Its first columns are equal to the outer keys.
struct JoinedSubquery {
  JoinType type = JoinType::semi;
  RelationId rows = 0;
  std::vector<SyntaxPtr> outer_keys;  // over the outer scope
  // So many come first that are no part of what IN asks: where they find nothing, IN is FALSE.
  std::size_t correlated_keys = 0;
  // Compares an expression of the outer scope with a column.
  struct Comparison {
    Op op = Op::less;
    SyntaxPtr outer;
    std::uint32_t column = 0;
    bool takes_unknown = false;  // NULL counts as TRUE: of NOT ANY
  };
  std::vector<Comparison> comparisons;
  std::int64_t offset = 0;

  // The expressions of the outer scope: keys, then those that are compared.
  std::vector<SyntaxPtr> outer() const;
};

// A subquery that stands for a value.
struct SubqueryValue {
  std::uint32_t column = 0;            // of the scope
  std::optional<JoinedSubquery> join;  // none: it cannot be bound
  std::uint32_t place = 0;             // of the value, in the columns that the join adds
  bool is_exists = false;              // a mark that is never NULL
  // A row with the value where the join finds none. Then TRUE stands behind the value.
  std::optional<RelationId> otherwise;
};

struct Scope {
  std::vector<ScopeTable> tables;
  Schema schema;  // of all tables; a column for each value stands behind them
  std::map<const Select*, SubqueryValue> values;

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
// Binds the subqueries that stand for values in the clauses of the SELECT (subquery_values.cpp).
// `names` are those of the scope.
Status bind_values(BindContext& context, const Select& select, const CommonTables* tables,
                   const Names& names, Scope& scope);
// Gives the first columns these names, and each later one of a name a number: a, a_1.
Status rename_columns(const std::vector<std::string>& names, const std::string& table,
                      Schema& schema);

// Returns the one row of a SELECT without FROM. Its column has no name in a scope.
std::shared_ptr<TableSource> one_row_source();

}  // namespace penstock::sql
