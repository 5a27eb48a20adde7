#include "session/statements/change_rows.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "column/grown_source.hpp"
#include "column/held_batches.hpp"
#include "session/statements/answer_statement.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/statement/error_kind.hpp"

namespace penstock::session {
namespace {

using Source = std::shared_ptr<TableSource>;

Result<Source> table_named(const SessionNames& names, const std::string& name) {
  const auto meaning = names.find(name);
  if (!meaning) return Status(Code::invalid, std::string(sql::no_table) + '"' + name + '"');
  if (!meaning->table)
    return Status(Code::invalid, "\"" + name + "\" is a view; a table's rows can be changed");
  return meaning->table;
}

bool have_same_columns(const Schema& a, const Schema& b) {
  return std::ranges::equal(a, b, [](const Field& one, const Field& other) {
    return one.name == other.name && one.type == other.type;
  });
}

Result<std::uint32_t> place_of(const Schema& schema, const std::string& column,
                               const std::string& table) {
  const auto found = find_field(schema, column);
  if (found) return *found;
  return Status(Code::invalid, "the table \"" + table + "\" has no column \"" + column + "\"");
}

// NULL alone is INTEGER, which many types are not cast from.
bool has_value(const Column& column) {
  for (std::uint64_t row = 0; row < column.row_count; row++)
    if (column.is_valid(row)) return true;
  return false;
}

std::string quoted(const std::string& name) { return sql::in_quotes(name, '"'); }

QueryResult counted(std::uint64_t rows) {
  QueryResult result =
      result_of(Table::of({{"Count", Column::from(std::vector{static_cast<std::int64_t>(rows)})}}));
  result.report.rows_out = rows;
  return result;
}

class RowChange {
 public:
  RowChange(Session& session, SessionNames& names, const sql::Command& command,
            const SessionStatement& asked, const RunOptions& options)
      : session_(session), names_(names), command_(command), asked_(asked), options_(options) {
    asked_.parameters = nullptr;  // their values are in the command's texts
    options_.results_on_device = false;
  }

  Result<QueryResult> insert() {
    PENSTOCK_ASSIGN(const Source table, table_named(names_, command_.name));
    PENSTOCK_ASSIGN(Table rows, rows_of(command_.query));
    PENSTOCK_ASSIGN(const auto places, places_in(rows, table->schema()));
    PENSTOCK_ASSIGN(rows, cast(std::move(rows), places, table->schema()));
    const std::uint64_t count = rows.row_count;
    PENSTOCK_TRY(append_rows(names_, command_.name, *table_source(std::move(rows))));
    return counted(count);
  }

  Result<QueryResult> remove() {
    return replace([&](const Schema&) -> Result<std::string> {
      const bool is_all = command_.condition.empty();
      return "SELECT *" + from() +
             (is_all ? " LIMIT 0" : " WHERE (" + command_.condition + ") IS NOT TRUE");
    });
  }

  Result<QueryResult> update() {
    return replace([&](const Schema& schema) { return updated(schema); });
  }

 private:
  Result<Table> rows_of(const std::string& text) {
    SessionStatement statement = asked_;
    statement.text = text;
    PENSTOCK_ASSIGN(QueryResult result, session_.sql(statement, options_));
    return std::move(result.table);
  }

  std::string from() const {
    return " FROM " + quoted(command_.name) +
           (command_.alias.empty() ? "" : " AS " + quoted(command_.alias));
  }

  // Returns which column of the rows each column of the table gets; nothing for NULL.
  Result<std::vector<std::optional<std::size_t>>> places_in(const Table& rows,
                                                            const Schema& schema) const {
    std::vector<std::string> targets = command_.columns;
    if (command_.is_by_name) targets = rows.names;
    if (targets.empty())
      for (const Field& field : schema) targets.push_back(field.name);
    if (targets.size() != rows.columns.size())
      return Status(Code::invalid, "INSERT names " + std::to_string(targets.size()) +
                                       " columns, and its rows have " +
                                       std::to_string(rows.columns.size()));
    std::vector<std::optional<std::size_t>> places(schema.size());
    for (std::size_t i = 0; i < targets.size(); i++) {
      PENSTOCK_ASSIGN(const std::uint32_t place, place_of(schema, targets[i], command_.name));
      if (places[place]) return Status(Code::invalid, "INSERT names \"" + targets[i] + "\" twice");
      places[place] = i;
    }
    return places;
  }

  // Casts the columns to the table's types, as an assignment does.
  Result<Table> cast(Table rows, const std::vector<std::optional<std::size_t>>& places,
                     const Schema& schema) {
    std::string text;
    const Schema given = rows.schema();
    bool is_same = places.size() == given.size();
    for (std::size_t i = 0; i < places.size(); i++) {
      const bool has_values = places[i] && has_value(rows.columns[*places[i]]);
      const std::string value = has_values ? "c" + std::to_string(*places[i]) : "NULL";
      const bool is_alike = places[i] && given[*places[i]].type == schema[i].type;
      is_same &= is_alike && *places[i] == i;
      text += (i == 0 ? "SELECT " : ", ") +
              (is_alike && has_values ? value
                                      : "CAST(" + value + " AS " + name_of(schema[i].type) + ")") +
              " AS " + quoted(schema[i].name);
    }
    for (std::size_t i = 0; i < rows.names.size(); i++)
      rows.names[i] = is_same ? schema[i].name : "c" + std::to_string(i);
    if (is_same) return rows;
    text += " FROM inserted";
    SessionStatement statement;
    statement.text = text;
    statement.tables["inserted"] = table_source(std::move(rows));
    auto result = session_.sql(statement, options_);
    PENSTOCK_TRY(result.with("while inserting into \"" + command_.name + "\""));
    return std::move(result->table);
  }

  // Returns UPDATE's expressions by the place of their columns.
  Result<std::map<std::uint32_t, std::string>> values_in(const Schema& schema) const {
    std::map<std::uint32_t, std::string> values;
    for (std::size_t i = 0; i < command_.columns.size(); i++) {
      PENSTOCK_ASSIGN(const std::uint32_t place,
                      place_of(schema, command_.columns[i], command_.name));
      if (!values.emplace(place, command_.values[i]).second)
        return Status(Code::invalid, "SET names \"" + command_.columns[i] + "\" twice");
    }
    return values;
  }

  Result<std::string> updated(const Schema& schema) const {
    PENSTOCK_ASSIGN(const auto values, values_in(schema));
    std::string text;
    for (std::uint32_t i = 0; i < schema.size(); i++) {
      const std::string column = quoted(schema[i].name), type = name_of(schema[i].type);
      const auto value = values.find(i);
      std::string item = column;
      if (value != values.end()) item = "CAST((" + value->second + ") AS " + type + ")";
      if (value != values.end() && !command_.condition.empty())
        item = "CASE WHEN (" + command_.condition + ") THEN " + item + " ELSE " + column + " END";
      text += (i == 0 ? "SELECT " : ", ") + item + " AS " + column;
    }
    return text + from();
  }

  // Puts the rows of a SELECT in the place of a table's; again, if the table changed meanwhile.
  template <class Text> Result<QueryResult> replace(Text text) {
    for (;;) {
      PENSTOCK_ASSIGN(const Source table, table_named(names_, command_.name));
      asked_.tables[command_.name] = table;
      PENSTOCK_ASSIGN(const std::string select, text(table->schema()));
      PENSTOCK_ASSIGN(Table rows, rows_of(select));
      PENSTOCK_ASSIGN(const std::uint64_t count, count_of_changed(*table, rows.row_count));
      if (names_.replace_rows(command_.name, table, table_source(std::move(rows), command_.name)))
        return counted(count);
    }
  }

  Result<std::uint64_t> count_of_changed(const TableSource& table, std::uint64_t left) {
    const bool is_update = command_.kind == sql::CommandKind::update;
    if (is_update && command_.condition.empty()) return left;
    if (!is_update && table.row_count()) return *table.row_count() - left;
    const std::string where = command_.condition.empty() ? "" : " WHERE " + command_.condition;
    PENSTOCK_ASSIGN(const Table rows, rows_of("SELECT count(*)" + from() + where));
    return static_cast<std::uint64_t>(rows.columns[0].values.as<std::int64_t>()[0]);
  }

  Session& session_;
  SessionNames& names_;
  const sql::Command& command_;
  SessionStatement asked_;
  RunOptions options_;
};

}  // namespace

Status append_rows(SessionNames& names, const std::string& name, const TableSource& rows) {
  PENSTOCK_ASSIGN(const Source held, column::hold_batches(rows));
  for (;;) {
    PENSTOCK_ASSIGN(const Source table, table_named(names, name));
    if (!have_same_columns(table->schema(), held->schema()))
      return Status(Code::invalid, "the table \"" + name + "\" has other columns than the rows");
    PENSTOCK_ASSIGN(Source grown, column::grow(table, held));
    if (names.replace_rows(name, table, std::move(grown))) return {};
  }
}

Result<QueryResult> change_rows(Session& session, SessionNames& names, const sql::Command& command,
                                const SessionStatement& asked, const RunOptions& options) {
  RowChange change(session, names, command, asked, options);
  switch (command.kind) {
    case sql::CommandKind::insert: return change.insert();
    case sql::CommandKind::remove: return change.remove();
    default: return change.update();
  }
}

}  // namespace penstock::session
