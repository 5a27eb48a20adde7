// DuckDB's text of a SELECT: the name of a column that a subquery is, without an alias.
#include "column/keywords.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/parse/syntax.hpp"

namespace penstock::sql {
namespace {

std::string list(const std::vector<SyntaxPtr>& items) {
  std::string text;
  for (const SyntaxPtr& item : items) text += (text.empty() ? "" : ", ") + display(*item);
  return text;
}

std::string items_of(const Select& select) {
  std::string text;
  for (const SelectItem& item : select.items)
    text += (text.empty() ? "" : ", ") + display(*item.value) +
            (item.alias.empty() ? "" : " AS " + display_name(item.alias));
  return text;
}

std::string table_of(const FromTable& table) {
  const bool is_function = !table.table.format.empty();
  const std::string name = table.subquery ? "(" + display(*table.subquery) + ")"
                           : is_function  ? table.table.text()
                                          : display_name(table.name);
  const bool has_alias = !table.alias.empty() && !table.alias.starts_with(unnamed_alias);
  return name + (has_alias ? " AS " + display_name(table.alias) : "");
}

std::string word_of(const FromTable& table) {
  const bool is_tied = table.on || !table.using_columns.empty() || table.is_natural;
  switch (table.form) {
    case JoinForm::inner: return is_tied ? "INNER" : "CROSS";
    case JoinForm::left: return "LEFT";
    case JoinForm::right: return "RIGHT";
    case JoinForm::full: return "FULL";
  }
  return "";
}

std::string tables_of(const Select& select) {
  std::string text;
  for (const FromTable& table : select.from) {
    if (!table.is_joined) {
      text += (text.empty() ? "" : " , ") + table_of(table);
      continue;
    }
    std::string columns;
    for (const std::string& column : table.using_columns)
      columns += (columns.empty() ? "" : ", ") + display_name(column);
    text = "(" + text + (table.is_natural ? " NATURAL " : " ") + word_of(table) + " JOIN " +
           table_of(table);
    if (table.on) text += " ON (" + display(*table.on) + ")";
    if (!columns.empty()) text += " USING (" + columns + ")";
    text += ")";
  }
  return text;
}

std::string order_of(const Select& select) {
  if (select.orders_by_all) return "ALL";
  std::string text;
  for (const OrderItem& item : select.order_by)
    text += (text.empty() ? "" : ", ") + display(*item.value) + item.shown;
  return text;
}

std::string lists_of(const Select& select) {
  std::string text;
  for (const std::vector<SyntaxPtr>& values : select.values)
    text += (text.empty() ? "VALUES (" : ", (") + list(values) + ")";
  return text;
}

std::string set_of(const SetOperation& set) {
  const std::string_view word = set.kind == SetKind::unite       ? " UNION "
                                : set.kind == SetKind::intersect ? " INTERSECT "
                                                                 : " EXCEPT ";
  return "(" + display(*set.left) + ")" + std::string(word) + (set.all ? "ALL " : "") + "(" +
         display(*set.right) + ")";
}

}  // namespace

std::string display(const Select& select) {
  if (select.set) return set_of(*select.set);
  if (!select.values.empty()) return lists_of(select);
  std::string text = std::string("SELECT ") + (select.distinct ? "DISTINCT " : "");
  if (!select.distinct_on.empty()) text += "DISTINCT ON (" + list(select.distinct_on) + ") ";
  text += items_of(select);
  const auto add = [&](const char* word, const std::string& clause) {
    if (!clause.empty()) text += word + clause;
  };
  add(" FROM ", tables_of(select));
  if (select.where) add(" WHERE ", display(*select.where));
  add(" GROUP BY ", select.groups_by_all ? "ALL" : list(select.group_by));
  if (select.having) add(" HAVING ", display(*select.having));
  if (select.qualify) add(" QUALIFY ", display(*select.qualify));
  add(" ORDER BY ", order_of(select));
  if (select.limit) add(" LIMIT ", display(*select.limit));
  if (select.offset) add(" OFFSET ", display(*select.offset));
  return text;
}

}  // namespace penstock::sql
