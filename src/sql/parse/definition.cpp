#include "sql/parse/definition.hpp"

#include <algorithm>

#include "sql/parse/lexer.hpp"
#include "sql/parse/source_position.hpp"

namespace penstock::sql {
namespace {

class DefinitionReader {
 public:
  explicit DefinitionReader(std::string_view statement) {
    const std::size_t end = statement.find_last_not_of(" \t\r\n;");
    lexed_.statement = statement.substr(0, end == statement.npos ? 0 : end + 1);
    bool is_open = false;
    lexed_.tokens = tokens_until_open(lexed_.statement, is_open);
  }

  Result<std::optional<Definition>> read() {
    definition_.text = lexed_.statement;
    if (take("create")) {
      PENSTOCK_TRY(read_create());
    } else if (take("drop")) {
      PENSTOCK_TRY(read_drop());
    } else {
      return std::optional<Definition>();
    }
    return std::optional(std::move(definition_));
  }

 private:
  bool is_next(std::string_view word) const {
    return at_ < lexed_.tokens.size() && is_keyword_token(lexed_, lexed_.tokens[at_], word);
  }
  bool take(std::string_view word) {
    const bool is_here = is_next(word);
    at_ += is_here;
    return is_here;
  }
  Status wrong(const std::string& wanted, Code code = Code::invalid) const {
    const std::int64_t offset = at_ < lexed_.tokens.size()
                                    ? static_cast<std::int64_t>(lexed_.tokens[at_].offset)
                                    : static_cast<std::int64_t>(lexed_.statement.size());
    return error_at(lexed_.statement, offset, code, wanted);
  }

  Status other_kind() const {
    const bool is_word = at_ < lexed_.tokens.size() && lexed_.tokens[at_].kind == TokenKind::word;
    std::string verb(lexed_.text(lexed_.tokens[0])), kind;
    if (is_word) kind = " " + std::string(lexed_.text(lexed_.tokens[at_]).substr(0, 40));
    for (std::string* text : {&verb, &kind})
      for (char& c : *text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    return wrong(
        (is_word ? verb + kind + " is not supported; " : std::string()) +
            "a session has views, tables and macros: " + "VIEW, TABLE or MACRO is expected",
        Code::unsupported);
  }

  Status read_kind() {
    if (take("view"))
      definition_.kind = DefinitionKind::view;
    else if (take("table"))
      definition_.kind = DefinitionKind::table;
    else if (take("macro") || take("function"))
      definition_.kind = DefinitionKind::macro;
    else
      return other_kind();
    return {};
  }

  Status read_name() {
    if (at_ == lexed_.tokens.size() || (lexed_.tokens[at_].kind != TokenKind::word &&
                                        lexed_.tokens[at_].kind != TokenKind::quoted))
      return wrong("a name is expected");
    definition_.name = value_of(lexed_, lexed_.tokens[at_++]);
    if (at_ < lexed_.tokens.size() && is_symbol(lexed_, lexed_.tokens[at_], "."))
      return wrong("a name with a schema is not supported; write the name alone",
                   Code::unsupported);
    return {};
  }

  Status read_create() {
    if (take("or")) {
      if (!take("replace")) return wrong("REPLACE is expected behind OR");
      definition_.replaces = true;
    }
    if (!take("temp")) take("temporary");
    PENSTOCK_TRY(read_kind());
    if (take("if")) {
      if (!take("not") || !take("exists")) return wrong("NOT EXISTS is expected behind IF");
      if (definition_.replaces) return wrong("OR REPLACE and IF NOT EXISTS exclude each other");
      definition_.only_missing = true;
    }
    PENSTOCK_TRY(read_name());
    if (definition_.kind == DefinitionKind::macro) return {};
    const bool has_columns =
        at_ < lexed_.tokens.size() && is_symbol(lexed_, lexed_.tokens[at_], "(");
    if (has_columns && definition_.kind == DefinitionKind::table)
      return wrong("CREATE TABLE takes AS SELECT; a list of columns is not supported",
                   Code::unsupported);
    if (has_columns) at_ = after_brackets(lexed_, at_, lexed_.tokens.size());
    if (!take("as")) return wrong("AS SELECT ... is expected");
    if (at_ == lexed_.tokens.size()) return wrong("a SELECT is expected behind AS");
    definition_.query = lexed_.statement.substr(lexed_.tokens[at_].offset);
    if (!has_columns) find_only_table();
    return {};
  }

  // SELECT * FROM 'file', or FROM 'file'.
  void find_only_table() {
    if (take("select") &&
        (at_ == lexed_.tokens.size() || !is_symbol(lexed_, lexed_.tokens[at_++], "*")))
      return;
    if (!take("from") || at_ + 1 != lexed_.tokens.size()) return;
    if (lexed_.tokens[at_].kind == TokenKind::symbol) return;
    definition_.only_table = value_of(lexed_, lexed_.tokens[at_]);
  }

  Status read_drop() {
    PENSTOCK_TRY(read_kind());
    definition_.dropped = definition_.kind;
    definition_.kind = DefinitionKind::drop;
    if (take("if")) {
      if (!take("exists")) return wrong("EXISTS is expected behind IF");
      definition_.only_present = true;
    }
    PENSTOCK_TRY(read_name());
    if (at_ == lexed_.tokens.size()) return {};
    for (const char* const word : {"cascade", "restrict"})
      if (is_keyword_token(lexed_, lexed_.tokens[at_], word))
        return wrong("DROP with " + std::string(word) + " is not supported; leave the word out",
                     Code::unsupported);
    return wrong("DROP takes one name; write a DROP for each", Code::unsupported);
  }

  Lexed lexed_;
  std::size_t at_ = 0;  // token
  Definition definition_;
};

}  // namespace

Result<std::optional<Definition>> read_definition(std::string_view statement) {
  return DefinitionReader(statement).read();
}

}  // namespace penstock::sql
