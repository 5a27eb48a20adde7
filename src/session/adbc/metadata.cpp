#include "session/adbc/metadata.hpp"

#include "session/adbc/metadata_column.hpp"
#include "session/adbc/result_stream.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock::adbc {

AdbcStatusCode connection_get_table_types(AdbcConnection* connection, ArrowArrayStream* out,
                                          AdbcError* error) {
  return with_session(connection, error, [&](Session&) {
    MetadataColumn rows("+s", "", {{"u", "table_type", {}, false}});
    for (const char* const type : {"table", "view"}) {
      rows.child(0).add(type);
      rows.end_row();
    }
    return export_metadata(std::move(rows), out);
  });
}

// A name that the session does not know may be a file's, as in FROM.
AdbcStatusCode connection_get_table_schema(AdbcConnection* connection, const char* catalog,
                                           const char* db_schema, const char* table_name,
                                           ArrowSchema* out, AdbcError* error) {
  return with_session(connection, error, [&](Session& session) -> Outcome {
    if (table_name == nullptr) return Outcome(status_invalid_argument, "the table's name is null");
    if (!means_catalog(catalog) || !means_schema(db_schema))
      return Outcome(status_not_found, "there is one schema, main, in a catalog without a name");
    const Result<Schema> schema =
        session.schema_of("SELECT * FROM " + sql::in_quotes(table_name, '"'));
    if (schema.status().code() == Code::io)
      return Outcome(status_not_found, schema.status().message());
    PENSTOCK_TRY(schema.status());
    return export_schema_of(*schema, out);
  });
}

}  // namespace penstock::adbc
