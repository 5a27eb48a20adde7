// Turns a SQL SELECT, over one table or several joined ones, into a Plan.
//
//     Plan plan;
//     PENSTOCK_ASSIGN(StepId result,
//         bind_sql("SELECT count(*) FROM 'hits.parquet' WHERE price > 3", plan, open_table));
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "penstock/plan.hpp"

namespace penstock {

using TableOpener = std::function<Result<std::shared_ptr<TableSource>>(const std::string& name)>;

// Parses one SELECT statement and adds its steps to `plan`. DuckDB's types and answers are the
// reference. Errors end with the line of the statement and a caret under the position.
Result<StepId> bind_sql(std::string_view statement, Plan& plan, const TableOpener& open);

}  // namespace penstock
