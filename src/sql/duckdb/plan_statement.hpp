// Plans statements by DuckDB, and binds plans that it made.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "penstock/sql.hpp"
#include "sql/parse/tree.hpp"

namespace penstock::sql {

// Adds the steps of a SELECT, which may stand within DESCRIBE, SUMMARIZE or COPY. DuckDB sees
// stand-ins of its tables (stand_ins.hpp), and the definitions that it uses.
Result<BoundSql> bind_by_duckdb(std::string_view statement, Plan& plan, const TableOpener& open,
                                const std::vector<std::string>& definitions);
// Adds the steps of a plan of json_serialize_plan(), or of a recorded one.
Result<StepId> bind_duckdb_plan(const Tree& planned, Plan& plan, const TableOpener& open);
// Returns whether it is a SELECT, or one within DESCRIBE, SUMMARIZE or COPY.
bool is_query(std::string_view statement);
bool has_duckdb();
std::string how_to_install_duckdb();

}  // namespace penstock::sql
