#include <algorithm>
#include <span>
#include <string_view>

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

// The brackets of a statement that are derived tables, where a table may stand.
class DerivedTables {
 public:
  explicit DerivedTables(const Lexed& lexed)
      : lexed_(lexed), after_(lexed.tokens.size(), 0), is_query_(lexed.tokens.size() + 1, false) {
    std::vector<std::size_t> open;
    for (std::size_t i = lexed.form.first; i < lexed.form.end; i++) {
      if (is_symbol(lexed, lexed.tokens[i], "(")) open.push_back(i);
      if (!is_symbol(lexed, lexed.tokens[i], ")") || open.empty()) continue;
      after_[open.back()] = i + 1;
      open.pop_back();
    }
    for (std::size_t i = lexed.form.end; i-- > lexed.form.first;) is_query_[i] = is_query(i);
  }

  // Returns the token behind the derived table at a token, where no alias stands; 0 if there is
  // none. Brackets inside of a derived table's are part of it.
  std::size_t behind_unnamed(std::size_t at) const {
    if (at >= lexed_.form.end || !is_query_[at] || is_query_[at - 1]) return 0;
    static constexpr std::string_view words[] = {
        "where", "group", "having",  "window", "qualify", "order", "limit",  "offset",
        "fetch", "union", "except",  "join",   "inner",   "left",  "right",  "full",
        "cross", "on",    "natural", "using",  "for",     "into",  "select", "intersect"};
    return is_end(after_[at]) || is_symbol(lexed_, lexed_.tokens[after_[at]], ",") ||
                   is_one_of(after_[at], words)
               ? after_[at]
               : 0;
  }

 private:
  bool is_end(std::size_t at) const {
    return at >= lexed_.form.end || is_symbol(lexed_, lexed_.tokens[at], ")") ||
           is_symbol(lexed_, lexed_.tokens[at], ";");
  }
  bool is_one_of(std::size_t at, std::span<const std::string_view> words) const {
    return std::ranges::any_of(words, [&](std::string_view word) {
      return is_keyword_token(lexed_, lexed_.tokens[at], word);
    });
  }
  bool is_query(std::size_t at) const {
    static constexpr std::string_view first[] = {"select", "with", "from", "values", "table"};
    static constexpr std::string_view next[] = {"union", "intersect", "except",
                                                "order", "limit",     "offset"};
    if (after_[at] == 0 || at + 1 >= lexed_.form.end) return false;
    if (is_one_of(at + 1, first)) return true;
    return is_query_[at + 1] && (is_end(after_[at + 1]) || is_one_of(after_[at + 1], next));
  }

  const Lexed& lexed_;
  std::vector<std::size_t> after_;  // by opening bracket: the token behind the closing one
  std::vector<bool> is_query_;
};

// Rewrites FROM 'a', 'b' and JOIN 'c', but not EXTRACT(day FROM 'x'), TRIM(FROM 'x') or IS DISTINCT
// FROM 'x'.
void rewrite_table_names(Lexed& lexed) {
  struct Level {
    bool has_select = false, in_from = false;
  };  // of each open parenthesis
  std::vector<Level> levels(1);
  const DerivedTables derived(lexed);
  for (std::size_t i = lexed.form.first; i < lexed.form.end; i++) {
    const Token token = lexed.tokens[i];
    const auto word = [&](std::string_view name) { return is_keyword_token(lexed, token, name); };
    if (is_symbol(lexed, token, "("))
      levels.push_back({false, levels.back().in_from && !is_condition(lexed, i)});
    else if (is_symbol(lexed, token, ")") && levels.size() > 1)
      levels.pop_back();
    else if (word("select") || word("values"))
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
    if (const std::size_t behind = opens ? derived.behind_unnamed(i + 1) : 0)
      lexed.unnamed.push_back(lexed.tokens[behind - 1].offset + std::size_t{1});
  }
}

// DuckDB's units that PostgreSQL lacks are rewritten as DAY; the tree's reader takes the unit from
// the statement.
bool is_unit_of_duckdb(std::string_view name) {
  if (name.ends_with('s')) name.remove_suffix(1);
  if (name.starts_with("centur")) return name == "century" || name == "centurie";
  return name == "millennium" || name == "millennia" || name == "week" || name == "quarter" ||
         name == "decade" || name == "millisecond" || name == "microsecond";
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
  lexed.unnamed.clear();
  if (lexed.form.is_table) make_name(lexed, lexed.form.first);
  rewrite_table_names(lexed);
  rewrite_intervals(lexed);
  std::ranges::sort(lexed.unnamed);
}

}  // namespace penstock::sql
