#include "sql/duckdb/plan_text.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/ascii.hpp"

namespace penstock::sql {
namespace {

bool is_number_without_json(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  const std::string name = lower(word);
  return name == "nan" || name == "inf" || name == "infinity";
}

std::size_t end_of_text(std::string_view json, std::size_t at) {  // behind its quote
  for (at++; at < json.size() && json[at] != '"'; at++) at += json[at] == '\\';
  return std::min(at + 1, json.size());
}

// DuckDB writes numbers that JSON has no word for as they print. They become texts.
std::string with_quoted_numbers(std::string_view json) {
  std::string quoted;
  for (std::size_t at = 0; at < json.size();) {
    std::size_t end = json[at] == '"' ? end_of_text(json, at) : at + 1;
    const auto is_of_word = [&](std::size_t i) {
      return i < json.size() &&
             (std::isalpha(static_cast<unsigned char>(json[i])) != 0 || json[i] == '-');
    };
    if (json[at] != '"' && is_of_word(at))
      while (is_of_word(end)) end++;
    const std::string_view word = json.substr(at, end - at);
    quoted += is_number_without_json(word) ? '"' + std::string(word) + '"' : std::string(word);
    at = end;
  }
  return quoted;
}

}  // namespace

Result<nlohmann::json> parse_plan(std::string_view text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) json = nlohmann::json::parse(with_quoted_numbers(text), nullptr, false);
  if (json.is_discarded()) return Status(Code::invalid, "the plan is not JSON");
  return json;
}

}  // namespace penstock::sql
