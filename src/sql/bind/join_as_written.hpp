// Joins the tables of FROM in the order and form in which they are written. RIGHT and FULL JOIN,
// and LEFT JOIN of a JOIN, allow no other.
#pragma once
#include "sql/bind/join_tables.hpp"

namespace penstock::sql {

bool has_form_to_keep(const Select& select);
JoinedTables join_as_written(BindContext& context, const Select& select, const Scope& scope,
                             const Surroundings& around);

}  // namespace penstock::sql
