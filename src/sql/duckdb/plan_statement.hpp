// Plans statements by DuckDB.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "penstock/sql.hpp"

namespace penstock::sql {

// Adds the steps of a SELECT. DuckDB sees stand-ins of its tables (stand_ins.hpp), and the
// definitions that it uses.
Result<BoundSql> bind_by_duckdb(std::string_view statement, Plan& plan, const TableOpener& open,
                                const std::vector<std::string>& definitions);
bool is_query(std::string_view statement);  // and no INSERT, COPY, DESCRIBE...
bool has_duckdb();
std::string how_to_install_duckdb();

}  // namespace penstock::sql
