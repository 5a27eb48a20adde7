// Plans of Substrait, as bytes or as protobuf's JSON.
#pragma once
#include <string_view>

#include "penstock/sql.hpp"
#include "sql/parse/tree.hpp"

namespace penstock::sql {

// Tells a plan of Substrait from one of DuckDB.
bool is_substrait(const Tree& plan);
Result<StepId> bind_substrait(const Tree& plan, Plan& steps, const TableOpener& open);
Result<StepId> bind_substrait_bytes(std::string_view bytes, Plan& steps, const TableOpener& open);

}  // namespace penstock::sql
