// Rewrites, in place, DuckDB's words of SELECT lists: what stands behind a star, ALL, TRY_CAST.
#include <algorithm>
#include <array>

#include "sql/parse/lexer.hpp"

namespace penstock::sql {
namespace {

void blank(Lexed& lexed, const Token& first, const Token& last) {
  std::fill(lexed.rewritten.begin() + first.offset,
            lexed.rewritten.begin() + last.offset + last.length, ' ');
}

bool is_one_of(const Lexed& lexed, const Token& token, std::initializer_list<const char*> words) {
  return std::ranges::any_of(
      words, [&](const char* word) { return is_keyword_token(lexed, token, word); });
}

// Blanks out what belongs to the star at `star`. The items of REPLACE stay, behind a comma.
void rewrite_star(Lexed& lexed, std::size_t star) {
  const std::size_t end = lexed.form.end;
  for (std::size_t at = star + 1; at + 1 < end && is_star_word(lexed, at);) {
    const bool has_brackets = is_symbol(lexed, lexed.tokens[at + 1], "(");
    const std::size_t after = has_brackets ? after_brackets(lexed, at + 1, end) : at + 2;
    if (!is_one_of(lexed, lexed.tokens[at], {"replace"})) {
      blank(lexed, lexed.tokens[at], lexed.tokens[after - 1]);
    } else {
      blank(lexed, lexed.tokens[at], lexed.tokens[at]);
      lexed.rewritten[lexed.tokens[at].offset] = ',';
      if (!has_brackets) return;
      blank(lexed, lexed.tokens[at + 1], lexed.tokens[at + 1]);
      blank(lexed, lexed.tokens[after - 1], lexed.tokens[after - 1]);
    }
    at = after;
  }
}

}  // namespace

bool is_star(const Lexed& lexed, std::size_t at) {
  if (at == 0 || !is_symbol(lexed, lexed.tokens[at], "*")) return false;
  const Token& before = lexed.tokens[at - 1];
  return is_symbol(lexed, before, ",") || is_symbol(lexed, before, ".") ||
         is_one_of(lexed, before, {"select", "distinct", "all"});
}

bool is_star_word(const Lexed& lexed, std::size_t at) {
  const Token& token = lexed.tokens[at];
  if (is_one_of(lexed, token, {"exclude", "replace", "rename"})) return true;
  return is_one_of(lexed, token, {"except"}) && at + 2 < lexed.form.end &&
         is_symbol(lexed, lexed.tokens[at + 1], "(") &&
         !is_one_of(lexed, lexed.tokens[at + 2], {"select", "from", "values", "with"});
}

void rewrite_select_lists(Lexed& lexed) {
  for (std::size_t i = lexed.form.first; i < lexed.form.end; i++) {
    const Token token = lexed.tokens[i];
    if (is_star(lexed, i)) rewrite_star(lexed, i);
    const bool ends_list = is_symbol(lexed, token, ",") && i + 1 < lexed.form.end &&
                           is_one_of(lexed, lexed.tokens[i + 1], {"from"});
    if (ends_list) blank(lexed, token, token);  // DuckDB allows a comma after the last item
    if (is_one_of(lexed, token, {"try_cast"}))
      lexed.rewritten.replace(token.offset, token.length, "cast    ");
    const bool is_by_all = i >= 2 && is_one_of(lexed, token, {"all"}) &&
                           is_one_of(lexed, lexed.tokens[i - 1], {"by"}) &&
                           is_one_of(lexed, lexed.tokens[i - 2], {"group", "order"});
    if (is_by_all) lexed.rewritten.replace(token.offset, token.length, "\"f\"");
  }
}

}  // namespace penstock::sql
