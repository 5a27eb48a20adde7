#include "sql/bind/repeated_rows.hpp"

#include <algorithm>
#include <array>

namespace penstock::sql {
namespace {

bool takes_values_once(const Syntax& aggregate) {
  constexpr std::array<std::string_view, 4> once = {"min", "max", "bool_and", "bool_or"};
  return aggregate.distinct || std::ranges::find(once, aggregate.name) != once.end();
}

bool are_all_once(const Syntax& syntax) {
  if (syntax.over) return false;
  if (is_aggregate(syntax) && !takes_values_once(syntax)) return false;
  const std::vector<SyntaxPtr> parts = parts_of(syntax);
  return std::ranges::all_of(parts, [](const SyntaxPtr& part) { return are_all_once(*part); });
}

// Returns the expressions of a SELECT but for WHERE. An alias is one of the items.
std::vector<SyntaxPtr> expressions(const Names& names, const Select& select) {
  std::vector<SyntaxPtr> all;
  for (const SelectItem& item : names.items()) all.push_back(item.value);
  const auto add = [&](const SyntaxPtr& term) {
    const bool is_alias = term->kind == SyntaxKind::column && names.alias(*term).has_value();
    if (!is_alias) all.push_back(term);
  };
  for (const SyntaxPtr& key : select.group_by) add(key);
  for (const SyntaxPtr& key : select.distinct_on) add(key);
  if (select.having) add(select.having);
  if (select.qualify) add(select.qualify);
  if (!select.orders_by_all)
    for (const OrderItem& item : select.order_by) add(item.value);
  return all;
}

}  // namespace

std::optional<Tables> tables_read_once(const Names& names, const Select& select) {
  const std::vector<SyntaxPtr> all = expressions(names, select);
  const bool is_grouped =
      !select.group_by.empty() || select.groups_by_all ||
      std::ranges::any_of(all, [](const SyntaxPtr& one) { return contains_aggregate(*one); });
  if (!is_grouped && !select.distinct) return std::nullopt;
  Tables tables;
  for (const SyntaxPtr& one : all) {
    const std::optional<Tables> read = are_all_once(*one) ? tables_read(names, *one) : std::nullopt;
    if (!read) return std::nullopt;
    tables.insert(read->begin(), read->end());
  }
  return tables;
}

}  // namespace penstock::sql
