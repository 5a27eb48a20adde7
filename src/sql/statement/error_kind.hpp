// Tells apart the errors of statements that clients treat in ways of their own.
#pragma once
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::sql {

enum class ErrorKind : unsigned char { other, syntax, missing_table };
ErrorKind kind_of_error(std::string_view statement, const Status& error);

// Errors about a name that a session does not have begin with these.
constexpr std::string_view no_table = "there is no table ";
constexpr std::string_view no_name = "there is no view, table or macro ";

}  // namespace penstock::sql
