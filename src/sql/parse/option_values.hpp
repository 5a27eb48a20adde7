// Reads options of table functions and of COPY from tokens: PostgreSQL's parser does not know their
// lists and maps.
#pragma once
#include "penstock/table_reference.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock::sql {

// Walks over the tokens [at, end).
class OptionReader {
 public:
  OptionReader(const Lexed& lexed, std::size_t at, std::size_t end)
      : lexed_(lexed), at_(at), end_(end) {}

  bool is_at_end() const { return at_ >= end_; }
  const Token* peek(std::size_t ahead = 0) const {
    return at_ + ahead < end_ ? &lexed_.tokens[at_ + ahead] : nullptr;
  }
  std::int64_t offset() const;  // of the token it stands at
  bool take(std::string_view symbol_or_keyword);
  // Reads a name as it is written, quoted or not.
  Result<std::string> name();
  // Reads true, 7, 0.5, 'text', a bare word, ['a', 'b'] or {'a': 'VARCHAR'}.
  Result<OptionValue> value();
  // Reads ('a', b): names in parentheses.
  Result<OptionList> names();
  Status wrong(std::string_view wanted) const;

 private:
  Result<std::string> text();  // of a value in a list or map
  Result<OptionValue> number();
  Result<OptionList> list();
  Result<OptionMap> map();

  const Lexed& lexed_;
  std::size_t at_;
  const std::size_t end_;
};

}  // namespace penstock::sql
