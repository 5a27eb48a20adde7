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

struct StandIns {
  std::vector<std::shared_ptr<TableSource>> tables;
  std::vector<std::string> names;  // of their views
  std::vector<std::string> texts;  // of what the statement names
  std::string rewritten;           // the statement
  std::vector<Piece> pieces;       // of `rewritten`, by which its places are the statement's
};
// Opens the tables of all FROM clauses. A name that cannot be opened is left to the planner: it may
// be one of WITH.
StandIns stand_ins_of(const Lexed& statement, const TableOpener& open);
// Returns statements that create the views.
std::vector<std::string> view_statements(const StandIns& stand_ins);

}  // namespace penstock::sql
