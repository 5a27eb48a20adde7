#include "sql/bind/scope.hpp"

#include <algorithm>

#include "sql/parse/source_position.hpp"

namespace penstock::sql {
namespace {

Result<std::shared_ptr<TableSource>> open_source(const Lexed& lexed, const FromTable& from,
                                                 const TableOpener& open) {
  Result<std::shared_ptr<TableSource>> table = open(from.table);
  if (table.ok()) return table;
  const Status failure = table.status();
  std::string message = failure.message();
  const bool is_missing = failure.code() == Code::io || failure.code() == Code::invalid;
  if (!from.quoted && is_missing && message.find("; did you mean") == message.npos)
    message += "; if a file is meant, write FROM '" + from.name + ".parquet'";
  Status status = error_at(lexed.statement, from.offset, failure.code(), std::move(message));
  for (const std::string& context : failure.context())
    status = status.with(context);  // which file it was
  return status;
}

// Returns the column of an earlier table that USING's name refers to.
std::optional<std::uint32_t> column_before(const Scope& scope, std::size_t table,
                                           const FromTable& from, const std::string& name) {
  for (std::size_t i = from.join_first; i < table; i++) {
    const ScopeTable& before = scope.tables[i];
    const Schema columns(scope.schema.begin() + before.first,
                         scope.schema.begin() + before.first + before.count);
    if (const auto found = find_field(columns, name)) return before.first + *found;
  }
  return std::nullopt;
}

Status merge_columns(const Lexed& lexed, const FromTable& from, Scope& scope) {
  const std::size_t last = scope.tables.size() - 1;
  ScopeTable& table = scope.tables[last];
  const Schema columns(scope.schema.begin() + table.first, scope.schema.end());
  const auto wrong = [&](const std::string& message) {
    return error_at(lexed.statement, from.offset, Code::invalid, message);
  };
  for (const std::string& name : from.using_columns) {
    const auto found = find_field(columns, name);
    if (!found || !column_before(scope, last, from, name))
      return wrong("column \"" + name + "\" does not exist on " +
                   (found ? "left side of join" : "right side of join") + " (\"" + table.shown() +
                   "\")");
    table.merged.push_back(table.first + *found);
  }
  for (std::uint32_t i = 0; from.is_natural && i < columns.size(); i++)
    if (column_before(scope, last, from, columns[i].name)) table.merged.push_back(table.first + i);
  if (from.is_natural && table.merged.empty())
    return wrong("no columns found to join on in NATURAL JOIN");
  return {};
}

// An outer join leaves NULLs in the columns of a side that may lack a row.
void set_nullable(const Select& select, Scope& scope) {
  const auto set = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; i++)
      for (std::uint32_t k = 0; k < scope.tables[i].count; k++)
        scope.schema[scope.tables[i].first + k].nullable = true;
  };
  for (std::size_t i = 0; i < select.from.size(); i++) {
    const FromTable& from = select.from[i];
    const bool is_full = from.form == JoinForm::full;
    if (is_full || from.form == JoinForm::left) set(i, from.join_last + 1);
    if (is_full || from.form == JoinForm::right) set(from.join_first, i);
  }
}

}  // namespace

std::string stem(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  std::string_view file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return std::string(file.substr(0, file.find('.', 1)));
}

std::string ScopeTable::shown() const { return alias.empty() ? stem(name) : alias; }

bool ScopeTable::is_called(std::string_view qualifier) const {
  const std::string asked = lower(qualifier);
  return alias.empty() ? asked == lower(name) || asked == lower(stem(name)) : asked == lower(alias);
}

std::size_t Scope::table_of(std::uint32_t column) const {
  for (std::size_t i = 0; i < tables.size(); i++)
    if (tables[i].holds(column)) return i;
  return 0;
}

bool Scope::is_merged(std::uint32_t column) const {
  const std::vector<std::uint32_t>& merged = tables[table_of(column)].merged;
  return std::find(merged.begin(), merged.end(), column) != merged.end();
}

namespace {

// Returns the relation of a table, and its columns by their names in a scope.
struct OpenedTable {
  RelationId rows = 0;
  Schema schema;
};

Result<OpenedTable> open_table(BindContext& context, const FromTable& from,
                               const Surroundings& around) {
  OpenedTable opened;
  const std::string shown = from.alias.empty() ? from.name : from.alias;
  const CommonTables::Table* common =
      around.tables == nullptr || from.subquery || !from.table.format.empty()
          ? nullptr
          : around.tables->find(lower(from.name));
  // ORDER BY behind a set operation reads a table without a name.
  const bool is_derived = from.subquery && !from.alias.empty() && from.subquery->values.empty();
  context.prefers_duckdb |= is_derived || common != nullptr;
  if (from.subquery) {
    PENSTOCK_ASSIGN(opened.rows, bind_select(context, *from.subquery, around));
  } else if (common != nullptr) {
    if (common->is_circular)
      return error_at(context.lexed.statement, from.offset, Code::invalid,
                      "circular reference to \"" + from.name +
                          "\": the right side of its UNION alone may read it, and neither ORDER BY "
                          "nor LIMIT stand behind that UNION");
    if (!common->rows) return Problems::known();
    opened.rows = *common->rows;
  } else {
    PENSTOCK_ASSIGN(const auto source, open_source(context.lexed, from, context.open));
    if (!source)
      return error_at(context.lexed.statement, from.offset, Code::invalid,
                      "table with name " + from.name + " does not exist");
    opened.rows = context.relations.scan(source);
  }
  opened.schema = context.schema(opened.rows);
  const bool has_own_names = from.subquery || common != nullptr;
  Status named =
      common == nullptr ? Status() : rename_columns(common->columns, shown, opened.schema);
  if (named.ok() && (has_own_names || !from.columns.empty()))
    named = rename_columns(from.columns, shown, opened.schema);
  if (named.ok()) return opened;
  return error_at(context.lexed.statement, from.offset, named.code(), named.message());
}

}  // namespace

Result<Scope> open_scope(BindContext& context, const Select& select, const Surroundings& around) {
  Scope scope;
  for (const FromTable& from : select.from) {
    ScopeTable table{
        from.name, from.alias, scope.table_columns(), 0, 0, from.form == JoinForm::left, {}};
    const auto same = [&](const ScopeTable& other) { return other.is_called(table.shown()); };
    if (std::any_of(scope.tables.begin(), scope.tables.end(), same))
      return error_at(context.lexed.statement, from.offset, Code::invalid,
                      "duplicate alias \"" + table.shown() + "\" in query; give one an alias");
    PENSTOCK_ASSIGN(const OpenedTable opened, open_table(context, from, around));
    table.rows = opened.rows;
    scope.schema.insert(scope.schema.end(), opened.schema.begin(), opened.schema.end());
    table.count = static_cast<std::uint32_t>(scope.schema.size()) - table.first;
    scope.tables.push_back(std::move(table));
    PENSTOCK_TRY(merge_columns(context.lexed, from, scope));
  }
  set_nullable(select, scope);
  return scope;
}

Status rename_columns(const std::vector<std::string>& names, const std::string& table,
                      Schema& schema) {
  if (names.size() > schema.size())
    return Status(Code::invalid, "table \"" + table + "\" has " + std::to_string(schema.size()) +
                                     (schema.size() == 1 ? " column, and " : " columns, and ") +
                                     std::to_string(names.size()) + " names are given");
  for (std::size_t i = 0; i < names.size(); i++) schema[i].name = names[i];
  std::set<std::string> seen;
  std::map<std::string, std::size_t> repeated;
  for (Field& field : schema) {
    const std::string name = field.name;
    while (!seen.insert(lower(field.name)).second)
      field.name = name + "_" + std::to_string(++repeated[lower(name)]);
  }
  return {};
}

std::shared_ptr<TableSource> one_row_source() {
  return table_source(Table::of({{"", Column::from(std::vector<std::int8_t>{0})}}), "one row");
}

}  // namespace penstock::sql
