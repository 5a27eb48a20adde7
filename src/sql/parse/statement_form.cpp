#include "sql/parse/statement_form.hpp"

#include <algorithm>
#include <optional>

#include "sql/parse/option_values.hpp"
#include "sql/parse/source_position.hpp"
#include "sql/parse/suggestions.hpp"
#include "sql/parse/table_function.hpp"

namespace penstock::sql {
namespace {

struct Verb {
  std::string_view word;
  StatementKind kind;
};
constexpr Verb verbs[] = {
    {"select", StatementKind::select}, {"with", StatementKind::select},
    {"values", StatementKind::select}, {"from", StatementKind::select},
    {"table", StatementKind::select},  {"describe", StatementKind::describe},
    {"desc", StatementKind::describe}, {"summarize", StatementKind::summarize},
    {"copy", StatementKind::copy}};

constexpr std::string_view new_file =
    "; COPY (SELECT ...) TO 'file.parquet' writes changed rows to a new file";
constexpr std::string_view alone = "; each statement stands alone";
constexpr struct {
  std::string_view verb, instead;
} advice[] = {
    {"show", "; DESCRIBE 'file.parquet' shows names and types"},
    {"pragma", "; DESCRIBE 'file.parquet' shows names and types"},
    {"call", "; DESCRIBE 'file.parquet' shows names and types"},
    {"set", "; the time zone is the variable TZ, or AT TIME ZONE"},
    {"reset", "; the time zone is the variable TZ, or AT TIME ZONE"},
    {"update", new_file},
    {"delete", new_file},
    {"merge", new_file},
    {"alter", new_file},
    {"truncate", new_file},
    {"prepare", "; write the values in the SELECT"},
    {"execute", "; write the values in the SELECT"},
    {"attach", "; files are read by their names: SELECT * FROM 'file.parquet'"},
    {"export", "; COPY ... TO writes a table"},
    {"begin", alone},
    {"commit", alone},
    {"rollback", alone},
    {"explain", "; penstock query --explain 'SELECT ...' prints its plan"},
    {"create", "; COPY (SELECT ...) TO 'file.parquet' writes rows to a file"},
    {"insert", "; COPY (SELECT ...) TO 'file.parquet' writes rows to a file"},
    {"pivot", "; write SELECT key, sum(x) FILTER (WHERE name = 'a') AS a ... GROUP BY key"},
    {"unpivot", "; write a SELECT for each column, and UNION ALL between them"},
};

class FormFinder {
 public:
  explicit FormFinder(Lexed& lexed) : lexed_(lexed), form_(lexed.form) {}

  Status find() {
    form_ = {};
    form_.end = lexed_.tokens.size();
    const auto first =
        std::ranges::find_if(lexed_.tokens, [&](const Token& t) { return lexed_.text(t) != "("; });
    if (first == lexed_.tokens.end() || lexed_.text(*first) == ";")
      return error(0, Code::invalid, "the statement is empty");
    if (first->kind != TokenKind::word)
      return error(first->offset, Code::invalid, "the statement must start with SELECT");
    const std::string word = lower(lexed_.text(*first));
    const auto verb = std::ranges::find(verbs, word, &Verb::word);
    if (verb == std::end(verbs)) return refuse(*first);
    form_.kind = verb->kind;
    if (form_.kind == StatementKind::select) return {};
    if (first != lexed_.tokens.begin())
      return error(first->offset, Code::invalid, "the statement must start with SELECT");
    PENSTOCK_TRY(form_.kind == StatementKind::copy ? find_copied() : find_described(word));
    blank_out();
    return {};
  }

 private:
  Status error(std::int64_t offset, Code code, std::string message) const {
    return error_at(lexed_.statement, offset, code, std::move(message));
  }

  Status refuse(const Token& first) const {
    const std::string verb(lexed_.text(first).substr(0, 40));
    constexpr std::string_view of_sessions[] = {"CREATE", "DROP", "INSERT", "UPDATE", "DELETE"};
    const bool wants_session = std::ranges::find(of_sessions, upper(verb)) != std::end(of_sessions);
    std::string message = upper(verb) +
                          " is not supported; a statement is a SELECT, DESCRIBE, SUMMARIZE" +
                          (wants_session ? " or COPY ... TO"
                                         : ", COPY ... TO, CREATE, DROP, INSERT, UPDATE or DELETE");
    for (const auto& row : advice)
      if (is_keyword_token(lexed_, first, row.verb)) message += row.instead;
    const bool is_misspelt = keyword_near(verb) == "SELECT";
    if (is_misspelt) message += "; did you mean SELECT?";
    return error(first.offset, is_misspelt ? Code::invalid : Code::unsupported, message);
  }

  // Tells whether [first, end) is a table's name, or a table function.
  bool is_table() const {
    const std::size_t first = form_.first;
    if (form_.end == first + 1) return lexed_.tokens[first].kind != TokenKind::symbol;
    return is_table_function(lexed_, first) &&
           after_brackets(lexed_, first + 1, form_.end) == form_.end;
  }

  // DESCRIBE SELECT ..., DESCRIBE [TABLE] 'file'; SUMMARIZE likewise.
  Status find_described(const std::string& verb) {
    form_.first = 1;
    const auto is_word = [&](std::size_t at, const char* word) {
      return at < form_.end && is_keyword_token(lexed_, lexed_.tokens[at], word);
    };
    if (is_word(1, "table") && form_.end > 2) form_.first = 2;
    if (form_.end > form_.first && is_symbol(lexed_, lexed_.tokens[form_.end - 1], ";"))
      form_.end--;
    if (form_.first >= form_.end) return error_behind(verb);
    const bool is_select = is_word(form_.first, "select") || is_word(form_.first, "from") ||
                           is_word(form_.first, "with") || is_word(form_.first, "values") ||
                           is_word(form_.first, "pivot") || is_word(form_.first, "unpivot") ||
                           is_symbol(lexed_, lexed_.tokens[form_.first], "(");
    form_.is_table = !is_select && is_table();
    return is_select || form_.is_table ? Status() : error_behind(verb);
  }

  static std::string upper(std::string word) {
    for (char& c : word)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    return word;
  }

  Status error_behind(const std::string& verb) const {
    const OptionReader reader(lexed_, form_.first, form_.end);
    return error(reader.offset(), Code::invalid,
                 upper(verb) + " takes a SELECT, or a file's name in quotes");
  }

  // COPY (SELECT ...) TO 'file' [[WITH] (options)], COPY 'table' TO 'file' ...
  Status find_copied() {
    const bool is_select = form_.end > 1 && is_symbol(lexed_, lexed_.tokens[1], "(");
    std::size_t after = is_select ? after_brackets(lexed_, 1, form_.end) : 2;
    if (!is_select && is_table_function(lexed_, 1)) after = after_brackets(lexed_, 2, form_.end);
    OptionReader reader(lexed_, std::min(after, form_.end), form_.end);
    if (!is_select && reader.peek() != nullptr && is_symbol(lexed_, *reader.peek(), "("))
      return error(reader.offset(), Code::unsupported,
                   "a list of columns in COPY is not supported; write COPY (SELECT a, b FROM ...) "
                   "TO 'file'");
    if (reader.peek() != nullptr && is_keyword_token(lexed_, *reader.peek(), "from"))
      return error(reader.offset(), Code::unsupported,
                   "COPY ... FROM is not supported; a file is read by its name: SELECT * FROM "
                   "'file.csv'");
    form_.first = is_select ? 2 : 1;
    form_.end = is_select ? after - 1 : after;
    if (!reader.take("to")) return reader.wrong("TO 'file'");
    PENSTOCK_TRY(read_target(reader));
    form_.is_table = !is_select && is_table();
    if (form_.first < form_.end && (is_select || form_.is_table)) return {};
    return error(lexed_.tokens[1].offset, Code::invalid,
                 "COPY takes a SELECT in parentheses, or a file's name in quotes");
  }

  Status read_target(OptionReader& reader) {
    const Token* path = reader.peek();
    if (path == nullptr || path->kind != TokenKind::string)
      return reader.wrong("a file's name in quotes, such as '/dev/stdout',");
    PENSTOCK_ASSIGN(OptionValue value, reader.value());
    form_.target.path = std::get<std::string>(std::move(value));
    const bool has_with = reader.take("with");
    if (reader.take("(")) {
      PENSTOCK_TRY(read_options(reader));
    } else if (has_with) {
      return reader.wrong("\"(\"");
    }
    reader.take(";");
    return reader.is_at_end() ? Status() : reader.wrong("the end of the statement");
  }

  Status read_options(OptionReader& reader) {
    do {
      const std::int64_t offset = reader.offset();
      PENSTOCK_ASSIGN(const std::string name, reader.name());
      TableOption option{lower(name), true};
      const Token* next = reader.peek();
      const bool is_list = next != nullptr && is_symbol(lexed_, *next, "(");
      const bool is_alone =
          next != nullptr && (is_symbol(lexed_, *next, ",") || is_symbol(lexed_, *next, ")"));
      if (is_list) {
        PENSTOCK_ASSIGN(option.value, reader.names());
      } else if (!is_alone) {
        PENSTOCK_ASSIGN(option.value, reader.value());
      }
      if (std::ranges::count(form_.target.options, option.name, &TableOption::name) > 0)
        return error(offset, Code::invalid, "the option " + name + " of COPY is given twice");
      form_.target.options.push_back(std::move(option));
    } while (reader.take(","));
    return reader.take(")") ? Status() : reader.wrong("\")\"");
  }

  void blank_out() {
    const std::size_t begin = lexed_.tokens[form_.first].offset;
    const Token& last = lexed_.tokens[form_.end - 1];
    const std::size_t end = last.offset + last.length;
    std::string& text = lexed_.rewritten;
    std::fill(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), ' ');
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), ' ');
  }

  Lexed& lexed_;
  StatementForm& form_;
};

}  // namespace

Status find_form(Lexed& lexed) { return FormFinder(lexed).find(); }

}  // namespace penstock::sql
