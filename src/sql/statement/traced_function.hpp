// Functions given as SQL, such as those that Python traces: they become Kernel C.
#pragma once
#include <string>
#include <string_view>

#include "penstock/sql.hpp"

namespace penstock::sql {

// Makes a function of a statement "SELECT expression FROM t", where t has a column for each
// parameter. Code::unsupported if a value can be NULL or a fault, such as an overflow: a body of
// Kernel C has neither. Also what is no expression of one row.
Result<CustomFunction> traced_function(std::string name, std::string_view statement,
                                       Schema parameters);

}  // namespace penstock::sql
