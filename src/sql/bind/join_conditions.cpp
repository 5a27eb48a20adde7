#include "sql/bind/join_conditions.hpp"

#include <algorithm>

#include "sql/bind/subqueries.hpp"

namespace penstock::sql {

std::vector<SyntaxPtr> using_conditions(const Scope& scope, std::size_t table,
                                        const FromTable& from) {
  std::vector<SyntaxPtr> conditions;
  const auto column = [&](std::uint32_t index) {
    auto syntax = std::make_shared<Syntax>();
    syntax->kind = SyntaxKind::column;
    syntax->offset = from.offset;
    syntax->name = scope.schema[index].name;
    syntax->index = index;
    return syntax;
  };
  for (const std::uint32_t merged : scope.tables[table].merged) {
    const std::uint32_t first = scope.tables[from.join_first].first;
    const Schema before(scope.schema.begin() + first,
                        scope.schema.begin() + scope.tables[table].first);
    auto equal = std::make_shared<Syntax>();
    equal->kind = SyntaxKind::operation;
    equal->name = "=";
    equal->offset = from.offset;
    equal->inputs = {column(first + *find_field(before, scope.schema[merged].name)),
                     column(merged)};
    conditions.push_back(std::move(equal));
  }
  return conditions;
}

SyntaxPtr key_where(const SyntaxPtr& key, const std::vector<SyntaxPtr>& conditions) {
  if (conditions.empty()) return key;
  auto null = std::make_shared<Syntax>();
  null->offset = key->offset;
  auto choice = std::make_shared<Syntax>();
  choice->kind = SyntaxKind::case_of;
  choice->name = "case";
  choice->offset = key->offset;
  choice->inputs = {conjunction(conditions), key, null};
  return choice;
}

bool has_subquery(const SyntaxPtr& where) {
  return std::ranges::any_of(conjuncts(where), [](const SyntaxPtr& condition) {
    return subquery_condition(condition).has_value();
  });
}

}  // namespace penstock::sql
