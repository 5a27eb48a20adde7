#include "sql/parse/tree.hpp"

#include <algorithm>
#include <mutex>

#include <pg_query.h>

#include "base/unicode.hpp"
#include "sql/parse/source_position.hpp"
#include "sql/parse/suggestions.hpp"
#include "sql/parse/unsupported_syntax.hpp"

namespace penstock::sql {
namespace {

// libpg_query counts in characters from 1.
std::int64_t byte_of_character(std::string_view text, int character) {
  std::size_t at = 0;
  for (int i = 1; i < character && at < text.size(); i++)
    at += std::max<std::uint32_t>(utf8_length(text.substr(at)), 1);
  return static_cast<std::int64_t>(at);
}

// "; did you mean FROM?", where the word at which the parser stopped, or one of the two before it,
// is nearly a keyword. A misspelt keyword reads as an alias: the parser stops behind it.
std::string misspelt_keyword(const Lexed& lexed, std::int64_t offset) {
  const auto is_after = [](std::int64_t at, const Token& token) { return at < token.offset; };
  auto token = std::upper_bound(lexed.tokens.begin(), lexed.tokens.end(), offset, is_after);
  for (int i = 0; i < 3 && token != lexed.tokens.begin(); i++) {
    --token;
    if (token->kind != TokenKind::word) continue;
    if (const std::string near = keyword_near(lexed.text(*token)); !near.empty())
      return "; did you mean " + near + " by '" + std::string(lexed.text(*token)) + "'?";
  }
  return "";
}

// Says what the statement has at the parser's offset, in DuckDB's words.
std::string sentence(const Lexed& lexed, std::int64_t offset, std::string_view message) {
  const Token* token = lexed.at(offset);
  const std::string hint = misspelt_keyword(lexed, offset);
  if (message == "syntax error at end of input") return std::string(message) + hint;
  if (message.starts_with("syntax error") && token != nullptr)
    return "syntax error at or near \"" + std::string(lexed.text(*token).substr(0, 60)) + "\"" +
           hint;
  if (message.starts_with("memory exhausted")) return "the statement nests too deep";
  return std::string(message);
}

// Makes each place in the tree one of the statement. The tree nests as deep as the lexer allows.
void relocate(nlohmann::json& node, const Lexed& lexed) {
  if (node.is_object())
    if (const auto place = node.find("location"); place != node.end() && place->is_number_integer())
      *place = lexed.place_of(place->get<std::int64_t>());
  if (node.is_structured())
    for (nlohmann::json& child : node) relocate(child, lexed);
}

}  // namespace

Result<Parsed> parse(const Lexed& lexed, Problems& problems) {
  // While it parses, libpg_query points the process's stderr at a pipe of its own: two at a time
  // would swap it for good.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto release = [](PgQueryParseResult* result) {
    pg_query_free_parse_result(*result);
    delete result;
  };
  const std::unique_ptr<PgQueryParseResult, decltype(release)> result(
      new PgQueryParseResult(pg_query_parse(lexed.rewritten.c_str())), release);
  if (result->error != nullptr) {
    const std::int64_t offset =
        lexed.place_of(byte_of_character(lexed.rewritten, result->error->cursorpos));
    PENSTOCK_TRY(find_unsupported_syntax(lexed, offset, problems));
    return error_at(lexed.statement, offset, Code::invalid,
                    sentence(lexed, offset, result->error->message));
  }
  auto json =
      std::make_shared<nlohmann::json>(nlohmann::json::parse(result->parse_tree, nullptr, false));
  if (json->is_discarded())
    return Status(Code::internal, "libpg_query gave a parse tree that is not JSON");
  if (!lexed.pieces.empty()) relocate(*json, lexed);
  return Parsed{std::move(json)};
}

}  // namespace penstock::sql
