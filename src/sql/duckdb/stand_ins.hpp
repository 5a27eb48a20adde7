// Rewrites a statement for DuckDB's planner: tables become views that stand for them.
//
//     FROM 'data/orders.parquet'  ->  FROM t0."orders"
//     FROM read_csv('a', ...)     ->  FROM t1."read_csv"
//
// The view's name qualifies columns as the file's would in DuckDB.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/sql.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock::sql {

// A text with its tables replaced, and the places of its bytes in the text as it was written.
struct Rewritten {
  std::string text;
  std::vector<Piece> pieces;
};

class StandIns {
 public:
  explicit StandIns(const TableOpener& open) : open_(open) {}
  // Opens the tables of all FROM clauses of a text. A name that cannot be opened is left to the
  // planner: it may be one of WITH, or a view.
  Rewritten rewrite(const Lexed& text);
  const std::vector<std::shared_ptr<TableSource>>& tables() const { return tables_; }
  // Returns statements that create the views.
  std::vector<std::string> view_statements() const;
  // Returns the name of the view that stands for a table; "" where it cannot be opened.
  std::string view_of(const TableReference& table, const std::string& name, bool is_file);
  // Returns a column's name of DuckDB's with tables as the statement has them.
  std::string as_written(std::string name) const;
  // Returns why the first file that a text names could not be opened.
  const Status& unread_file() const { return unread_file_; }

 private:
  const TableOpener& open_;
  std::vector<std::shared_ptr<TableSource>> tables_;
  std::vector<std::string> names_;  // of their views
  std::vector<std::string> texts_;  // of the references
  Status unread_file_;
};

}  // namespace penstock::sql
