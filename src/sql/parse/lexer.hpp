// PostgreSQL's tokens, as far as a statement has to be understood before its parser sees it.
//
// libpg_query's grammar is PostgreSQL's; the language here is DuckDB's. Where both differ in
// spelling only, rewrite() changes bytes in place, so that every byte offset of the parse tree is
// one of the statement as the user wrote it:
//
//     FROM 'a.parquet'   ->  FROM "fffffffff"    the name is read from the statement
//     a // b, a ** b     ->  a %  b, a ^  b      the same precedence; tokens say what stood there
//     a == b             ->  a =  b
//     INTERVAL 90 DAYS   ->  INTERVAL'90'DAY
//
// The tokens also bound how deep a parse tree can nest, which libpg_query itself does not: it would
// run out of stack.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::sql {

enum class TokenKind : unsigned char { word, quoted, string, number, symbol };

struct Token {
  TokenKind kind = TokenKind::symbol;
  std::uint32_t offset = 0, length = 0;  // bytes
  bool operator==(const Token&) const = default;
};

struct Lexed {
  std::string statement;      // as the user wrote it
  std::string rewritten;      // of the same length, for libpg_query
  std::vector<Token> tokens;  // in order, comments and white space left out

  std::string_view text(const Token& token) const {
    return std::string_view(statement).substr(token.offset, token.length);
  }
  // The token that starts at a byte offset; nullptr if none does.
  const Token* at(std::int64_t offset) const;
};

// Refuses NUL bytes, malformed UTF-8 (RFC 3629), text left open, and trees that would nest too
// deep.
Result<Lexed> lex(std::string_view statement);
// The last three rows of the table above, in lexed.rewritten; operators are rewritten as they are
// read.
void rewrite(Lexed& lexed);

// Whether a token is this keyword, whatever its case; `keyword` in lower case.
bool is_keyword_token(const Lexed& lexed, const Token& token, std::string_view keyword);
// An identifier's or string's value: quotes removed, doubled quotes made single; a bare word as it
// stands.
std::string value_of(const Lexed& lexed, const Token& token);
std::string lower(std::string_view text);  // ASCII only, as PostgreSQL folds identifiers

}  // namespace penstock::sql
