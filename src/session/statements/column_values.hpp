// The present values of one column, in memory.
#pragma once
#include <string_view>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/expression.hpp"

namespace penstock::session {

struct ColumnValues {
  Type type;
  std::uint64_t row_count = 0, null_count = 0;
  // By type, one of these: floats; strings, which `batches` hold; all else as integers.
  std::vector<double> reals;
  std::vector<std::string_view> texts;
  std::vector<Int128> integers;
  std::vector<Table> batches;
};
Result<ColumnValues> read_values(const TableSource& source, std::uint32_t column);

}  // namespace penstock::session
