#include <algorithm>

#include "sql/parse/lexer.hpp"
#include "sql/parse/table_function.hpp"

namespace penstock::sql {
namespace {

// Writes a quoted name over the tokens' bytes. Its value is read from the statement.
void write_name(Lexed& lexed, const Token& first, const Token& last) {
  const std::size_t end = last.offset + last.length - 1;
  std::string& text = lexed.rewritten;
  std::fill(text.begin() + first.offset + 1, text.begin() + static_cast<std::ptrdiff_t>(end), 'f');
  text[first.offset] = text[end] = '"';
}

// Makes the table at a token a name: a string, or a table function with its arguments.
void make_name(Lexed& lexed, std::size_t at) {
  if (at >= lexed.tokens.size()) return;
  const Token& token = lexed.tokens[at];
  if (is_table_function(lexed, at)) {
    const std::size_t after = after_brackets(lexed, at + 1, lexed.tokens.size());
    if (is_symbol(lexed, lexed.tokens[after - 1], ")"))
      write_name(lexed, token, lexed.tokens[after - 1]);
  } else if (token.kind == TokenKind::string && lexed.text(token).starts_with('\'')) {
    write_name(lexed, token, token);  // E'' and $$ strings stay what they are
  }
}

// Tells whether a parenthesis in FROM opens a condition. One that opens tables follows FROM, a
// comma, JOIN or another parenthesis.
bool is_condition(const Lexed& lexed, std::size_t at) {
  if (at == 0) return true;
  const Token& before = lexed.tokens[at - 1];
  return !is_keyword_token(lexed, before, "from") && !is_keyword_token(lexed, before, "join") &&
         !is_symbol(lexed, before, ",") && !is_symbol(lexed, before, "(");
}

// Rewrites FROM 'a', 'b' and JOIN 'c', but not EXTRACT(day FROM 'x'), TRIM(FROM 'x') or IS DISTINCT
// FROM 'x'.
void rewrite_table_names(Lexed& lexed) {
  struct Level {
    bool has_select = false, in_from = false;
  };  // of each open parenthesis
  std::vector<Level> levels(1);
  for (std::size_t i = lexed.form.first; i < lexed.form.end; i++) {
    const Token token = lexed.tokens[i];
    const auto word = [&](std::string_view name) { return is_keyword_token(lexed, token, name); };
    if (is_symbol(lexed, token, "("))
      levels.push_back({false, levels.back().in_from && !is_condition(lexed, i)});
    else if (is_symbol(lexed, token, ")") && levels.size() > 1)
      levels.pop_back();
    else if (word("select"))
      levels.back() = {true, false};
    else if (word("where") || word("group") || word("order"))
      levels.back().in_from = false;
    const bool from = word("from") && (is_leading_from(lexed, i) ||
                                       (levels.back().has_select && i > 0 &&
                                        !is_keyword_token(lexed, lexed.tokens[i - 1], "distinct")));
    if (from) levels.back().in_from = true;
    const bool opens =
        from || word("join") ||
        (levels.back().in_from && (is_symbol(lexed, token, ",") || is_symbol(lexed, token, "(")));
    if (opens) make_name(lexed, i + 1);
  }
}

// DuckDB's units that PostgreSQL lacks are rewritten as DAY; the tree's reader takes the unit from
// the statement.
bool is_unit_of_duckdb(std::string_view name) {
  if (name.ends_with('s')) name.remove_suffix(1);
  return name == "week" || name == "quarter" || name == "decade" || name == "millisecond" ||
         name == "microsecond";
}

// Turns the spaces around the number into quotes and removes the s of a plural.
void rewrite_interval(std::string& text, const Token& number, const Token& unit,
                      std::string_view name) {
  const std::size_t after = number.offset + number.length;
  const bool blanks = is_space(text[number.offset - 1]) && is_space(text[after]);
  if (number.kind == TokenKind::number && blanks) text[number.offset - 1] = text[after] = '\'';
  if (is_unit_of_duckdb(name))
    text.replace(unit.offset, unit.length, "day" + std::string(unit.length - 3, ' '));
  for (const char* plural : {"years", "months", "days", "hours", "minutes", "seconds"})
    if (name == plural) text[unit.offset + unit.length - 1] = ' ';
}

void rewrite_intervals(Lexed& lexed) {
  for (std::size_t i = 0; i + 2 < lexed.tokens.size(); i++) {
    const Token &number = lexed.tokens[i + 1], &unit = lexed.tokens[i + 2];
    if (!is_keyword_token(lexed, lexed.tokens[i], "interval") || unit.kind != TokenKind::word)
      continue;
    if (number.kind == TokenKind::number || number.kind == TokenKind::string)
      rewrite_interval(lexed.rewritten, number, unit, lower(lexed.text(unit)));
  }
}

}  // namespace

void rewrite(Lexed& lexed) {
  if (lexed.form.is_table) make_name(lexed, lexed.form.first);
  rewrite_table_names(lexed);
  rewrite_intervals(lexed);
}

}  // namespace penstock::sql
