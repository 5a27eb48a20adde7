#include "session/statements/column_values.hpp"

#include <array>

namespace penstock::session {
namespace {

void add_values(const Column& column, ColumnValues& values) {
  for (std::uint64_t row = 0; row < column.row_count; row++) {
    if (!column.is_valid(row)) {
      values.null_count++;
    } else if (column.type.kind == Kind::string) {
      values.texts.push_back(column.string(row));
    } else {
      const Scalar value = scalar_at(column, row);
      if (is_float(column.type))
        values.reals.push_back(value.real);
      else
        values.integers.push_back(value.integer);
    }
  }
  values.row_count += column.row_count;
}

}  // namespace

Result<ColumnValues> read_values(const TableSource& source, std::uint32_t column) {
  ColumnValues values;
  values.type = source.schema()[column].type;
  PENSTOCK_ASSIGN(const auto stream, source.scan(std::array{column}, {}));
  while (true) {
    PENSTOCK_ASSIGN(std::optional<Table> batch, stream->next());
    if (!batch) return values;
    PENSTOCK_ASSIGN(batch->columns[0], decoded(batch->columns[0]));
    values.batches.push_back(std::move(*batch));
    add_values(values.batches.back().columns[0], values);
    if (values.type.kind != Kind::string) values.batches.clear();
  }
}

}  // namespace penstock::session
