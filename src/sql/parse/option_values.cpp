#include "sql/parse/option_values.hpp"

#include <charconv>

#include "sql/parse/source_position.hpp"

namespace penstock::sql {
namespace {

template <class T> bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::int64_t OptionReader::offset() const {
  if (const Token* token = peek()) return token->offset;
  const std::size_t last = std::min(end_, lexed_.tokens.size());
  if (last == 0) return 0;
  return std::int64_t{lexed_.tokens[last - 1].offset} + lexed_.tokens[last - 1].length;
}

Status OptionReader::wrong(std::string_view wanted) const {
  const Token* token = peek();
  const std::string found =
      token == nullptr ? "the end" : "\"" + std::string(lexed_.text(*token).substr(0, 60)) + "\"";
  return error_at(lexed_.statement, offset(), Code::invalid,
                  "syntax error at " + found + "; " + std::string(wanted) + " is expected");
}

bool OptionReader::take(std::string_view symbol_or_keyword) {
  const Token* token = peek();
  if (token == nullptr || (!is_symbol(lexed_, *token, symbol_or_keyword) &&
                           !is_keyword_token(lexed_, *token, symbol_or_keyword)))
    return false;
  at_++;
  return true;
}

Result<std::string> OptionReader::name() {
  const Token* token = peek();
  if (token == nullptr || (token->kind != TokenKind::word && token->kind != TokenKind::quoted))
    return wrong("a name");
  at_++;
  return value_of(lexed_, *token);
}

Result<std::string> OptionReader::text() {
  const Token* token = peek();
  if (token == nullptr || token->kind == TokenKind::symbol) return wrong("a text");
  at_++;
  std::string text = value_of(lexed_, *token);
  if (token->kind != TokenKind::word || peek() == nullptr || !is_symbol(lexed_, *peek(), "("))
    return text;
  const std::size_t after = after_brackets(lexed_, at_, end_);  // DECIMAL(10, 2)
  const Token& last = lexed_.tokens[after - 1];
  text = lexed_.statement.substr(token->offset, last.offset + last.length - token->offset);
  at_ = after;
  return text;
}

Result<OptionValue> OptionReader::number() {
  const std::size_t first = at_;
  const std::string sign = take("-") ? "-" : "";
  const Token* token = peek();
  std::int64_t integer = 0;
  double real = 0;
  const std::string text = token == nullptr || token->kind != TokenKind::number
                               ? ""
                               : sign + std::string(lexed_.text(*token));
  at_++;
  if (parse_whole(text, integer)) return OptionValue(integer);
  if (parse_whole(text, real)) return OptionValue(real);
  at_ = first;
  return wrong("a number");
}

Result<OptionList> OptionReader::list() {
  OptionList list;
  take("[");
  while (!take("]")) {
    if (!list.empty() && !take(",")) return wrong("\"]\"");
    PENSTOCK_ASSIGN(std::string text_of_item, text());
    list.push_back(std::move(text_of_item));
  }
  return list;
}

Result<OptionMap> OptionReader::map() {
  OptionMap map;
  take("{");
  while (!take("}")) {
    if (!map.empty() && !take(",")) return wrong("\"}\"");
    PENSTOCK_ASSIGN(std::string key, text());
    if (!take(":")) return wrong("\":\"");
    PENSTOCK_ASSIGN(std::string text_of_value, text());
    map.emplace_back(std::move(key), std::move(text_of_value));
  }
  return map;
}

Result<OptionList> OptionReader::names() {
  OptionList names;
  take("(");
  while (!take(")")) {
    if (!names.empty() && !take(",")) return wrong("\")\"");
    PENSTOCK_ASSIGN(std::string text_of_name, text());
    names.push_back(std::move(text_of_name));
  }
  return names;
}

Result<OptionValue> OptionReader::value() {
  const Token* token = peek();
  if (token == nullptr) return wrong("a value");
  if (is_symbol(lexed_, *token, "[")) {
    PENSTOCK_ASSIGN(OptionList items, list());
    return OptionValue(std::move(items));
  }
  if (is_symbol(lexed_, *token, "{")) {
    PENSTOCK_ASSIGN(OptionMap items, map());
    return OptionValue(std::move(items));
  }
  if (token->kind == TokenKind::number || is_symbol(lexed_, *token, "-")) return number();
  if (take("true")) return OptionValue(true);
  if (take("false")) return OptionValue(false);
  PENSTOCK_ASSIGN(std::string text_of_value, text());
  return OptionValue(std::move(text_of_value));
}

}  // namespace penstock::sql
