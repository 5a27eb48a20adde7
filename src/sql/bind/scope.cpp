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
  context.reads_nested |= is_derived || common != nullptr;
  if (from.subquery) {
    PENSTOCK_ASSIGN(opened.rows, bind_select(context, *from.subquery, around));
  } else if (common != nullptr) {
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
    ScopeTable table{from.name, from.alias, scope.table_columns(), 0, 0, from.is_left, {}};
    const auto same = [&](const ScopeTable& other) { return other.is_called(table.shown()); };
    if (std::any_of(scope.tables.begin(), scope.tables.end(), same))
      return error_at(context.lexed.statement, from.offset, Code::invalid,
                      "duplicate alias \"" + table.shown() + "\" in query; give one an alias");
    PENSTOCK_ASSIGN(const OpenedTable opened, open_table(context, from, around));
    table.rows = opened.rows;
    for (Field field : opened.schema) {
      field.nullable |= from.is_left;
      scope.schema.push_back(std::move(field));
    }
    table.count = static_cast<std::uint32_t>(scope.schema.size()) - table.first;
    scope.tables.push_back(std::move(table));
    PENSTOCK_TRY(merge_columns(context.lexed, from, scope));
  }
  return scope;
}

Status rename_columns(const std::vector<std::string>& names, const std::string& table,
                      Schema& schema) {
  if (names.size() > schema.size())
    return Status(Code::invalid, "table \"" + table + "\" has " + std::to_string(schema.size()) +
                                     " columns available but " + std::to_string(names.size()) +
                                     " columns specified");
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

namespace {

void find_values(const Syntax& syntax, std::vector<const Syntax*>& found) {
  if (syntax.kind == SyntaxKind::value_of) found.push_back(&syntax);
  for (const SyntaxPtr& input : syntax.inputs) find_values(*input, found);
  if (syntax.filter) find_values(*syntax.filter, found);
  if (!syntax.over) return;
  for (const SyntaxPtr& key : syntax.over->partition) find_values(*key, found);
  for (const OrderItem& item : syntax.over->order) find_values(*item.value, found);
}

std::vector<const Syntax*> values_of(const Select& select) {
  std::vector<SyntaxPtr> expressions = {select.where, select.having};
  for (const FromTable& table : select.from) expressions.push_back(table.on);
  for (const SelectItem& item : select.items) expressions.push_back(item.value);
  for (const auto& [item, changes] : select.star_changes)
    for (const SelectItem& replaced : changes.replaced) expressions.push_back(replaced.value);
  expressions.insert(expressions.end(), select.group_by.begin(), select.group_by.end());
  for (const OrderItem& item : select.order_by) expressions.push_back(item.value);
  std::vector<const Syntax*> found;
  for (const SyntaxPtr& expression : expressions)
    if (expression) find_values(*expression, found);
  return found;
}

Result<RelationId> bind_value(BindContext& context, const Syntax& syntax,
                              const Surroundings& around) {
  PENSTOCK_ASSIGN(const RelationId rows, bind_select(context, *syntax.subquery, around));
  const std::size_t count = context.schema(rows).size();
  if (count == 1) return rows;
  return error_at(
      context.lexed.statement, syntax.offset, Code::invalid,
      "a subquery that stands for a value has one column, not " + std::to_string(count));
}

}  // namespace

Status bind_values(BindContext& context, const Select& select, const CommonTables* tables,
                   const Names& names, Scope& scope) {
  for (const Syntax* syntax : values_of(select)) {
    if (scope.values.contains(syntax->subquery.get())) continue;
    if (scope.values.size() == max_values)
      return error_at(context.lexed.statement, syntax->offset, Code::capacity,
                      "more than " + std::to_string(max_values) + " subqueries as values");
    Scope::Value value;
    value.column = static_cast<std::uint32_t>(scope.schema.size());
    const Result<RelationId> rows = bind_value(context, *syntax, {tables, &names});
    context.problems.pass(rows.status());
    if (rows.ok()) {
      value.rows = *rows;
      scope.schema.push_back({"", context.schema(*rows)[0].type, true});
    }
    scope.values.emplace(syntax->subquery.get(), value);
  }
  return {};
}

std::shared_ptr<TableSource> one_row_source() {
  return table_source(Table::of({{"", Column::from(std::vector<std::int8_t>{0})}}), "one row");
}

}  // namespace penstock::sql
