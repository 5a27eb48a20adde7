#include "session/adbc/statement.hpp"

#include <algorithm>

#include "penstock/expression.hpp"
#include "session/adbc/metadata_column.hpp"
#include "session/adbc/result_stream.hpp"
#include "sql/parse/definition.hpp"
#include "sql/parse/parameters.hpp"
#include "sql/statement/error_kind.hpp"

namespace penstock::adbc {
namespace {

using sql::Parameter;

Result<std::vector<Parameter>> parameters_in(const std::string& text) {
  if (is_plan_text(text)) return std::vector<Parameter>();
  return sql::parameters_of(text);
}

Outcome check_text(const std::string& text) {
  if (!text.empty()) return {};
  return Outcome(status_invalid_state, "there is no statement: SetSqlQuery comes first");
}

// `?` and $1 take columns by their order, $name by their names.
Outcome check_bound(const std::vector<Parameter>& parameters, const TableSource* rows,
                    bool binds_by_name) {
  if (rows == nullptr && !parameters.empty())
    return Outcome(status_invalid_state, "the statement has parameters: Bind comes first");
  if (rows != nullptr && parameters.empty())
    return Outcome(status_invalid_argument, "values are bound, but the statement has no parameter");
  if (rows != nullptr && binds_by_name && !parameters[0].is_named)
    return Outcome(status_invalid_argument,
                   "values are bound by name, but the statement's parameters are ? or $1");
  return {};
}

// The result of a statement: text that cannot be read and tables that are missing have codes of
// their own.
Outcome outcome_of(const std::string& text, const Status& status) {
  if (status.ok()) return {};
  switch (sql::kind_of_error(text, status)) {
    case sql::ErrorKind::syntax: return Outcome(status_invalid_argument, status, "42601");
    case sql::ErrorKind::missing_table: return Outcome(status_not_found, status, "42P01");
    case sql::ErrorKind::other: break;
  }
  return status;
}

// The type that Arrow gives to columns of NULLs alone, as Penstock names it.
bool is_untyped(const Field& field) { return field.unsupported == "NULL"; }

std::vector<std::uint32_t> typed_columns(const Schema& schema) {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < schema.size(); i++)
    if (!is_untyped(schema[i])) columns.push_back(i);
  return columns;
}

// Returns a row of values for parameters: `batch` has the typed columns alone.
Table row_of_values(const Schema& schema, const Table& batch, std::uint64_t row) {
  Table one;
  one.row_count = 1;
  std::size_t next = 0;
  for (const Field& field : schema) {
    one.names.push_back(field.name);
    one.columns.push_back(is_untyped(field) ? Column() : batch.columns[next++].slice(row, 1));
  }
  return one;
}

Table row_of_nulls(const Schema& schema) {
  Table row;
  row.row_count = 1;
  for (const Field& field : schema) {
    const Scalar null = Scalar::null_of(field.type);
    row.names.push_back(field.name);
    row.columns.push_back(is_untyped(field) ? Column() : column_of(field.type, {&null, 1}));
  }
  return row;
}

}  // namespace

void Statement::set_text(std::string text) {
  if (!is_plan_text(text)) {
    const std::size_t end = text.find_last_not_of(" \t\r\n;");
    text.resize(end == text.npos ? 0 : end + 1);
  }
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
  rows_ = nullptr;
  target_.table.clear();
}

void Statement::bind(std::shared_ptr<TableSource> rows) {
  const std::lock_guard lock(mutex_);
  rows_.swap(rows);
}

Statement::Inputs Statement::inputs(bool takes_rows) {
  const std::lock_guard lock(mutex_);
  Inputs inputs{text_, rows_, target_, binds_by_name_};
  if (takes_rows) rows_ = nullptr;
  return inputs;
}

// Binds the statement, so that its errors come early and its execution finds the plan.
Outcome Statement::prepare() {
  const Inputs given = inputs(false);
  PENSTOCK_TRY(check_text(given.text));
  const auto definition = sql::read_definition(given.text);
  PENSTOCK_TRY(outcome_of(given.text, definition.status()));
  PENSTOCK_ASSIGN(const auto parameters, parameters_in(given.text));
  if (*definition || !parameters.empty()) return {};
  const Status bound = database_->session()->schema_of(given.text).status();
  if (bound.code() == Code::unsupported) return {};  // DESCRIBE has no columns yet
  return outcome_of(given.text, bound);
}

Outcome Statement::execute(ArrowArrayStream* out, std::int64_t* row_count) {
  is_cancelled_ = false;
  rows_done_ = rows_total_ = 0;
  const Inputs given = inputs(true);
  if (!given.target.table.empty()) return execute_ingest(given, out, row_count);
  PENSTOCK_TRY(check_text(given.text));
  PENSTOCK_ASSIGN(const auto parameters, parameters_in(given.text));
  PENSTOCK_TRY(check_bound(parameters, given.rows.get(), given.binds_by_name));
  std::vector<Table> tables;
  std::int64_t count = 0;
  std::vector<Table>* const kept = out == nullptr ? nullptr : &tables;
  PENSTOCK_TRY(given.rows ? run_each_row(given, kept, count) : run(given.text, kept, count));
  // Rows of several executions are in one stream; how many each had is not told.
  if (tables.size() > 1) count = -1;
  if (out != nullptr) PENSTOCK_TRY(export_tables(std::move(tables), out));
  if (row_count != nullptr) *row_count = count;
  return {};
}

Outcome Statement::execute_ingest(const Inputs& given, ArrowArrayStream* out,
                                  std::int64_t* row_count) {
  if (!given.rows)
    return Outcome(status_invalid_state, "there are no rows to ingest: Bind comes first");
  std::int64_t count = 0;
  PENSTOCK_TRY(ingest(*database_, given.target, *given.rows, count));
  if (row_count != nullptr) *row_count = count;
  return out == nullptr ? Outcome() : export_tables({Table()}, out);
}

Outcome Statement::run(const std::string& text, std::vector<Table>* tables,
                       std::int64_t& row_count) {
  RunOptions options;
  options.progress = [this](const Progress& progress) {
    rows_done_ = progress.rows_done;
    rows_total_ = progress.rows_total.value_or(0);
    return !is_cancelled_;
  };
  if (is_cancelled_) return Status(Code::cancelled, "the statement was cancelled");
  auto answered = database_->session()->sql(text, options);
  PENSTOCK_TRY(outcome_of(text, answered.status()));
  QueryResult result = *std::move(answered);
  row_count += static_cast<std::int64_t>(result.report.rows_out);
  if (tables != nullptr) tables->push_back(std::move(result.table));
  return {};
}

// No row leaves the columns of the answer, which depend on the types alone.
Outcome Statement::run_each_row(const Inputs& given, std::vector<Table>* tables,
                                std::int64_t& row_count) {
  const Schema& schema = given.rows->schema();
  PENSTOCK_ASSIGN(const auto batches, given.rows->scan(typed_columns(schema), {}));
  bool is_empty = true;
  for (;;) {
    PENSTOCK_ASSIGN(const std::optional<Table> batch, batches->next());
    if (!batch) break;
    for (std::uint64_t row = 0; row < batch->row_count; row++) {
      PENSTOCK_ASSIGN(const std::string text,
                      sql::with_parameters(given.text, row_of_values(schema, *batch, row)));
      PENSTOCK_TRY(run(text, tables, row_count));
      is_empty = false;
    }
  }
  if (!is_empty || tables == nullptr) return {};
  PENSTOCK_ASSIGN(const std::string text, sql::with_parameters(given.text, row_of_nulls(schema)));
  const Result<Schema> columns = database_->session()->schema_of(text);
  tables->push_back(columns.ok() ? empty_table(*columns) : Table());
  return {};
}

Outcome Statement::execute_schema(ArrowSchema* out) {
  const Inputs given = inputs(false);
  PENSTOCK_TRY(check_text(given.text));
  PENSTOCK_ASSIGN(const auto parameters, parameters_in(given.text));
  PENSTOCK_TRY(check_bound(parameters, given.rows.get(), given.binds_by_name));
  std::string text = given.text;
  if (given.rows) {
    PENSTOCK_ASSIGN(text, sql::with_parameters(text, row_of_nulls(given.rows->schema())));
  }
  const Result<Schema> schema = database_->session()->schema_of(text);
  PENSTOCK_TRY(outcome_of(text, schema.status()));
  return export_schema_of(*schema, out);
}

// Any type fits a parameter, which Arrow's type of nothing says.
Outcome Statement::parameter_schema(ArrowSchema* out) {
  const Inputs given = inputs(false);
  PENSTOCK_TRY(check_text(given.text));
  if (out == nullptr) return Outcome(status_invalid_argument, "the schema is null");
  PENSTOCK_ASSIGN(const auto parameters, parameters_in(given.text));
  std::vector<std::string> names;
  std::size_t count = 0;
  for (const Parameter& parameter : parameters) {
    if (parameter.is_named && std::ranges::find(names, parameter.name) == names.end())
      names.push_back(parameter.name);
    if (!parameter.is_named) count = std::max<std::size_t>(count, std::stoul(parameter.name));
  }
  for (std::size_t i = 1; i <= count; i++) names.push_back(std::to_string(i));
  std::vector<MetadataColumn> fields;
  for (const std::string& name : names) fields.emplace_back("n", name);
  MetadataColumn("+s", "", std::move(fields)).export_schema(*out);
  return {};
}

}  // namespace penstock::adbc
