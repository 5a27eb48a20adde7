// Reads statements that libpg_query does not see, token by token: CREATE, INSERT, SET.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sql/parse/lexer.hpp"
#include "sql/parse/source_position.hpp"

namespace penstock::sql {

// Returns the first word of a statement in lower case, without reading the rest of it; "" if it
// begins with anything else.
std::string first_word_of(std::string_view statement);

class StatementReader {
 public:
  explicit StatementReader(std::string_view statement);

  const std::string& statement() const { return lexed_.statement; }  // without semicolons
  // An error for text behind which a string, a quoted name or a comment is open: it has no tokens.
  Status check_closed() const;
  bool is_at_end() const { return at_ == lexed_.tokens.size(); }
  // Tells whether the next token is a keyword in any case, or a symbol.
  bool is_next(std::string_view word, std::size_t ahead = 0) const;
  bool is_name_next() const;
  bool take(std::string_view word);
  // Takes one of the words; returns "" where none of them is next.
  std::string take_any(std::initializer_list<std::string_view> words);
  void skip() { at_ += !is_at_end(); }
  void skip_brackets();
  // Takes a name, quoted or not, in the case that is written.
  Result<std::string> name();
  // Takes a table's name. DuckDB's own schema may stand before it: main.t, memory.main.t.
  Result<std::string> table_name();
  // Takes names in parentheses.
  Result<std::vector<std::string>> names();
  // Takes a string's text, or a word or number as it is written.
  Result<std::string> value();

  std::string_view next_text() const;  // of the next token; "" at the end
  std::string next_upper() const;      // a word in capitals, for messages; "" otherwise
  // Returns the text up to the end, and takes it.
  std::string rest();
  // Returns the text before the next of some words outside of brackets, or up to the end.
  std::string text_before(std::initializer_list<std::string_view> words);

  Status wrong(const std::string& message, Code code = Code::invalid) const;
  // Refuses what is next by its name, as far as it has one.
  Status refuse(const std::string& what) const { return wrong(what, Code::unsupported); }
  // Expects the end of the statement.
  Status end() const;

 private:
  bool is_from_of_distinct() const;
  std::string text_of(std::size_t first, std::size_t end) const;

  Lexed lexed_;
  std::size_t at_ = 0;  // token
  bool is_open_ = false;
};

}  // namespace penstock::sql
