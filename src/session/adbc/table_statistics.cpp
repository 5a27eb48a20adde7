// GetStatistics: numbers of rows, and of NULLs in columns.
#include "base/ascii.hpp"
#include "session/adbc/metadata.hpp"
#include "session/adbc/metadata_column.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock::adbc {
namespace {

// Keys of the interface.
constexpr std::int64_t null_count_key = 5, row_count_key = 6;

MetadataColumn statistics_columns() {
  MetadataColumn value("+ud:0,1,2,3", "statistic_value",
                       {{"l", "int64"}, {"L", "uint64"}, {"g", "float64"}, {"z", "binary"}}, false);
  MetadataColumn statistic("+s", "item",
                           {{"u", "table_name", {}, false},
                            {"u", "column_name"},
                            {"s", "statistic_key", {}, false},
                            std::move(value),
                            {"b", "statistic_is_approximate", {}, false}});
  MetadataColumn schema(
      "+s", "item",
      {{"u", "db_schema_name"}, {"+l", "db_schema_statistics", {std::move(statistic)}, false}});
  return {
      "+s", "", {{"u", "catalog_name"}, {"+l", "catalog_db_schemas", {std::move(schema)}, false}}};
}

// Adds a number of a table; a column without a name is the table's own.
void add_number(MetadataColumn& row, const std::string& table, const std::string& column,
                std::int64_t key, std::uint64_t number) {
  row.child(0).add(table);
  if (column.empty())
    row.child(1).add_null();
  else
    row.child(1).add(column);
  row.child(2).add_integer(key);
  MetadataColumn& value = row.child(3);
  value.child(0).add_integer(static_cast<std::int64_t>(number));
  value.end_row_of(0);
  row.child(4).add_boolean(false);
  row.end_row();
}

// Counts rows and NULLs by a statement.
Status add_counted(Session& session, MetadataColumn& row, const std::string& name) {
  const std::string from = " FROM " + sql::in_quotes(name, '"');
  const Result<Schema> schema = session.schema_of("SELECT *" + from);
  if (!schema.ok()) return {};  // a view's file is gone
  std::string counts = "SELECT count(*)";
  std::vector<std::string> columns;
  for (const Field& field : *schema) {
    if (!field.unsupported.empty()) continue;
    columns.push_back(field.name);
    counts += ", count(" + sql::in_quotes(field.name, '"') + ")";
  }
  PENSTOCK_ASSIGN(const QueryResult counted, session.sql(counts + from));
  const auto number = [&](std::size_t i) {
    return static_cast<std::uint64_t>(counted.table.columns[i].values.as<std::int64_t>()[0]);
  };
  add_number(row, name, "", row_count_key, number(0));
  for (std::size_t i = 0; i < columns.size(); i++)
    add_number(row, name, columns[i], null_count_key, number(0) - number(i + 1));
  return {};
}

Status add_statistics(Session& session, MetadataColumn& row, const char* table_name,
                      bool approximate) {
  for (const SessionTable& table : session.tables()) {
    if (table_name != nullptr && lower(table_name) != lower(table.name)) continue;
    const auto source = session.find_table(table.name);
    if (!approximate)
      PENSTOCK_TRY(add_counted(session, row, table.name));
    else if (source && source->row_count())
      add_number(row, table.name, "", row_count_key, *source->row_count());
  }
  return {};
}

}  // namespace

AdbcStatusCode connection_get_statistics(AdbcConnection* connection, const char* catalog,
                                         const char* db_schema, const char* table_name,
                                         char approximate, ArrowArrayStream* out,
                                         AdbcError* error) {
  return with_session(connection, error, [&](Session& session) -> Outcome {
    MetadataColumn rows = statistics_columns();
    if (means_catalog(catalog) && means_schema(db_schema)) {
      rows.child(0).add(only_catalog);
      MetadataColumn& schema = rows.child(1).child(0);
      schema.child(0).add(only_schema);
      PENSTOCK_TRY(add_statistics(session, schema.child(1).child(0), table_name, approximate != 0));
      schema.child(1).end_row();
      schema.end_row();
      rows.child(1).end_row();
      rows.end_row();
    }
    return export_metadata(std::move(rows), out);
  });
}

// The keys above are the interface's own; there are no others.
AdbcStatusCode connection_get_statistic_names(AdbcConnection* connection, ArrowArrayStream* out,
                                              AdbcError* error) {
  return with_session(connection, error, [&](Session&) {
    return export_metadata(
        {"+s", "", {{"u", "statistic_name", {}, false}, {"s", "statistic_key", {}, false}}}, out);
  });
}

}  // namespace penstock::adbc
