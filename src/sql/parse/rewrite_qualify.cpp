// Rewrites QUALIFY, in place, as HAVING, where the SELECT has no HAVING and no WINDOW clause.
#include <vector>

#include "sql/parse/lexer.hpp"

namespace penstock::sql {

void rewrite_qualify(Lexed& lexed) {
  std::vector<bool> has_other(1, false);  // of each open parenthesis
  for (std::size_t i = lexed.form.first; i < lexed.form.end; i++) {
    const Token& token = lexed.tokens[i];
    const auto is = [&](std::string_view word) { return is_keyword_token(lexed, token, word); };
    if (is_symbol(lexed, token, "(")) has_other.push_back(false);
    if (is_symbol(lexed, token, ")") && has_other.size() > 1) has_other.pop_back();
    if (is("select") || is("union") || is("intersect") || is("except")) has_other.back() = false;
    if (is("having") || is("window")) has_other.back() = true;
    if (!is("qualify") || has_other.back()) continue;
    lexed.rewritten.replace(token.offset, token.length, "having ");
    lexed.qualify.push_back(token.offset);
  }
}

}  // namespace penstock::sql
