// The reference of windows: the host's, over an order that the host finds.
#include <cmath>

#include "exec/validate/compare_tables.hpp"
#include "exec/validate/validate.hpp"
#include "exec/window/window_rows.hpp"

namespace penstock::plan {
namespace {

Result<Table> by_host(const Table& input, const Step& step) {
  RunReport report;
  return window_rows(nullptr, input, step, report, WindowLocation::host);
}

template <class T> Column absolute(const Column& column) {
  std::vector<T> values(column.row_count);
  for (std::uint64_t row = 0; row < column.row_count; row++)
    values[row] = std::abs(column.values.as<T>()[row]);
  Column result = Column::from(std::move(values));
  result.validity = column.validity;
  return result;
}

bool adds_floats(const WindowCall& call, const Table& input) {
  return (call.function == WindowFunction::sum || call.function == WindowFunction::average) &&
         is_float(input.columns[call.column].type);
}

// Sums of floats differ by the order of addition. Each gets the same window over the absolute
// values, in added columns after the table's.
Result<std::vector<Tolerance>> tolerances_of(const Table& input, const Step& step) {
  Table magnitudes = input;
  Step sums = step;
  sums.window.calls.clear();
  std::vector<std::size_t> columns_added;  // numbers of these calls' columns
  for (std::size_t i = 0; i < step.window.calls.size(); i++) {
    WindowCall call = step.window.calls[i];
    if (!adds_floats(call, input)) continue;
    const Column& column = input.columns[call.column];
    call.column = static_cast<std::uint32_t>(magnitudes.columns.size());
    magnitudes.names.push_back(call.name);
    magnitudes.columns.push_back(column.type.kind == Kind::float32 ? absolute<float>(column)
                                                                   : absolute<double>(column));
    sums.window.calls.push_back(std::move(call));
    columns_added.push_back(input.columns.size() + i);
  }
  sums.schema = magnitudes.schema();
  for (const WindowCall& call : sums.window.calls)
    sums.schema.push_back({call.name, {Kind::float64}});
  PENSTOCK_ASSIGN(const Table added, by_host(magnitudes, sums));
  std::vector<Tolerance> tolerances(step.schema.size());
  for (std::size_t i = 0; i < columns_added.size(); i++)
    tolerances[columns_added[i]].magnitude = added.columns[magnitudes.columns.size() + i];
  return tolerances;
}

}  // namespace

Status check_window(const Table& input, const Step& step, const Table& found,
                    const std::string& device_id) {
  PENSTOCK_ASSIGN(const Table reference, by_host(input, step));
  PENSTOCK_ASSIGN(const std::vector<Tolerance> tolerances, tolerances_of(input, step));
  const auto difference = first_difference(found, 0, reference, tolerances);
  if (!difference) return {};
  return Status(Code::internal,
                "validate: window: row " + std::to_string(difference->row) + ", column '" +
                    reference.names[difference->column] + "': " + device_id + " has " +
                    cell_text(found, difference->column, difference->row) + ", the reference " +
                    cell_text(reference, difference->column, difference->row) +
                    "; its inputs: " + row_text(input, difference->row, input.columns.size()));
}

}  // namespace penstock::plan
