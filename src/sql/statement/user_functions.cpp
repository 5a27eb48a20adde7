#include "sql/statement/user_functions.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "sql/bind/expression_binder.hpp"
#include "sql/duckdb/plan_statistics.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/parse/suggestions.hpp"

namespace penstock::sql {
namespace {

bool is_of_sql(const std::string& name) {
  return std::ranges::binary_search(known_functions(), name) || is_unsupported_function(name) ||
         statistic_named(name) != nullptr || is_reduction(name);
}

// Tells whether a call of the name is read as one: no word of SQL's grammar is.
bool is_callable(const std::string& name) {
  UserFunctions users;
  users.functions[name] = std::make_shared<CustomFunction>();
  const Result<Lexed> lexed = lex("SELECT " + name + "(1)");
  if (!lexed.ok()) return false;
  Problems problems(lexed->statement);
  const Result<Select> select = read_select(*lexed, problems, {}, &users);
  return select.ok() && problems.status().ok() && select->items.size() == 1 &&
         select->items[0].value->user_function;
}

}  // namespace

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
}

Status check_user_name(const std::string& name) {
  if (!is_identifier(name))
    return {Code::invalid, "a function's name has letters, digits and _, not '" + name + "'"};
  if (is_of_sql(lower(name)))
    return {Code::invalid, name + " is a function of SQL already: take another name"};
  if (!is_callable(lower(name)))
    return {Code::invalid, "SQL cannot call a function " + name +
                               ": it is a word of its grammar, or longer than 63 letters"};
  return {};
}

std::string user_function_called(std::string_view statement, const UserFunctions* users) {
  if (users == nullptr) return "";
  bool is_open = false;
  const std::vector<Token> tokens = tokens_until_open(statement, is_open);
  const auto text = [&](const Token& token) {
    return statement.substr(token.offset, token.length);
  };
  for (std::size_t i = 0; i + 1 < tokens.size(); i++) {
    if (text(tokens[i + 1]) != "(") continue;
    std::string name = lower(text(tokens[i]));
    if (name.size() > 2 && name[0] == '"') name = name.substr(1, name.size() - 2);
    if (users->functions.contains(name) || users->reductions.contains(name)) return name;
  }
  return "";
}

bool suggests_user_function(const Status& error, const UserFunctions* users) {
  if (users == nullptr) return false;
  const auto is_suggested = [&](const auto& named) {
    return error.message().find("did you mean " + named.first + "?") != std::string::npos;
  };
  return std::ranges::any_of(users->functions, is_suggested) ||
         std::ranges::any_of(users->reductions, is_suggested);
}

Status unknown_to_duckdb(const std::string& name) {
  return {Code::unsupported,
          "the session's function " + name + " is known to our own planner alone, not to DuckDB's"};
}

Status error_with_user(const Status& own, const std::string& name) {
  const bool is_refusal = own.code() == Code::unsupported ||
                          own.message().find(" is not supported") != std::string::npos;
  return is_refusal ? own.with(unknown_to_duckdb(name).message()) : own;
}

}  // namespace penstock::sql
