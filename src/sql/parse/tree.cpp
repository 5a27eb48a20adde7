#include "sql/parse/tree.hpp"

#include <mutex>

#include <pg_query.h>

#include "base/unicode.hpp"
#include "sql/parse/source_position.hpp"
#include "sql/parse/suggestions.hpp"

namespace penstock::sql {
namespace {

// libpg_query counts in characters from 1.
std::int64_t byte_of_character(std::string_view text, int character) {
  std::size_t at = 0;
  for (int i = 1; i < character && at < text.size(); i++)
    at += std::max<std::uint32_t>(utf8_length(text.substr(at)), 1);
  return static_cast<std::int64_t>(at);
}

// The parser's sentences, with what the statement really says at that place.
std::string sentence(const Lexed& lexed, std::int64_t offset, std::string_view message) {
  const Token* token = lexed.at(offset);
  if (message == "syntax error at end of input") return "the statement ends too early";
  if (message.starts_with("syntax error") && token != nullptr)
    return "syntax error at '" + std::string(lexed.text(*token).substr(0, 60)) + "'";
  if (message.starts_with("memory exhausted")) return "the statement nests too deep";
  return std::string(message);
}

}  // namespace

Result<Parsed> parse(const Lexed& lexed) {
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
    const std::int64_t offset = byte_of_character(lexed.rewritten, result->error->cursorpos);
    if (const Foreign foreign = foreign_words(lexed, offset); foreign.token != nullptr)
      return error_at(lexed.statement, foreign.token->offset, Code::unsupported,
                      not_supported(foreign.what));
    return error_at(lexed.statement, offset, Code::invalid,
                    sentence(lexed, offset, result->error->message));
  }
  auto json =
      std::make_shared<nlohmann::json>(nlohmann::json::parse(result->parse_tree, nullptr, false));
  if (json->is_discarded())
    return Status(Code::internal, "libpg_query gave a parse tree that is not JSON");
  return Parsed{std::move(json)};
}

}  // namespace penstock::sql
