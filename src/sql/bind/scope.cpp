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
  if (!from.quoted) message += "; if a file is meant, write FROM '" + from.name + ".parquet'";
  Status status = error_at(lexed.statement, from.offset, failure.code(), std::move(message));
  for (const std::string& context : failure.context())
    status = status.with(context);  // which file it was
  return status;
}

// Returns the column of an earlier table that USING's name refers to.
std::optional<std::uint32_t> column_before(const Scope& scope, const ScopeTable& table,
                                           const std::string& name) {
  for (const ScopeTable& before : scope.tables) {
    if (before.first >= table.first) break;
    const Schema columns(scope.schema.begin() + before.first,
                         scope.schema.begin() + before.first + before.count);
    if (const auto found = find_field(columns, name)) return before.first + *found;
  }
  return std::nullopt;
}

Status merge_columns(const Lexed& lexed, const FromTable& from, Scope& scope) {
  ScopeTable& table = scope.tables.back();
  const Schema columns(scope.schema.begin() + table.first, scope.schema.end());
  for (const std::string& name : from.using_columns) {
    const auto found = find_field(columns, name);
    if (!found || !column_before(scope, table, name))
      return error_at(lexed.statement, from.offset, Code::invalid,
                      "column \"" + name + "\" does not exist on " +
                          (found ? "left side of join" : "right side of join") + " (\"" +
                          table.shown() + "\")");
    table.merged.push_back(table.first + *found);
  }
  return {};
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

Result<Scope> open_scope(const Lexed& lexed, const Select& select, const TableOpener& open) {
  Scope scope;
  for (const FromTable& from : select.from) {
    ScopeTable table{from.name, from.alias, static_cast<std::uint32_t>(scope.schema.size()),
                     0,         nullptr,    from.is_left,
                     {}};
    const auto same = [&](const ScopeTable& other) { return other.is_called(table.shown()); };
    if (std::any_of(scope.tables.begin(), scope.tables.end(), same))
      return error_at(lexed.statement, from.offset, Code::invalid,
                      "duplicate alias \"" + table.shown() + "\" in query; give one an alias");
    PENSTOCK_ASSIGN(table.source, open_source(lexed, from, open));
    if (!table.source)
      return error_at(lexed.statement, from.offset, Code::invalid,
                      "table with name " + from.name + " does not exist");
    for (Field field : table.source->schema()) {
      field.nullable |= from.is_left;
      scope.schema.push_back(std::move(field));
    }
    table.count = static_cast<std::uint32_t>(scope.schema.size()) - table.first;
    scope.tables.push_back(std::move(table));
    PENSTOCK_TRY(merge_columns(lexed, from, scope));
  }
  return scope;
}

std::shared_ptr<TableSource> one_row_source() {
  return table_source(Table::of({{"", Column::from(std::vector<std::int8_t>{0})}}), "one row");
}

}  // namespace penstock::sql
