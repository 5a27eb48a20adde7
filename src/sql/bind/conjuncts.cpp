#include "sql/bind/conjuncts.hpp"

#include <algorithm>
#include <map>

namespace penstock::sql {
namespace {

bool is_operation(const SyntaxPtr& syntax, std::string_view name) {
  return syntax->kind == SyntaxKind::operation && syntax->name == name;
}

// A placeholder may read any column where its parts were not read.
bool is_unread(const Syntax& syntax) {
  return syntax.kind == SyntaxKind::refused && syntax.inputs.empty();
}

bool read(const Names& names, const Syntax& syntax, Tables& tables);

// A subquery reads what it is joined by. One that is no value is not known.
bool read_subquery(const Names& names, const Syntax& syntax, Tables& tables) {
  const auto found = names.scope().values.find(syntax.subquery.get());
  if (found == names.scope().values.end() || !found->second.join)
    return syntax.kind == SyntaxKind::value_of;
  const std::vector<SyntaxPtr> outer = found->second.join->outer();
  return std::ranges::all_of(outer,
                             [&](const SyntaxPtr& key) { return read(names, *key, tables); });
}

bool read(const Names& names, const Syntax& syntax, Tables& tables) {
  if (syntax.over || is_unread(syntax)) return false;
  if (syntax.subquery && !read_subquery(names, syntax, tables)) return false;
  if (syntax.kind == SyntaxKind::column) {
    const auto column = names.column(syntax);
    if (!column.ok() || !*column) return false;
    tables.insert(names.scope().table_of(**column));
  }
  for (const SyntaxPtr& input : syntax.inputs)
    if (!read(names, *input, tables)) return false;
  return !syntax.filter || read(names, *syntax.filter, tables);
}

// Returns the equalities of two tables in one branch, by their canonical text.
std::map<std::string, SyntaxPtr> equalities_of(const Names& names, const SyntaxPtr& branch) {
  std::map<std::string, SyntaxPtr> found;
  for (const SyntaxPtr& condition : conjuncts(branch)) {
    const auto text = names.canonical(*condition);
    if (equality(condition) && text.ok()) found.emplace(*text, condition);
  }
  return found;
}

}  // namespace

std::vector<SyntaxPtr> conjuncts(const SyntaxPtr& condition) {
  if (!condition) return {};
  return is_operation(condition, "and") ? condition->inputs : std::vector<SyntaxPtr>{condition};
}

SyntaxPtr conjunction(const std::vector<SyntaxPtr>& conditions) {
  if (conditions.empty()) return nullptr;
  if (conditions.size() == 1) return conditions[0];
  auto whole = std::make_shared<Syntax>();
  whole->kind = SyntaxKind::operation;
  whole->name = "and";
  whole->offset = conditions[0]->offset;
  for (const SyntaxPtr& condition : conditions)
    for (const SyntaxPtr& part : conjuncts(condition)) whole->inputs.push_back(part);
  return whole;
}

std::optional<Tables> tables_read(const Names& names, const Syntax& syntax) {
  Tables tables;
  if (!read(names, syntax, tables)) return std::nullopt;
  return tables;
}

bool reads_anything(const Syntax& syntax) {
  return is_unread(syntax) || std::ranges::any_of(syntax.inputs, [](const SyntaxPtr& input) {
           return reads_anything(*input);
         });
}

std::optional<Op> comparison_named(std::string_view name) {
  static constexpr std::pair<std::string_view, Op> comparisons[] = {
      {"=", Op::equal},       {"!=", Op::not_equal}, {"<", Op::less},
      {"<=", Op::less_equal}, {">", Op::greater},    {">=", Op::greater_equal}};
  for (const auto& [known, op] : comparisons)
    if (known == name) return op;
  return std::nullopt;
}

Op with_sides_swapped(Op comparison) {
  switch (comparison) {
    case Op::less: return Op::greater;
    case Op::less_equal: return Op::greater_equal;
    case Op::greater: return Op::less;
    case Op::greater_equal: return Op::less_equal;
    default: return comparison;
  }
}

std::optional<Equality> equality(const SyntaxPtr& condition) {
  if (!is_operation(condition, "=")) return std::nullopt;
  return Equality{condition->inputs[0], condition->inputs[1]};
}

std::vector<SyntaxPtr> conjuncts_with_common(const Names& names, const SyntaxPtr& condition) {
  std::vector<SyntaxPtr> all = conjuncts(condition), common;
  for (const SyntaxPtr& part : all) {
    if (!is_operation(part, "or")) continue;
    auto shared = equalities_of(names, part->inputs[0]);
    for (const SyntaxPtr& branch : part->inputs) {
      const auto here = equalities_of(names, branch);
      std::erase_if(shared, [&](const auto& entry) { return !here.contains(entry.first); });
    }
    for (const auto& [text, equal] : shared) common.push_back(equal);
  }
  all.insert(all.end(), common.begin(), common.end());
  return all;
}

}  // namespace penstock::sql
