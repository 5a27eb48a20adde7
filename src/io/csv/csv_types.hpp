// The types that a CSV column can have.
#pragma once
#include <string>
#include <string_view>

#include "penstock/column.hpp"

namespace penstock::io {

struct CsvType {
  Type type;
  std::string unsupported = {};  // the name of a type that is not read
};

// Returns the type that SQL's name stands for, in any case: "bigint", "DECIMAL(10, 2)", "int4".
Result<CsvType> type_by_name(std::string_view name);

}  // namespace penstock::io
