#include "session/statements/catalog.hpp"

#include <algorithm>
#include <variant>

#include "base/ascii.hpp"
#include "column/nested/nested_column.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock::session {
namespace {

// DuckDB's names of a database in memory, and of its schema.
constexpr const char *catalog_name = "memory", *schema_name = "main";

using Value = std::variant<std::monostate, std::string, std::int64_t, bool>;
enum class Of : unsigned char { text, integer, long_integer, truth };

// A column of a table about rows of a kind; without `value` it is NULL in each.
template <class Row> struct CatalogColumn {
  const char* name;
  Of type = Of::text;
  Value (*value)(const Row&) = nullptr;
};

template <class T, class Row>
std::vector<std::optional<T>> values_of(const CatalogColumn<Row>& column,
                                        const std::vector<Row>& rows) {
  std::vector<std::optional<T>> values;
  for (const Row& row : rows) {
    const Value value = column.value == nullptr ? Value() : column.value(row);
    if (std::holds_alternative<std::monostate>(value))
      values.emplace_back();
    else if constexpr (std::is_same_v<T, std::string>)
      values.emplace_back(std::get<std::string>(value));
    else
      values.emplace_back(static_cast<T>(std::get<std::int64_t>(value)));
  }
  return values;
}

template <class Row>
Column column_of(const CatalogColumn<Row>& column, const std::vector<Row>& rows) {
  switch (column.type) {
    case Of::text: return Column::from_strings(values_of<std::string>(column, rows));
    case Of::integer: return Column::from(values_of<std::int32_t>(column, rows));
    case Of::long_integer: return Column::from(values_of<std::int64_t>(column, rows));
    case Of::truth: break;
  }
  std::vector<bool> truths;
  std::vector<std::uint8_t> bits((rows.size() + 7) / 8);
  for (std::size_t i = 0; i < rows.size(); i++) {
    const Value value = column.value == nullptr ? Value() : column.value(rows[i]);
    const bool* const truth = std::get_if<bool>(&value);
    truths.push_back(truth != nullptr && *truth);
    if (truth != nullptr) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << (i % 8));
  }
  Column made = Column::from_booleans(truths);
  made.validity = Bytes::own(std::move(bits));
  return made;
}

template <class Row, std::size_t n>
Table table_of(const CatalogColumn<Row> (&columns)[n], const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, Column>> made;
  for (const CatalogColumn<Row>& column : columns)
    made.emplace_back(column.name, column_of(column, rows));
  return Table::of(std::move(made));
}

struct SchemaRow {};
constexpr CatalogColumn<SchemaRow> schemata[] = {
    {"catalog_name", Of::text, [](const SchemaRow&) { return Value(catalog_name); }},
    {"schema_name", Of::text, [](const SchemaRow&) { return Value(schema_name); }},
    {"schema_owner", Of::text, [](const SchemaRow&) { return Value("penstock"); }},
    {"default_character_set_catalog"},
    {"default_character_set_schema"},
    {"default_character_set_name"},
    {"sql_path"}};

Value text(std::string value) { return Value(std::move(value)); }

constexpr CatalogColumn<SessionTable> tables[] = {
    {"table_catalog", Of::text, [](const SessionTable&) { return text(catalog_name); }},
    {"table_schema", Of::text, [](const SessionTable&) { return text(schema_name); }},
    {"table_name", Of::text, [](const SessionTable& table) { return text(table.name); }},
    {"table_type", Of::text,
     [](const SessionTable& table) { return text(table.is_view ? "VIEW" : "BASE TABLE"); }},
    {"self_referencing_column_name"},
    {"reference_generation"},
    {"user_defined_type_catalog"},
    {"user_defined_type_schema"},
    {"user_defined_type_name"},
    {"is_insertable_into", Of::text,
     [](const SessionTable& table) { return text(table.is_view ? "NO" : "YES"); }},
    {"is_typed", Of::text, [](const SessionTable&) { return text("NO"); }},
    {"commit_action"},
    {"TABLE_COMMENT"}};

struct ColumnRow {
  std::string table;
  std::int64_t place = 0;  // from 1
  Field field;
};

std::string type_name(const Field& field) {
  return field.unsupported.empty() ? name_of(field.type) : field.unsupported;
}

// Returns the digits of a number's type, or nothing: of base 10 for decimals, else of base 2.
std::optional<std::int64_t> digits_of(const Field& field) {
  if (!field.unsupported.empty() || field.type.logical != LogicalType::none) return std::nullopt;
  switch (field.type.kind) {
    case Kind::float32: return 24;
    case Kind::float64: return 53;
    case Kind::decimal: return field.type.precision;
    case Kind::int8:
    case Kind::int16:
    case Kind::int32:
    case Kind::int64:
    case Kind::int128: return 8 * width_bytes(field.type);
    default: return std::nullopt;
  }
}

Value if_number(const ColumnRow& row, std::int64_t value) {
  return digits_of(row.field) ? Value(value) : Value();
}

constexpr CatalogColumn<ColumnRow> columns[] = {
    {"table_catalog", Of::text, [](const ColumnRow&) { return text(catalog_name); }},
    {"table_schema", Of::text, [](const ColumnRow&) { return text(schema_name); }},
    {"table_name", Of::text, [](const ColumnRow& row) { return text(row.table); }},
    {"column_name", Of::text, [](const ColumnRow& row) { return text(row.field.name); }},
    {"ordinal_position", Of::integer, [](const ColumnRow& row) { return Value(row.place); }},
    {"column_default"},
    {"is_nullable", Of::text, [](const ColumnRow&) { return text("YES"); }},
    {"data_type", Of::text, [](const ColumnRow& row) { return text(type_name(row.field)); }},
    {"character_maximum_length", Of::integer},
    {"character_octet_length", Of::integer},
    {"numeric_precision", Of::integer,
     [](const ColumnRow& row) { return if_number(row, digits_of(row.field).value_or(0)); }},
    {"numeric_precision_radix", Of::integer,
     [](const ColumnRow& row) {
       return if_number(row, row.field.type.kind == Kind::decimal ? 10 : 2);
     }},
    {"numeric_scale", Of::integer,
     [](const ColumnRow& row) { return if_number(row, row.field.type.scale); }},
    {"datetime_precision", Of::integer},
    {"interval_type"},
    {"interval_precision", Of::integer},
    {"character_set_catalog"},
    {"character_set_schema"},
    {"character_set_name"},
    {"collation_catalog"},
    {"collation_schema"},
    {"collation_name"},
    {"domain_catalog"},
    {"domain_schema"},
    {"domain_name"},
    {"udt_catalog"},
    {"udt_schema"},
    {"udt_name"},
    {"scope_catalog"},
    {"scope_schema"},
    {"scope_name"},
    {"maximum_cardinality", Of::long_integer},
    {"dtd_identifier"},
    {"is_self_referencing", Of::truth},
    {"is_identity", Of::truth},
    {"identity_generation"},
    {"identity_start"},
    {"identity_increment"},
    {"identity_maximum"},
    {"identity_minimum"},
    {"identity_cycle", Of::truth},
    {"is_generated", Of::text, [](const ColumnRow&) { return text("NEVER"); }},
    {"generation_expression"},
    {"is_updatable", Of::truth},
    {"COLUMN_COMMENT"}};

constexpr CatalogColumn<ColumnRow> info[] = {
    {"cid", Of::integer, [](const ColumnRow& row) { return Value(row.place - 1); }},
    {"name", Of::text, [](const ColumnRow& row) { return text(row.field.name); }},
    {"type", Of::text, [](const ColumnRow& row) { return text(type_name(row.field)); }},
    {"notnull", Of::truth, [](const ColumnRow&) { return Value(false); }},
    {"dflt_value"},
    {"pk", Of::truth, [](const ColumnRow&) { return Value(false); }}};

// Returns the columns of a table or a view; a view may have lost its file.
Result<std::vector<ColumnRow>> columns_of(Session& session, const std::string& table) {
  PENSTOCK_ASSIGN(const Schema schema,
                  session.schema_of("SELECT * FROM " + sql::in_quotes(table, '"')));
  std::vector<ColumnRow> rows;
  for (const Field& field : schema)
    rows.push_back({table, static_cast<std::int64_t>(rows.size() + 1), field});
  return rows;
}

std::vector<ColumnRow> all_columns(Session& session) {
  std::vector<ColumnRow> all;
  for (const SessionTable& table : session.tables()) {
    const auto found = columns_of(session, table.name);
    if (found.ok()) all.insert(all.end(), found->begin(), found->end());
  }
  return all;
}

// A list of strings for each table: what `text_in` returns of its columns.
Column lists_of(const std::vector<std::vector<ColumnRow>>& rows,
                std::string (*text_in)(const Field&)) {
  std::vector<std::string> texts;
  column::NestedColumn lists;
  lists.type = list_of({Kind::string});
  lists.row_count = rows.size();
  lists.offsets.push_back(0);
  for (const auto& columns_of_table : rows) {
    for (const ColumnRow& row : columns_of_table) texts.push_back(text_in(row.field));
    lists.offsets.push_back(static_cast<std::int64_t>(texts.size()));
  }
  column::NestedColumn elements;
  elements.type = {Kind::string};
  elements.row_count = texts.size();
  elements.leaf = Column::from_strings(texts);
  lists.children.push_back(std::move(elements));
  return column::pack(lists);
}

}  // namespace

Result<std::shared_ptr<TableSource>> information_table(Session& session,
                                                       const TableReference& table) {
  if (table.paths.size() != 1 || !table.format.empty()) return std::shared_ptr<TableSource>();
  const std::string name = lower(table.paths[0]);
  if (name == "information_schema.tables") return table_source(table_of(tables, session.tables()));
  if (name == "information_schema.columns") {
    // A view has the columns of its statement, which may read this table.
    static thread_local bool is_listing = false;
    if (is_listing)
      return Status(Code::invalid, "information_schema.columns reads itself through a view");
    is_listing = true;
    const std::unique_ptr<bool, void (*)(bool*)> ends(&is_listing,
                                                      [](bool* flag) { *flag = false; });
    return table_source(table_of(columns, all_columns(session)));
  }
  if (name == "information_schema.schemata")
    return table_source(table_of(schemata, std::vector<SchemaRow>(1)));
  return std::shared_ptr<TableSource>();
}

Table tables_shown(Session& session) {
  std::vector<std::string> names;
  for (const SessionTable& table : session.tables()) names.push_back(table.name);
  return Table::of({{"name", Column::from_strings(names)}});
}

Result<Table> all_tables_shown(Session& session) {
  std::vector<std::string> names;
  std::vector<std::vector<ColumnRow>> rows;
  for (const SessionTable& table : session.tables()) {
    names.push_back(table.name);
    const auto found = columns_of(session, table.name);
    rows.push_back(found.ok() ? *found : std::vector<ColumnRow>());
  }
  const std::size_t count = names.size();
  return Table::of(
      {{"database", Column::from_strings(std::vector<std::string>(count, catalog_name))},
       {"schema", Column::from_strings(std::vector<std::string>(count, schema_name))},
       {"name", Column::from_strings(names)},
       {"column_names", lists_of(rows, [](const Field& field) { return field.name; })},
       {"column_types", lists_of(rows, type_name)},
       {"temporary", Column::from_booleans(std::vector<bool>(count, false))}});
}

Result<Table> table_info(Session& session, const std::string& name) {
  PENSTOCK_ASSIGN(const auto rows, columns_of(session, name));
  return table_of(info, rows);
}

Table one_text(const std::string& column, const std::string& value) {
  return Table::of({{column, Column::from_strings(std::vector<std::string>{value})}});
}

}  // namespace penstock::session
