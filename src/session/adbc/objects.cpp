// GetObjects: the catalog, its schema, tables and their columns, as lists within lists.
#include <algorithm>

#include "base/ascii.hpp"
#include "session/adbc/metadata.hpp"
#include "session/adbc/metadata_column.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock::adbc {
namespace {

enum Depth : int { all_depths = 0, catalogs_alone = 1, schemas_alone = 2, tables_alone = 3 };

struct ObjectFilter {
  int depth = all_depths;
  const char *catalog = nullptr, *schema = nullptr, *table = nullptr, *column = nullptr;
  const char** table_types = nullptr;  // ends with null
};

// Patterns are those of LIKE: % for any text, _ for a character. Null matches all.
bool matches_pattern(std::string_view text, const char* pattern_text) {
  if (pattern_text == nullptr) return true;
  const std::string_view pattern = pattern_text;
  std::size_t at = 0, in_text = 0, after_percent = pattern.npos, tried_from = 0;
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '%') {
      after_percent = ++at;
      tried_from = in_text;
    } else if (at < pattern.size() && (pattern[at] == '_' || pattern[at] == text[in_text])) {
      at++;
      in_text++;
    } else if (after_percent != pattern.npos) {
      at = after_percent;
      in_text = ++tried_from;
    } else {
      return false;
    }
  }
  return pattern.substr(at).find_first_not_of('%') == pattern.npos;
}

bool has_type(const ObjectFilter& filter, std::string_view type) {
  if (filter.table_types == nullptr) return true;
  for (const char** given = filter.table_types; *given != nullptr; given++)
    if (lower(*given) == type) return true;
  return false;
}

// Places in a column's row.
constexpr std::size_t type_name_place = 4, nullable_place = 8, is_nullable_place = 13;

MetadataColumn column_fields() {
  return {"+s",
          "item",
          {{"u", "column_name", {}, false},
           {"i", "ordinal_position"},
           {"u", "remarks"},
           {"s", "xdbc_data_type"},
           {"u", "xdbc_type_name"},
           {"i", "xdbc_column_size"},
           {"s", "xdbc_decimal_digits"},
           {"s", "xdbc_num_prec_radix"},
           {"s", "xdbc_nullable"},
           {"u", "xdbc_column_def"},
           {"s", "xdbc_sql_data_type"},
           {"s", "xdbc_datetime_sub"},
           {"i", "xdbc_char_octet_length"},
           {"u", "xdbc_is_nullable"},
           {"u", "xdbc_scope_catalog"},
           {"u", "xdbc_scope_schema"},
           {"u", "xdbc_scope_table"},
           {"b", "xdbc_is_autoincrement"},
           {"b", "xdbc_is_generatedcolumn"}}};
}

MetadataColumn constraint_fields() {
  MetadataColumn usage("+s", "item",
                       {{"u", "fk_catalog"},
                        {"u", "fk_db_schema"},
                        {"u", "fk_table", {}, false},
                        {"u", "fk_column_name", {}, false}});
  return {"+s",
          "item",
          {{"u", "constraint_name"},
           {"u", "constraint_type", {}, false},
           {"+l", "constraint_column_names", {{"u", "item"}}, false},
           {"+l", "constraint_column_usage", {std::move(usage)}}}};
}

MetadataColumn object_columns() {
  MetadataColumn table("+s", "item",
                       {{"u", "table_name", {}, false},
                        {"u", "table_type", {}, false},
                        {"+l", "table_columns", {column_fields()}},
                        {"+l", "table_constraints", {constraint_fields()}}});
  MetadataColumn schema("+s", "item",
                        {{"u", "db_schema_name"}, {"+l", "db_schema_tables", {std::move(table)}}});
  return {"+s", "", {{"u", "catalog_name"}, {"+l", "catalog_db_schemas", {std::move(schema)}}}};
}

class ObjectLister {
 public:
  ObjectLister(Session& session, const ObjectFilter& filter) : session_(session), filter_(filter) {}

  MetadataColumn list() {
    MetadataColumn rows = object_columns();
    if (!matches_pattern(only_catalog, filter_.catalog)) return rows;
    rows.child(0).add(only_catalog);
    MetadataColumn& schemas = rows.child(1);
    if (filter_.depth == catalogs_alone) {
      schemas.add_null();
    } else {
      if (matches_pattern(only_schema, filter_.schema)) add_schema(schemas.child(0));
      schemas.end_row();
    }
    rows.end_row();
    return rows;
  }

 private:
  void add_schema(MetadataColumn& schema) {
    schema.child(0).add(only_schema);
    MetadataColumn& tables = schema.child(1);
    if (filter_.depth == schemas_alone) {
      tables.add_null();
    } else {
      for (const SessionTable& table : session_.tables())
        if (matches_pattern(table.name, filter_.table) &&
            has_type(filter_, table.is_view ? "view" : "table"))
          add_table(tables.child(0), table);
      tables.end_row();
    }
    schema.end_row();
  }

  void add_table(MetadataColumn& row, const SessionTable& table) {
    row.child(0).add(table.name);
    row.child(1).add(table.is_view ? "view" : "table");
    MetadataColumn &columns = row.child(2), &constraints = row.child(3);
    if (filter_.depth == tables_alone) {
      columns.add_null();
      constraints.add_null();
    } else {
      add_columns(columns, table.name);
      constraints.end_row();
    }
    row.end_row();
  }

  // A view may name a file that is no longer there; its columns are then not known.
  void add_columns(MetadataColumn& columns, const std::string& table) {
    const Result<Schema> schema = session_.schema_of("SELECT * FROM " + sql::in_quotes(table, '"'));
    if (!schema.ok()) return columns.add_null();
    for (std::size_t i = 0; i < schema->size(); i++)
      if (matches_pattern((*schema)[i].name, filter_.column))
        add_column(columns.child(0), (*schema)[i], static_cast<std::int64_t>(i + 1));
    columns.end_row();
  }

  static void add_column(MetadataColumn& row, const Field& field, std::int64_t place) {
    row.child(0).add(field.name);
    row.child(1).add_integer(place);
    for (std::size_t i = 2; i <= 18; i++) {
      if (i == type_name_place)
        row.child(i).add(name_of(field.type));
      else if (i == nullable_place)
        row.child(i).add_integer(field.nullable ? 1 : 0);
      else if (i == is_nullable_place)
        row.child(i).add(field.nullable ? "YES" : "NO");
      else
        row.child(i).add_null();
    }
    row.end_row();
  }

  Session& session_;
  const ObjectFilter& filter_;
};

}  // namespace

AdbcStatusCode connection_get_objects(AdbcConnection* connection, int depth, const char* catalog,
                                      const char* db_schema, const char* table_name,
                                      const char** table_types, const char* column_name,
                                      ArrowArrayStream* out, AdbcError* error) {
  return with_session(connection, error, [&](Session& session) -> Outcome {
    if (depth < all_depths || depth > tables_alone)
      return Outcome(status_invalid_argument, "the depth is 0 to 3, not " + std::to_string(depth));
    const ObjectFilter filter{depth, catalog, db_schema, table_name, column_name, table_types};
    return export_metadata(ObjectLister(session, filter).list(), out);
  });
}

}  // namespace penstock::adbc
