// Reads lists, structs and maps that are written as text.
#include <algorithm>
#include <vector>

#include "base/ascii.hpp"
#include "expr/constant.hpp"
#include "expr/nested_casts.hpp"
#include "expr/nested_values.hpp"

namespace penstock::expr {
namespace {

using Parts = std::vector<std::string_view>;
constexpr std::size_t max_text_depth = 64;

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_quote(char c) { return c == '"' || c == '\''; }
bool opens(char c) { return c == '[' || c == '{' || c == '('; }
bool closes(char c) { return c == ']' || c == '}' || c == ')'; }

// Returns the place behind a quoted text that begins at `at`; nothing where it does not end.
std::optional<std::size_t> end_of_quotes(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); i++) {
    if (text[i] == '\\')
      i++;
    else if (text[i] == quote)
      return i + 1;
  }
  return std::nullopt;
}

// Splits at the separators that are in no quotes and no brackets. At most `count` parts.
std::optional<Parts> split(std::string_view text, char separator, std::size_t count = SIZE_MAX) {
  Parts parts;
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (is_quote(text[i])) {
      const auto end = end_of_quotes(text, i);
      if (!end) return std::nullopt;
      i = *end - 1;
    } else if (text[i] == '\\') {
      i++;
    } else if (opens(text[i])) {
      if (++depth > max_text_depth) return std::nullopt;
    } else if (closes(text[i])) {
      if (depth-- == 0) return std::nullopt;
    } else if (text[i] == separator && depth == 0 && parts.size() + 1 < count) {
      parts.push_back(without_blanks(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (depth > 0) return std::nullopt;
  parts.push_back(without_blanks(text.substr(begin)));
  return parts;
}

// Returns the parts between two brackets; none of blanks.
std::optional<Parts> parts_between(std::string_view text, char first, char last) {
  if (text.size() < 2 || text.front() != first || text.back() != last) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  if (without_blanks(text).empty()) return Parts();
  return split(text, ',');
}

bool is_quoted(std::string_view part) {
  return part.size() >= 2 && is_quote(part.front()) && end_of_quotes(part, 0) == part.size();
}

std::string without_escapes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] == '\\' && i + 1 < text.size()) i++;
    result += text[i];
  }
  return result;
}

std::string without_quotes(std::string_view part) {
  return without_escapes(is_quoted(part) ? part.substr(1, part.size() - 2) : part);
}

std::optional<Scalar> parse_part(Type type, std::string_view part, bool is_try) {
  if (lower(part) == "null") return Scalar::null_of(type);
  auto value = is_nested(type) && !is_quoted(part)
                   ? parse_value(type, part, is_try)
                   : parse_value(type, without_quotes(part), is_try);
  if (!value && is_try) return Scalar::null_of(type);
  return value;
}

std::optional<Scalar> parse_list(Type type, std::string_view text, bool is_try) {
  const auto parts = parts_between(text, '[', ']');
  if (!parts) return std::nullopt;
  Scalars elements;
  for (const std::string_view part : *parts) {
    auto element = parse_part(type.nested->types[0], part, is_try);
    if (!element) return std::nullopt;
    elements.push_back(*std::move(element));
  }
  return list_of_parts(type, elements);
}

std::optional<std::size_t> field_named(Type type, std::string_view name) {
  for (std::size_t i = 0; i < type.nested->names.size(); i++)
    if (lower(type.nested->names[i]) == lower(name)) return i;
  return std::nullopt;
}

std::optional<Scalar> parse_struct(Type type, std::string_view text, bool is_try) {
  const std::vector<Type>& types = type.nested->types;
  const bool by_place = text.starts_with('(');
  auto parts = by_place ? parts_between(text, '(', ')') : parts_between(text, '{', '}');
  if (by_place && parts && parts->size() == types.size() + 1 && parts->back().empty())
    parts->pop_back();
  if (!parts || (by_place && parts->size() != types.size())) return std::nullopt;
  Scalars fields;
  for (const Type field : types) fields.push_back(Scalar::null_of(field));
  for (std::size_t i = 0; i < parts->size(); i++) {
    const auto pair = by_place ? Parts{{}, (*parts)[i]} : split((*parts)[i], ':', 2);
    if (!pair || pair->size() != 2) return std::nullopt;
    const auto place = by_place ? std::optional(i) : field_named(type, without_quotes((*pair)[0]));
    auto value = place ? parse_part(types[*place], (*pair)[1], is_try) : std::nullopt;
    if (!value) return std::nullopt;
    fields[*place] = *std::move(value);
  }
  return struct_of_parts(type, fields);
}

std::optional<Scalar> parse_map(Type type, std::string_view text, bool is_try) {
  const auto parts = parts_between(text, '{', '}');
  if (!parts) return std::nullopt;
  Scalars keys, values;
  for (const std::string_view part : *parts) {
    const auto pair = split(part, '=', 2);
    if (!pair || pair->size() != 2) return std::nullopt;
    auto key = parse_part(type.nested->types[0], (*pair)[0], false);
    auto value = parse_part(type.nested->types[1], (*pair)[1], is_try);
    if (!key || !value) return std::nullopt;
    keys.push_back(*std::move(key));
    values.push_back(*std::move(value));
  }
  return map_of_parts(type, keys, values);
}

}  // namespace

bool is_readable_as_text(Type type) {
  return type.logical == LogicalType::none || type.logical == LogicalType::blob ||
         type.logical == LogicalType::uuid;
}

std::optional<Scalar> parse_value(Type type, std::string_view text, bool is_try) {
  switch (type.logical) {
    case LogicalType::list: return parse_list(type, without_blanks(text), is_try);
    case LogicalType::structure: return parse_struct(type, without_blanks(text), is_try);
    case LogicalType::map: return parse_map(type, without_blanks(text), is_try);
    default: return parse_as(type, text);
  }
}

}  // namespace penstock::expr
