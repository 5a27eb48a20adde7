#include "sql/parse/definition.hpp"

#include <algorithm>

#include "sql/parse/session_command.hpp"
#include "sql/parse/statement_reader.hpp"

namespace penstock::sql {
namespace {

class DefinitionReader {
 public:
  explicit DefinitionReader(std::string_view statement) : reader_(statement) {}

  Result<std::optional<Definition>> read() {
    definition_.text = reader_.statement();
    verb_ = reader_.next_upper();
    if (verb_ == "CREATE" || verb_ == "DROP") PENSTOCK_TRY(reader_.check_closed());
    if (reader_.take("create")) {
      PENSTOCK_TRY(read_create());
    } else if (reader_.take("drop")) {
      PENSTOCK_TRY(read_drop());
    } else {
      return std::optional<Definition>();
    }
    return std::optional(std::move(definition_));
  }

 private:
  Status other_kind() const {
    const std::string kind = reader_.next_upper();
    return reader_.refuse(
        (kind.empty() ? std::string() : verb_ + " " + kind + " is not supported; ") +
        "a session has views, tables and macros: " + "VIEW, TABLE or MACRO is expected");
  }

  Status read_kind() {
    if (reader_.take("view"))
      definition_.kind = DefinitionKind::view;
    else if (reader_.take("table"))
      definition_.kind = DefinitionKind::table;
    else if (reader_.take("macro") || reader_.take("function"))
      definition_.kind = DefinitionKind::macro;
    else
      return other_kind();
    return {};
  }

  Status read_create() {
    if (reader_.take("or")) {
      if (!reader_.take("replace")) return reader_.wrong("REPLACE is expected behind OR");
      definition_.replaces = true;
    }
    if (!reader_.take("temp")) reader_.take("temporary");
    PENSTOCK_TRY(read_kind());
    if (reader_.take("if")) {
      if (!reader_.take("not") || !reader_.take("exists"))
        return reader_.wrong("NOT EXISTS is expected behind IF");
      if (definition_.replaces)
        return reader_.wrong("OR REPLACE and IF NOT EXISTS exclude each other");
      definition_.only_missing = true;
    }
    PENSTOCK_ASSIGN(definition_.name, reader_.table_name());
    if (definition_.kind == DefinitionKind::macro) return {};
    const bool has_columns = reader_.is_next("(");
    if (has_columns && definition_.kind == DefinitionKind::table) return read_columns();
    if (has_columns) reader_.skip_brackets();
    if (!reader_.take("as")) return reader_.wrong("AS SELECT ... is expected");
    if (reader_.is_at_end()) return reader_.wrong("a SELECT is expected behind AS");
    if (!has_columns) find_only_table();
    const StatementReader query = reader_;
    definition_.query = reader_.rest();
    return reads_rows(definition_.query) ? Status() : query.wrong("a SELECT is expected behind AS");
  }

  // (name type, ...) becomes a SELECT without rows.
  Status read_columns() {
    reader_.take("(");
    std::vector<std::string> names;
    do {
      PENSTOCK_TRY(check_constraint());
      PENSTOCK_ASSIGN(std::string name, reader_.name());
      if (std::ranges::find(names, lower(name)) != names.end())
        return reader_.wrong("the column \"" + name + "\" is named twice");
      names.push_back(lower(name));
      const std::string type = type_text();
      PENSTOCK_TRY(check_constraint());
      if (type.empty()) return reader_.wrong("a type is expected");
      definition_.query += (names.size() == 1 ? "SELECT " : ", ") + ("CAST(NULL AS " + type) +
                           ") AS " + in_quotes(name, '"');
    } while (reader_.take(","));
    if (!reader_.take(")")) return reader_.wrong("\")\" is expected");
    if (reader_.take("as"))
      return reader_.refuse(
          "names of columns before AS are not supported; name them in the SELECT");
    definition_.query += " LIMIT 0";
    definition_.has_columns = true;
    return reader_.end();
  }

  std::string type_text() {
    return reader_.text_before({",", ")", "not", "null", "default", "primary", "unique", "check",
                                "references", "collate", "generated", "constraint", "as"});
  }

  // NULL is what every column may be.
  Status check_constraint() {
    reader_.take("null");
    for (const char* const word : {"not", "default", "primary", "unique", "check", "references",
                                   "collate", "generated", "constraint", "foreign", "as"})
      if (reader_.is_next(word) && !(reader_.is_next(",", 1) || reader_.is_next(")", 1)))
        return refused_constraint();
    return {};
  }
  Status refused_constraint() const {
    const std::string word = reader_.next_upper();
    const char* const behind = word == "NOT"                            ? " NULL"
                               : word == "PRIMARY" || word == "FOREIGN" ? " KEY"
                                                                        : "";
    return reader_.refuse(word + behind +
                          " in CREATE TABLE is not supported; a column has a name and a type");
  }

  // SELECT * FROM 'file', or FROM 'file'.
  void find_only_table() {
    StatementReader query(reader_);
    if (query.take("select") && !query.take("*")) return;
    if (!query.take("from")) return;
    const bool is_quoted = query.next_text().starts_with('\'');
    auto name = is_quoted ? query.value() : query.table_name();
    if (name.ok() && query.is_at_end()) definition_.only_table = *std::move(name);
  }

  Status read_drop() {
    PENSTOCK_TRY(read_kind());
    definition_.dropped = definition_.kind;
    definition_.kind = DefinitionKind::drop;
    if (reader_.take("if")) {
      if (!reader_.take("exists")) return reader_.wrong("EXISTS is expected behind IF");
      definition_.only_present = true;
    }
    PENSTOCK_ASSIGN(definition_.name, reader_.table_name());
    if (reader_.take("cascade") || reader_.take("restrict") || reader_.is_at_end())
      return reader_.end();
    return reader_.refuse("DROP takes one name; write a DROP for each");
  }

  StatementReader reader_;
  std::string verb_;
  Definition definition_;
};

}  // namespace

Result<std::optional<Definition>> read_definition(std::string_view statement) {
  const std::string word = first_word_of(statement);
  if (word != "create" && word != "drop") return std::optional<Definition>();
  return DefinitionReader(statement).read();
}

}  // namespace penstock::sql
