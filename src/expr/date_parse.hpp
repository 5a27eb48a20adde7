// Reads texts as dates by a format: strptime().
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::expr {

// Returns the microseconds since 1970; nothing where the text is not of the format. The
// default is 1 January 1900, midnight.
std::optional<std::int64_t> parse_date(std::string_view text, std::string_view format);
// Refuses a format with a specifier that is not read.
Status check_parse_format(std::string_view format);

}  // namespace penstock::expr
