#include "sql/parse/parameters.hpp"

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "column/nested/nested_column.hpp"
#include "penstock/expression.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/parse/source_position.hpp"

namespace penstock::sql {
namespace {

constexpr std::uint32_t number_limit = 65535;  // as PostgreSQL's protocol counts parameters

class ParameterFinder {
 public:
  explicit ParameterFinder(std::string_view statement) : statement_(statement) {
    bool is_open = false;  // the binder's error says what is not closed
    tokens_ = tokens_until_open(statement, is_open);
  }

  Result<std::vector<Parameter>> find() {
    for (std::size_t i = 0; i < tokens_.size(); i++) {
      if (tokens_[i].kind != TokenKind::symbol) continue;
      if (text(tokens_[i]) == "$" && is_followed(i)) {
        PENSTOCK_TRY(add_dollar(tokens_[i], tokens_[i + 1]));
        continue;
      }
      // The lexer reads `=?` as one operator.
      for (std::uint32_t at = 0; at < tokens_[i].length; at++)
        if (statement_[tokens_[i].offset + at] == '?')
          found_.push_back({tokens_[i].offset + at, 1, std::to_string(found_.size() + 1)});
    }
    PENSTOCK_TRY(check_kinds());
    return std::move(found_);
  }

 private:
  std::string_view text(const Token& token) const {
    return statement_.substr(token.offset, token.length);
  }
  bool is_followed(std::size_t dollar) const {
    if (dollar + 1 == tokens_.size()) return false;
    const Token& next = tokens_[dollar + 1];
    return next.offset == tokens_[dollar].offset + 1 &&
           (next.kind == TokenKind::word || next.kind == TokenKind::number);
  }
  Status wrong(std::uint32_t offset, std::string message) const {
    return error_at(statement_, offset, Code::invalid, std::move(message));
  }

  Status add_dollar(const Token& dollar, const Token& next) {
    const std::string_view name = text(next);
    const bool is_number = next.kind == TokenKind::number;
    std::uint32_t number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (is_number && (read.ptr != name.data() + name.size() || read.ec != std::errc() ||
                      number == 0 || number > number_limit))
      return wrong(dollar.offset, "a parameter's number is 1 to " + std::to_string(number_limit));
    found_.push_back({dollar.offset, 1 + next.length,
                      is_number ? std::to_string(number) : std::string(name), !is_number});
    return {};
  }

  Status check_kinds() const {
    for (const Parameter& parameter : found_)
      if (parameter.is_named != found_[0].is_named ||
          statement_[parameter.offset] != statement_[found_[0].offset])
        return wrong(parameter.offset, "a statement has one kind of parameters: ?, $1 or $name");
    return {};
  }

  const std::string_view statement_;
  std::vector<Token> tokens_;
  std::vector<Parameter> found_;
};

// A statement cannot hold NUL bytes, which strings may have.
std::string string_constant(std::string_view text) {
  if (text.find('\0') == text.npos) return in_quotes(text, '\'');
  std::string parts = "(";
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    parts +=
        (begin == 0 ? "" : " || chr(0) || ") + in_quotes(text.substr(begin, end - begin), '\'');
    begin = end + 1;
  }
  return parts + ")";
}

// The parser counts the digits of a number, and a zero before the point is one.
std::string number_text(const Scalar& value) {
  std::string text = text_of(value);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (text.substr(first, 2) == "0.") text.erase(first, 1);
  return text;
}

std::string constant_of(const Scalar& value) {
  if (value.is_null) return "CAST(NULL AS " + name_of(value.type) + ")";
  if (is_text(value.type)) return string_constant(value.text);
  if (value.type.kind == Kind::boolean) return text_of(value);
  const bool is_exact = is_numeric(value.type) && !is_float(value.type);
  const std::string text = is_exact ? number_text(value) : in_quotes(text_of(value), '\'');
  return "CAST(" + text + " AS " + name_of(value.type) + ")";
}

std::string constant_of(const column::NestedColumn& rows, std::uint64_t row);

// Returns the elements of a list, or what a map's elements have in one of their two fields.
std::string list_constant(const column::NestedColumn& elements, std::int64_t begin,
                          std::int64_t end) {
  if (begin == end) return "CAST(list_value() AS " + name_of(elements.type) + "[])";
  std::string text;
  for (std::int64_t at = begin; at < end; at++)
    text += (text.empty() ? "list_value(" : ", ") +
            constant_of(elements, static_cast<std::uint64_t>(at));
  return text + ")";
}

std::string struct_constant(const column::NestedColumn& rows, std::uint64_t row) {
  std::string text;
  for (std::size_t field = 0; field < rows.children.size(); field++)
    text += (text.empty() ? "struct_pack(" : ", ") +
            in_quotes(rows.type.nested->names[field], '"') +
            " := " + constant_of(rows.children[field], row);
  return text + ")";
}

std::string constant_of(const column::NestedColumn& rows, std::uint64_t row) {
  if (rows.children.empty()) return constant_of(scalar_at(rows.leaf, row));
  if (!rows.is_valid(row)) return "CAST(NULL AS " + name_of(rows.type) + ")";
  if (rows.type.logical == LogicalType::structure) return struct_constant(rows, row);
  const std::int64_t begin = rows.offsets[row], end = rows.offsets[row + 1];
  const column::NestedColumn& elements = rows.children[0];
  if (rows.type.logical == LogicalType::list) return list_constant(elements, begin, end);
  return "map(" + list_constant(elements.children[0], begin, end) + ", " +
         list_constant(elements.children[1], begin, end) + ")";
}

Result<std::string> constant_of(const Column& given) {
  if (given.row_count == 0) return std::string("NULL");
  if (is_nested(given.type)) return constant_of(column::unpack(given), 0);
  PENSTOCK_ASSIGN(const Column column, decoded(given));
  return constant_of(scalar_at(column, 0));
}

bool touches_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         c == '\'' || c == '"' || static_cast<unsigned char>(c) >= 0x80;
}

// Returns a column for each parameter, in the order of the text.
Result<std::vector<std::size_t>> columns_of_parameters(std::string_view statement,
                                                       const std::vector<Parameter>& parameters,
                                                       const Table& values) {
  std::vector<bool> is_used(values.columns.size());
  std::vector<std::size_t> columns;
  for (const Parameter& parameter : parameters) {
    std::size_t at = 0;
    if (parameter.is_named)
      at = static_cast<std::size_t>(std::ranges::find(values.names, parameter.name) -
                                    values.names.begin());
    else
      at = std::stoul(parameter.name) - 1;
    if (at >= values.columns.size())
      return error_at(statement, parameter.offset, Code::invalid,
                      "the parameter " + parameter.name +
                          " has no value; values given: " + std::to_string(values.columns.size()));
    is_used[at] = true;
    columns.push_back(at);
  }
  const auto unused = std::ranges::find(is_used, false);
  if (unused == is_used.end()) return columns;
  const auto at = static_cast<std::size_t>(unused - is_used.begin());
  const bool by_name = !parameters.empty() && parameters[0].is_named;
  return Status(Code::invalid, "the statement has no parameter " +
                                   (by_name ? "$" + values.names[at] : std::to_string(at + 1)) +
                                   ", for which a value is given");
}

}  // namespace

Result<std::vector<Parameter>> parameters_of(std::string_view statement) {
  return ParameterFinder(statement).find();
}

Result<std::string> with_parameters(std::string_view statement, const Table& values) {
  if (!values.columns.empty() && values.row_count != 1)
    return Status(Code::invalid,
                  "values of parameters are one row, not " + std::to_string(values.row_count));
  PENSTOCK_ASSIGN(const std::vector<Parameter> parameters, parameters_of(statement));
  PENSTOCK_ASSIGN(const std::vector<std::size_t> columns,
                  columns_of_parameters(statement, parameters, values));
  std::string text;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < parameters.size(); i++) {
    const Parameter& parameter = parameters[i];
    text += statement.substr(copied, parameter.offset - copied);
    copied = parameter.offset + parameter.length;
    PENSTOCK_ASSIGN(const std::string constant, constant_of(values.columns[columns[i]]));
    // Any other character may become a part of the constant: "u&?" is no U&'...'.
    if (!text.empty() && std::string_view(" \t\r\n(,").find(text.back()) == std::string_view::npos)
      text += ' ';
    text += constant;
    if (copied < statement.size() && touches_word(statement[copied])) text += ' ';
  }
  text += statement.substr(copied);
  return text;
}

}  // namespace penstock::sql
