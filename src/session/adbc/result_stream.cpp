#include "session/adbc/result_stream.hpp"

#include <algorithm>
#include <cerrno>

#include "column/column_builders.hpp"
#include "penstock/expression.hpp"

namespace penstock::adbc {
namespace {

constexpr std::int64_t nullable_flag_of_schema = 2;

struct ResultStream {
  std::vector<Table> tables;
  std::size_t next = 0;
  std::string error;
};

ResultStream& result_of(ArrowArrayStream* stream) {
  return *static_cast<ResultStream*>(stream->private_data);
}

// A batch with a dictionary and one without would differ in their types.
Column without_dictionary(const Column& column) {
  if (!column.dictionary) return column;
  Column plain;
  plain.type = column.type;
  plain.row_count = column.row_count;
  plain.validity = column.validity;
  column::StringBuilder strings(column.row_count);
  for (std::uint64_t row = 0; row < column.row_count; row++) strings.push_row(column, row);
  strings.take(plain);
  return plain;
}

Result<Table> in_plain_form(const Table& table) {
  Table plain = table;
  for (Column& column : plain.columns) {
    PENSTOCK_ASSIGN(const Column whole, decoded(column));
    column = without_dictionary(whole);
  }
  return plain;
}

Status export_batch(const Table& table, ArrowArray* array, ArrowSchema* schema) {
  PENSTOCK_TRY(export_table(table, array, schema));
  for (std::int64_t i = 0; i < schema->n_children; i++)
    schema->children[i]->flags |= nullable_flag_of_schema;
  return {};
}

int end_of_call(ResultStream& result, const Status& status) {
  if (status.ok()) return 0;
  result.error = status.text();
  return EIO;
}

int result_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
  ResultStream& result = result_of(stream);
  return end_of_call(result, catch_exceptions([&]() -> Status {
                       ArrowArray array{};
                       Table first = result.tables[0];
                       for (Column& column : first.columns) column = column.slice(0, 0);
                       first.row_count = 0;
                       PENSTOCK_TRY(export_batch(first, &array, schema));
                       array.release(&array);
                       return {};
                     }));
}

int next_result(ArrowArrayStream* stream, ArrowArray* array) {
  ResultStream& result = result_of(stream);
  *array = {};
  while (result.next < result.tables.size() && result.tables[result.next].row_count == 0)
    result.next++;
  if (result.next == result.tables.size()) return 0;
  return end_of_call(result, catch_exceptions([&]() -> Status {
                       ArrowSchema schema{};
                       Table& table = result.tables[result.next++];
                       PENSTOCK_TRY(export_batch(table, array, &schema));
                       schema.release(&schema);
                       // The batch owns its memory now; the schema is still asked of the first.
                       for (Column& column : table.columns) column = column.slice(0, 0);
                       table.row_count = 0;
                       return {};
                     }));
}

const char* result_error(ArrowArrayStream* stream) {
  const std::string& error = result_of(stream).error;
  return error.empty() ? nullptr : error.c_str();
}

void release_result(ArrowArrayStream* stream) {
  delete &result_of(stream);
  stream->release = nullptr;
}

std::vector<Type> types_of(const Table& table) {
  std::vector<Type> types;
  for (const Column& column : table.columns) types.push_back(column.type);
  return types;
}

}  // namespace

Outcome export_tables(std::vector<Table> tables, ArrowArrayStream* stream) {
  if (stream == nullptr) return Outcome(status_invalid_argument, "the stream is null");
  for (Table& table : tables) {
    if (types_of(table) != types_of(tables[0]))
      return Outcome(status_invalid_data,
                     "the rows of parameters yield columns of different types");
    PENSTOCK_ASSIGN(table, in_plain_form(table));
  }
  auto result = std::make_unique<ResultStream>();
  result->tables = std::move(tables);
  *stream = {result_schema, next_result, result_error, release_result, result.release()};
  return {};
}

Table empty_table(const Schema& schema) {
  Table table;
  for (const Field& field : schema) {
    table.names.push_back(field.name);
    table.columns.push_back(column_of(field.type, {}));
  }
  return table;
}

Outcome export_schema_of(const Schema& schema, ArrowSchema* out) {
  if (out == nullptr) return Outcome(status_invalid_argument, "the schema is null");
  ArrowArray array{};
  PENSTOCK_TRY(export_batch(empty_table(schema), &array, out));
  array.release(&array);
  return {};
}

}  // namespace penstock::adbc
