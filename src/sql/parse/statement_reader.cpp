#include "sql/parse/statement_reader.hpp"

#include <algorithm>

namespace penstock::sql {
namespace {

// Returns the offset behind a comment, which may nest; the end where it is not closed.
std::size_t after_comment(std::string_view text, std::size_t at) {
  if (text[at] == '-') return std::min(text.find_first_of("\r\n", at), text.size());
  int depth = 0;
  for (; at + 1 < text.size(); at++) {
    const std::string_view pair = text.substr(at, 2);
    if (pair != "/*" && pair != "*/") continue;
    depth += pair == "/*" ? 1 : -1;
    at++;
    if (depth == 0) return at + 1;
  }
  return text.size();
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::string first_word_of(std::string_view statement) {
  std::size_t at = 0;
  for (;;) {
    while (at < statement.size() && is_space(statement[at])) at++;
    const std::string_view pair = statement.substr(std::min(at, statement.size()), 2);
    if (pair != "--" && pair != "/*") break;
    at = after_comment(statement, at);
  }
  std::size_t end = at;
  while (end < statement.size() && is_letter(statement[end])) end++;
  return lower(statement.substr(at, end - at));
}

StatementReader::StatementReader(std::string_view statement) {
  const std::size_t end = statement.find_last_not_of(" \t\r\n;");
  lexed_.statement = statement.substr(0, end == statement.npos ? 0 : end + 1);
  lexed_.tokens = tokens_until_open(lexed_.statement, is_open_);
}

bool StatementReader::is_next(std::string_view word, std::size_t ahead) const {
  if (at_ + ahead >= lexed_.tokens.size()) return false;
  const Token& token = lexed_.tokens[at_ + ahead];
  return token.kind == TokenKind::symbol ? is_symbol(lexed_, token, word)
                                         : is_keyword_token(lexed_, token, word);
}

bool StatementReader::is_name_next() const {
  return !is_at_end() && (lexed_.tokens[at_].kind == TokenKind::word ||
                          lexed_.tokens[at_].kind == TokenKind::quoted);
}

bool StatementReader::take(std::string_view word) {
  const bool is_here = is_next(word);
  at_ += is_here;
  return is_here;
}

std::string StatementReader::take_any(std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (take(word)) return std::string(word);
  return {};
}

void StatementReader::skip_brackets() { at_ = after_brackets(lexed_, at_, lexed_.tokens.size()); }

Result<std::string> StatementReader::name() {
  if (!is_name_next()) return wrong("a name is expected");
  return value_of(lexed_, lexed_.tokens[at_++]);
}

Result<std::string> StatementReader::table_name() {
  const bool has_schema = is_name_next() && is_next(".", 1);
  if (has_schema && lower(value_of(lexed_, lexed_.tokens[at_])) == "memory") at_ += 2;
  if (has_schema && is_name_next() && is_next(".", 1) &&
      lower(value_of(lexed_, lexed_.tokens[at_])) == "main")
    at_ += 2;
  PENSTOCK_ASSIGN(std::string read, name());
  if (is_next("."))
    return refuse("a name with a schema other than main is not supported; write the name alone");
  return read;
}

Result<std::vector<std::string>> StatementReader::names() {
  std::vector<std::string> read;
  if (!take("(")) return wrong("\"(\" is expected");
  do { PENSTOCK_ASSIGN(read.emplace_back(), name()); } while (take(","));
  if (!take(")")) return wrong("\")\" is expected");
  return read;
}

Result<std::string> StatementReader::value() {
  std::string sign(take("-") ? "-" : "");
  if (is_at_end() || lexed_.tokens[at_].kind == TokenKind::symbol)
    return wrong("a value is expected");
  const Token& token = lexed_.tokens[at_++];
  return sign + (token.kind == TokenKind::number ? std::string(lexed_.text(token))
                                                 : value_of(lexed_, token));
}

std::string_view StatementReader::next_text() const {
  return is_at_end() ? std::string_view() : lexed_.text(lexed_.tokens[at_]);
}

std::string StatementReader::next_upper() const {
  if (is_at_end() || lexed_.tokens[at_].kind != TokenKind::word) return {};
  std::string word(next_text().substr(0, 40));
  for (char& c : word)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return word;
}

std::string StatementReader::text_of(std::size_t first, std::size_t end) const {
  if (first >= end) return {};
  const Token& last = lexed_.tokens[end - 1];
  const std::size_t begin = lexed_.tokens[first].offset;
  return lexed_.statement.substr(begin, last.offset + last.length - begin);
}

std::string StatementReader::rest() {
  const std::size_t first = std::exchange(at_, lexed_.tokens.size());
  return text_of(first, at_);
}

// a IS [NOT] DISTINCT FROM b
bool StatementReader::is_from_of_distinct() const {
  return is_next("from") && at_ > 0 && is_keyword_token(lexed_, lexed_.tokens[at_ - 1], "distinct");
}

std::string StatementReader::text_before(std::initializer_list<std::string_view> words) {
  const std::size_t first = at_;
  int depth = 0;
  for (; !is_at_end(); at_++) {
    const std::string_view text = next_text();
    const bool is_any = std::ranges::any_of(words, [&](auto word) { return is_next(word); });
    if (depth == 0 && is_any && !is_from_of_distinct()) break;
    const bool closes = text == ")" || text == "]" || text == "}";
    if (depth == 0 && closes) break;  // it would end a bracket of the text around it
    depth += text == "(" || text == "[" || text == "{";
    depth -= closes;
  }
  return text_of(first, at_);
}

Status StatementReader::wrong(const std::string& message, Code code) const {
  const std::size_t offset = is_at_end() ? lexed_.statement.size() : lexed_.tokens[at_].offset;
  return error_at(lexed_.statement, static_cast<std::int64_t>(offset), code, message);
}

Status StatementReader::check_closed() const {
  if (!is_open_) return {};
  return error_at(lexed_.statement, static_cast<std::int64_t>(lexed_.statement.size()),
                  Code::invalid, "a string, a name or a comment is not closed");
}

Status StatementReader::end() const {
  return is_at_end() ? Status() : wrong("the end of the statement is expected");
}

}  // namespace penstock::sql
