// strftime: dates and timestamps as text, by a format of DuckDB's.
#pragma once
#include <memory>
#include <string_view>

#include "expr/time_zone.hpp"
#include "penstock/expression.hpp"

namespace penstock::expr {

// Returns an error if the format is empty, or names a specifier that there is not.
Status check_date_format(std::string_view format);
// Returns the function of a DATE or TIMESTAMP and a format that was checked.
std::shared_ptr<const CustomFunction> date_format_function(Type type);

// Returns an instant by such a format, as the clocks of a zone show it.
std::string format_instant(std::int64_t instant, std::string_view format, const TimeZone& zone);

}  // namespace penstock::expr
