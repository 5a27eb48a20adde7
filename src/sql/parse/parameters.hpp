// Parameters of a statement: `?` in their order, `$1` by number, `$name` by name.
//
// Values become typed constants of the text, so that each front end has parameters and a statement
// binds as if its author had written them:
//
//     SELECT a FROM t WHERE b = ? AND c < $2    ->  ... b = 'it''s' AND c < CAST(7 AS BIGINT)
//
// Strings, quoted names, dollar quotes and comments hold no parameters. A value is always one
// constant, whatever its text says.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/column.hpp"

namespace penstock::sql {

struct Parameter {
  std::uint32_t offset = 0, length = 0;  // bytes of the statement
  std::string name;                      // "1", "2" of ? and $1; otherwise the name
  bool is_named = false;                 // $name, in the case that is written
};

// Returns the parameters in the order of the text. A statement has one kind of them: `?`, numbers,
// or names.
Result<std::vector<Parameter>> parameters_of(std::string_view statement);

// Returns the statement with values in place of its parameters. `values` is a table of one row:
// names find columns by their exact names, `?` and numbers by their order. A column without a
// parameter is an error, and so is a parameter without a column. A column without rows is a NULL
// that has no type. A list becomes list_value(...), which the own planner has too.
Result<std::string> with_parameters(std::string_view statement, const Table& values);

}  // namespace penstock::sql
