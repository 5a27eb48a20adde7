#include "sql/parse/unsupported_syntax.hpp"

#include <algorithm>
#include <array>

#include "sql/parse/suggestions.hpp"
#include "sql/parse/table_function.hpp"

namespace penstock::sql {
namespace {

// Words in a row, and what they are called; named where the parser stopped at them or right behind.
// "#" is any number.
// `behind`: so many tokens more may stand between the phrase and where the parser stops, which
// takes its words for names.
struct Phrase {
  std::string_view what;
  std::array<std::string_view, 3> words;
  std::size_t behind = 0;
};
constexpr Phrase phrases[] = {
    {"QUALIFY beside HAVING or WINDOW", {"qualify"}},
    {"TABLESAMPLE", {"tablesample"}, 5},
    {"USING SAMPLE", {"using", "sample"}},
    {"USING KEY", {"using", "key"}},
    {"LIMIT with a percentage", {"limit", "#", "%"}},
    {"ASOF JOIN", {"asof", "join"}},
    {"ASOF JOIN", {"asof", "left", "join"}},
    {"ASOF JOIN", {"asof", "right", "join"}},
    {"ASOF JOIN", {"asof", "full", "join"}},
    {"POSITIONAL JOIN", {"positional", "join"}, 100},
    {"SEMI JOIN", {"semi", "join"}},
    {"ANTI JOIN", {"anti", "join"}},
    {"PIVOT", {"pivot", "("}, 2},
    {"UNPIVOT", {"unpivot", "("}, 2},
    {"IGNORE NULLS", {"ignore", "nulls"}},
    {"RESPECT NULLS", {"respect", "nulls"}},
    {"* LIKE", {"*", "like"}},
    {"a parameter", {"?"}},
    {"INTERVAL of an expression", {"interval", "("}},
    {"a lambda", {"lambda"}},
    {"COLUMNS", {"columns", "(", "*"}},
    {"UNION BY NAME", {"union", "by", "name"}},
    {"UNION BY NAME", {"all", "by", "name"}},
    {"a list", {"["}},
    {"a struct", {"{"}},
};

std::size_t word_count(const Phrase& phrase) {
  return static_cast<std::size_t>(std::find(phrase.words.begin(), phrase.words.end(), "") -
                                  phrase.words.begin());
}

bool stands(const Lexed& lexed, std::size_t first, const Phrase& phrase) {
  if (first + word_count(phrase) > lexed.tokens.size()) return false;
  for (std::size_t i = 0; i < word_count(phrase); i++) {
    const Token& token = lexed.tokens[first + i];
    if (phrase.words[i] == "#" && token.kind == TokenKind::number) continue;
    if (token.kind == TokenKind::symbol ? lexed.text(token) != phrase.words[i]
                                        : !is_keyword_token(lexed, token, phrase.words[i]))
      return false;
  }
  return true;
}

// Tells whether a phrase stands at the token at which the parser stopped, or ends shortly before
// it.
bool is_near(const Lexed& lexed, std::int64_t stopped_at, std::size_t first, const Phrase& phrase) {
  const std::size_t last = first + word_count(phrase) - 1 + phrase.behind;
  const auto after_last = last + 1 < lexed.tokens.size()
                              ? std::int64_t{lexed.tokens[last + 1].offset}
                              : static_cast<std::int64_t>(lexed.statement.size());
  return lexed.tokens[first].offset <= stopped_at && stopped_at <= after_last;
}

void refuse_functions(const Lexed& lexed, Problems& problems) {
  for (std::size_t i = lexed.form.first; i + 1 < lexed.form.end; i++) {
    const Token& token = lexed.tokens[i];
    const std::string name = lower(lexed.text(token));
    if (token.kind == TokenKind::word && is_symbol(lexed, lexed.tokens[i + 1], "(") &&
        is_unsupported_function(name))
      static_cast<void>(problems.refuse(token.offset, function_not_supported(name, {})));
  }
}

}  // namespace

Status find_unsupported_syntax(const Lexed& lexed, std::int64_t stopped_at, Problems& problems) {
  std::vector<std::pair<std::int64_t, std::string_view>> found;
  bool is_reason = false;
  for (std::size_t first = lexed.form.first; first < lexed.form.end; first++) {
    if (is_table_function(lexed, first))
      first = after_brackets(lexed, first + 1, lexed.form.end) - 1;
    for (const Phrase& phrase : phrases) {
      if (!stands(lexed, first, phrase)) continue;
      if (std::ranges::find(lexed.qualify, lexed.tokens[first].offset) != lexed.qualify.end())
        continue;
      is_reason = is_reason || is_near(lexed, stopped_at, first, phrase);
      found.emplace_back(lexed.tokens[first].offset, phrase.what);
    }
  }
  if (!is_reason) return {};
  for (const auto& [offset, what] : found)
    static_cast<void>(problems.refuse(offset, not_supported(what)));
  refuse_functions(lexed, problems);
  return Problems::known();
}

}  // namespace penstock::sql
