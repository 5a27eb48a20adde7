#include "sql/parse/session_command.hpp"

#include <algorithm>

#include "sql/parse/statement_reader.hpp"

namespace penstock::sql {
namespace {

class CommandReader {
 public:
  explicit CommandReader(std::string_view statement) : reader_(statement) {}

  Result<std::optional<Command>> read(std::string_view first_word) {
    const Verb* const verb = verb_named(first_word);
    reader_.skip();
    const bool is_other = (first_word == "copy" && !is_copy_from()) ||
                          (first_word == "describe" && !reader_.is_at_end());
    if (verb == nullptr || is_other) return std::optional<Command>();
    PENSTOCK_TRY(reader_.check_closed());
    PENSTOCK_TRY((this->*verb->read)());
    return std::optional(std::move(command_));
  }
  static bool is_verb(std::string_view word) { return verb_named(word) != nullptr; }

 private:
  struct Verb {
    std::string_view word;
    Status (CommandReader::*read)();
  };
  static const Verb* verb_named(std::string_view word) {
    static constexpr Verb verbs[] = {
        {"explain", &CommandReader::read_explain},  {"show", &CommandReader::read_show},
        {"set", &CommandReader::read_set},          {"reset", &CommandReader::read_reset},
        {"pragma", &CommandReader::read_pragma},    {"begin", &CommandReader::read_begin},
        {"start", &CommandReader::read_begin},      {"commit", &CommandReader::read_commit},
        {"end", &CommandReader::read_commit},       {"rollback", &CommandReader::read_rollback},
        {"abort", &CommandReader::read_rollback},   {"insert", &CommandReader::read_insert},
        {"delete", &CommandReader::read_delete},    {"truncate", &CommandReader::read_truncate},
        {"update", &CommandReader::read_update},    {"copy", &CommandReader::read_copy},
        {"describe", &CommandReader::read_describe}};
    const auto* const found = std::ranges::find(verbs, word, &Verb::word);
    return found == std::end(verbs) ? nullptr : found;
  }

  Status refuse_next(const std::string& behind) const {
    const std::string word = reader_.next_upper();
    return reader_.refuse(behind + (word.empty() ? "" : " " + word) + " is not supported");
  }

  Status read_explain() {
    command_.kind = CommandKind::explain;
    if (reader_.is_next("analyze") || reader_.is_next("("))
      return reader_.refuse("EXPLAIN takes no options; penstock profile shows the times of a run");
    if (reader_.is_at_end() || reader_.is_next("explain"))
      return reader_.wrong("a statement is expected behind EXPLAIN");
    command_.query = reader_.rest();
    return {};
  }

  Status read_describe() {
    command_.kind = CommandKind::show_all_tables;
    return {};
  }

  Status read_show() {
    if (reader_.take("tables")) {
      command_.kind = CommandKind::show_tables;
      return reader_.take("from") ? reader_.table_name().status() : reader_.end();
    }
    if (reader_.is_next("all") && reader_.is_next("tables", 1)) {
      command_.kind = CommandKind::show_all_tables;
      reader_.skip();
      reader_.skip();
      return reader_.end();
    }
    const std::string listed = reader_.take_any({"schemas", "databases"});
    command_.kind = listed == "schemas"     ? CommandKind::show_schemas
                    : listed == "databases" ? CommandKind::show_databases
                                            : CommandKind::show_name;
    if (!listed.empty()) return reader_.end();
    PENSTOCK_ASSIGN(command_.name,
                    reader_.next_text().starts_with('\'') ? reader_.value() : reader_.table_name());
    return reader_.end();
  }

  // SET [SESSION] name = value, SET name TO value, SET TIME ZONE value
  Status read_set() {
    command_.kind = CommandKind::set;
    if (reader_.is_next("variable") || reader_.is_next("global")) return refuse_next("SET");
    reader_.take_any({"session", "local"});
    if (reader_.is_next("time") && reader_.is_next("zone", 1)) {
      reader_.skip();
      reader_.skip();
      command_.name = "timezone";
      return read_value();
    }
    PENSTOCK_ASSIGN(command_.name, reader_.name());
    if (!reader_.take("=") && !reader_.take("to"))
      return reader_.wrong("\"=\" is expected behind a setting's name");
    return read_value();
  }
  Status read_value() {
    PENSTOCK_ASSIGN(command_.value, reader_.value());
    return reader_.end();
  }

  Status read_reset() {
    command_.kind = CommandKind::reset;
    if (reader_.is_next("variable") || reader_.is_next("global")) return refuse_next("RESET");
    reader_.take_any({"session", "local"});
    PENSTOCK_ASSIGN(command_.name, reader_.name());
    return reader_.end();
  }

  // PRAGMA show_tables, PRAGMA table_info('t'), PRAGMA name = value
  Status read_pragma() {
    PENSTOCK_ASSIGN(command_.name, reader_.name());
    const std::string name = lower(command_.name);
    command_.kind = name == "show_tables"            ? CommandKind::show_tables
                    : name == "show_tables_expanded" ? CommandKind::show_all_tables
                    : name == "database_list"        ? CommandKind::show_databases
                                                     : CommandKind::show_name;
    if (command_.kind != CommandKind::show_name) return reader_.end();
    if (reader_.take("=")) {
      command_.kind = CommandKind::set;
      return read_value();
    }
    if (name == "table_info" && reader_.take("(")) {
      command_.kind = CommandKind::table_info;
      PENSTOCK_ASSIGN(command_.name, reader_.value());
      if (!reader_.take(")")) return reader_.wrong("\")\" is expected");
      return reader_.end();
    }
    return reader_.refuse("PRAGMA " + command_.name +
                          " is not supported; there are show_tables, "
                          "table_info('name'), and the names that SET takes");
  }

  Status read_begin() {
    command_.kind = CommandKind::begin;
    reader_.take_any({"transaction", "work"});
    return reader_.end();
  }
  Status read_commit() {
    command_.kind = CommandKind::commit;
    reader_.take_any({"transaction", "work"});
    return reader_.end();
  }
  Status read_rollback() {
    command_.kind = CommandKind::rollback;
    reader_.take_any({"transaction", "work"});
    if (reader_.is_next("to")) return refuse_next("ROLLBACK");
    return reader_.end();
  }

  Status read_insert() {
    command_.kind = CommandKind::insert;
    if (reader_.is_next("or")) return reader_.refuse("INSERT OR ... is not supported");
    if (!reader_.take("into")) return reader_.wrong("INTO is expected behind INSERT");
    PENSTOCK_ASSIGN(command_.name, reader_.table_name());
    if (reader_.is_next("as")) return reader_.refuse("an alias behind INSERT is not supported");
    const bool has_query_in_brackets = reader_.is_next("select", 1) || reader_.is_next("with", 1) ||
                                       reader_.is_next("from", 1) || reader_.is_next("values", 1) ||
                                       reader_.is_next("(", 1);
    if (reader_.is_next("(") && !has_query_in_brackets) {
      PENSTOCK_ASSIGN(command_.columns, reader_.names());
    }
    if (reader_.take("by")) {
      command_.is_by_name = reader_.take("name");
      if (!command_.is_by_name && !reader_.take("position"))
        return reader_.wrong("NAME is expected behind BY");
    }
    if (reader_.is_next("default")) return refuse_next("INSERT");
    command_.query = reader_.text_before({"returning", "on"});
    // ON may stand in a join, too; a conflict follows it here.
    while (reader_.is_next("on") && !reader_.is_next("conflict", 1)) {
      command_.query += " ON ";
      reader_.skip();
      command_.query += reader_.text_before({"returning", "on"});
    }
    if (reader_.next_upper() == "RETURNING" || reader_.next_upper() == "ON")
      return refuse_next("INSERT ...");
    PENSTOCK_TRY(reader_.end());
    return reads_rows(command_.query) ? Status() : reader_.wrong("VALUES or a SELECT is expected");
  }

  // COPY table [(column, ...)] FROM ...; other forms write a file.
  bool is_copy_from() const {
    StatementReader ahead(reader_);
    if (ahead.is_next("(") || !ahead.table_name().ok()) return false;
    if (ahead.is_next("(")) ahead.skip_brackets();
    return ahead.is_next("from");
  }

  // COPY table [(column, ...)] FROM 'file' [(FORMAT csv)] is an INSERT of the file's rows.
  Status read_copy() {
    command_.kind = CommandKind::insert;
    PENSTOCK_ASSIGN(command_.name, reader_.table_name());
    if (reader_.is_next("(")) { PENSTOCK_ASSIGN(command_.columns, reader_.names()); }
    reader_.take("from");
    if (!reader_.next_text().starts_with('\'')) return reader_.wrong("a file's name is expected");
    PENSTOCK_ASSIGN(const std::string path, reader_.value());
    std::string source = in_quotes(path, '\'');
    reader_.take("with");
    if (reader_.take("(")) {
      if (!reader_.take("format")) return refuse_next("COPY ... FROM");
      const std::string format = reader_.take_any({"csv", "json", "parquet", "arrow"});
      if (format.empty()) return refuse_next("COPY ... FROM with FORMAT");
      source = "read_" + format + "(" + source + ")";
      if (reader_.take(",")) return refuse_next("COPY ... FROM with");
      if (!reader_.take(")")) return reader_.wrong("\")\" is expected");
    }
    command_.query = "SELECT * FROM " + source;
    return reader_.end();
  }

  Status read_table_and_alias() {
    PENSTOCK_ASSIGN(command_.name, reader_.table_name());
    const bool has_as = reader_.take("as");
    const bool is_alias = reader_.is_name_next() && !reader_.is_next("where") &&
                          !reader_.is_next("set") && !reader_.is_next("using") &&
                          !reader_.is_next("returning");
    if (has_as || is_alias) { PENSTOCK_ASSIGN(command_.alias, reader_.name()); }
    return {};
  }

  Status read_condition(const std::string& verb) {
    if (reader_.take("where")) {
      command_.condition = reader_.text_before({"returning"});
      if (command_.condition.empty()) return reader_.wrong("a condition is expected behind WHERE");
    }
    if (reader_.next_upper() == "USING" || reader_.next_upper() == "FROM" ||
        reader_.next_upper() == "RETURNING")
      return refuse_next(verb + " ...");
    return reader_.end();
  }

  Status read_delete() {
    command_.kind = CommandKind::remove;
    if (!reader_.take("from")) return reader_.wrong("FROM is expected behind DELETE");
    PENSTOCK_TRY(read_table_and_alias());
    return read_condition("DELETE");
  }

  Status read_truncate() {
    command_.kind = CommandKind::remove;
    reader_.take("table");
    PENSTOCK_ASSIGN(command_.name, reader_.table_name());
    return reader_.end();
  }

  Status read_update() {
    command_.kind = CommandKind::update;
    PENSTOCK_TRY(read_table_and_alias());
    if (!reader_.take("set")) return reader_.wrong("SET is expected");
    do {
      if (reader_.is_next("(")) return reader_.refuse("SET of several columns is not supported");
      PENSTOCK_ASSIGN(command_.columns.emplace_back(), reader_.name());
      if (!reader_.take("=")) return reader_.wrong("\"=\" is expected");
      command_.values.push_back(reader_.text_before({",", "where", "from", "returning"}));
      if (command_.values.back().empty()) return reader_.wrong("a value is expected");
    } while (reader_.take(","));
    return read_condition("UPDATE");
  }

  StatementReader reader_;
  Command command_;
};

}  // namespace

bool reads_rows(std::string_view query) {
  const std::string word = first_word_of(query);
  if (word == "describe") return true;
  return !query.empty() && !CommandReader::is_verb(word) && word != "create" && word != "drop";
}

Result<std::optional<Command>> read_command(std::string_view statement) {
  const std::string word = first_word_of(statement);
  if (!CommandReader::is_verb(word)) return std::optional<Command>();
  return CommandReader(statement).read(word);
}

}  // namespace penstock::sql
