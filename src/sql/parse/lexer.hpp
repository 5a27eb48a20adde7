// Splits a statement into PostgreSQL's tokens and rewrites DuckDB's spellings before PostgreSQL's
// parser sees them.
//
// libpg_query's grammar is PostgreSQL's; the language here is DuckDB's. If both differ in spelling
// only, rewrite() changes bytes in place, so that every byte offset of the parse tree is an offset
// in the statement as the user wrote it:
//
//     FROM 'a.parquet'   ->  FROM "fffffffff"    the name is read from the statement
//     FROM read_csv('a') ->  FROM "ffffffffff"   so are a table function and its options
//     a // b, a ** b     ->  a %  b, a ^  b      the same precedence; tokens keep what was written
//     a == b             ->  a =  b
//     INTERVAL 90 DAYS   ->  INTERVAL'90'DAY
//     * EXCLUDE (a)      ->  *                   read from the statement
//     * REPLACE (a AS b) ->  * , a AS b          items in its parentheses belong to the star
//     ORDER BY ALL       ->  ORDER BY "f"
//     TRY_CAST(a AS int) ->  CAST    (a AS int)
//
// If the order of words differs, rearrange() moves pieces of the text and notes their places:
//
//     FROM t SELECT a    ->  SELECT a FROM t
//     FROM t             ->  SELECT * FROM t
//     FROM (SELECT 1)    ->  FROM (SELECT 1) unnamed_subquery
//
// The tokens also bound the depth of the parse tree. libpg_query does not: it would run out of
// stack.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"  // lower() folds names as PostgreSQL does
#include "penstock/sql.hpp"
#include "penstock/status.hpp"

namespace penstock::sql {

enum class TokenKind : unsigned char { word, quoted, string, number, symbol };

// The kind of a statement, and the tokens of its SELECT.
struct StatementForm {
  StatementKind kind = StatementKind::select;
  std::size_t first = 0, end = 0;  // tokens
  bool is_table = false;           // they are a table: SELECT * FROM it is meant
  CopyTarget target;               // of COPY
};

struct Token {
  TokenKind kind = TokenKind::symbol;
  std::uint32_t offset = 0, length = 0;  // bytes
  bool operator==(const Token&) const = default;
};

// Bytes of the parser's text, up to the next piece, that do not stand at their own place.
struct Piece {
  std::size_t begin = 0;     // in the parser's text
  std::size_t offset = 0;    // of the first byte in the statement
  bool is_inserted = false;  // stands for the statement's one byte there
};

struct Lexed {
  std::string statement;      // as the user wrote it
  std::string rewritten;      // for libpg_query
  std::vector<Token> tokens;  // in order, comments and white space left out
  StatementForm form;
  std::vector<Piece> pieces;  // of `rewritten`, in order; none if each byte has its own place
  // Bytes behind derived tables that have no alias, in order.
  std::vector<std::size_t> unnamed;
  std::vector<std::size_t> qualify;  // bytes of each QUALIFY that `rewritten` has as HAVING

  // Returns the statement's offset of a byte of `rewritten`.
  std::int64_t place_of(std::int64_t offset) const;

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
// Rewrites what the first table above has in lexed.rewritten, and finds derived tables without an
// alias; lex() rewrites operators.
void rewrite(Lexed& lexed);
void rewrite_select_lists(Lexed& lexed);  // stars, ALL and TRY_CAST
void rewrite_qualify(Lexed& lexed);
// Writes the pieces of a SELECT that begins with FROM in PostgreSQL's order, and the names of
// derived tables that have none.
void rearrange(Lexed& lexed);
constexpr std::string_view unnamed_alias = "unnamed_subquery";

// Tells whether a token is this keyword, ignoring case; `keyword` is in lower case.
bool is_keyword_token(const Lexed& lexed, const Token& token, std::string_view keyword);
bool is_symbol(const Lexed& lexed, const Token& token, std::string_view symbol);
// Returns the token after the bracket that closes the one at `open`; `end` if none does.
std::size_t after_brackets(const Lexed& lexed, std::size_t open, std::size_t end);
// Tells whether a token is a * of a SELECT list, and whether it is a word behind one: EXCLUDE.
bool is_star(const Lexed& lexed, std::size_t at);
bool is_star_word(const Lexed& lexed, std::size_t at);
// Tells whether the token, at the beginning of a SELECT, is a FROM that comes first.
bool is_leading_from(const Lexed& lexed, std::size_t at);
// Returns an identifier's or string's value: without quotes, doubled quotes made single; a bare
// word as it is written.
std::string value_of(const Lexed& lexed, const Token& token);
// The schema whose tables list what a session has.
constexpr std::string_view information_schema = "information_schema";
// Returns the text as a string (') or a quoted name (").
std::string in_quotes(std::string_view text, char quote);

}  // namespace penstock::sql
