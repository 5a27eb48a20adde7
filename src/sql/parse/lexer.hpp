// Splits a statement into PostgreSQL's tokens and rewrites what only DuckDB spells so, before
// PostgreSQL's parser sees it.
//
// libpg_query's grammar is PostgreSQL's; the language here is DuckDB's. Where both differ in
// spelling only, rewrite() changes bytes in place, so that every byte offset of the parse tree is
// one of the statement as the user wrote it:
//
//     FROM 'a.parquet'   ->  FROM "fffffffff"    the name is read from the statement
//     a // b, a ** b     ->  a %  b, a ^  b      the same precedence; tokens keep what was written
//     a == b             ->  a =  b
//     INTERVAL 90 DAYS   ->  INTERVAL'90'DAY
//
// The tokens also bound the depth of the parse tree. libpg_query does not: it would run out of
// stack.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"  // lower() folds names as PostgreSQL does
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
  // Returns the token that starts at a byte offset; nullptr if none does.
  const Token* at(std::int64_t offset) const;
};

// Refuses NUL bytes, invalid UTF-8 (RFC 3629), unclosed strings, names and comments, and statements
// that would nest too deep.
Result<Lexed> lex(std::string_view statement);
// Returns the tokens of a text as far as it can be read: to its end, or to a string, name or
// comment that is not closed, which sets `is_open`.
std::vector<Token> tokens_until_open(std::string_view text, bool& is_open);
// Rewrites table names and intervals of the table above in lexed.rewritten; lex() rewrites
// operators.
void rewrite(Lexed& lexed);

// Tells whether a token is this keyword, ignoring case; `keyword` is in lower case.
bool is_keyword_token(const Lexed& lexed, const Token& token, std::string_view keyword);
// Returns an identifier's or string's value: without quotes, doubled quotes made single; a bare
// word as it is written.
std::string value_of(const Lexed& lexed, const Token& token);

}  // namespace penstock::sql
