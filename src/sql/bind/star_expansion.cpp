#include "sql/bind/star_expansion.hpp"

#include <algorithm>

#include "base/suggest_name.hpp"

namespace penstock::sql {
namespace {

bool is_same(const std::string& a, const std::string& b) { return lower(a) == lower(b); }

}  // namespace

std::optional<SelectItem> StarExpansion::item_of(const std::string& name, std::uint32_t index) {
  seen_.push_back(name);
  for (const StarChanges::Name& excluded : changes_.excluded)
    if (is_same(excluded.name, name)) return std::nullopt;
  for (const SelectItem& replaced : changes_.replaced)
    if (is_same(replaced.alias, name)) return SelectItem{replaced.value, name};
  auto column = std::make_shared<Syntax>(star_);
  column->kind = SyntaxKind::column;
  column->name = name;
  column->index = index;
  for (const StarChanges::Name& renamed : changes_.renamed)
    if (is_same(renamed.name, name)) return SelectItem{std::move(column), renamed.alias};
  return SelectItem{std::move(column), ""};
}

StarProblem StarExpansion::problem(bool is_empty) const {
  const auto missing = [&](const std::string& name) {
    return std::ranges::none_of(seen_,
                                [&](const std::string& seen) { return is_same(seen, name); });
  };
  const auto sentence = [&](const std::string& name, const char* list) {
    const std::string near = nearest_name(name, seen_);
    return "column \"" + name + "\" in " + list + " list not found in FROM clause" +
           (near.empty() ? "" : "; candidate bindings: \"" + near + "\"");
  };
  for (const StarChanges::Name& name : changes_.excluded)
    if (missing(name.name)) return {name.offset, sentence(name.name, "EXCLUDE")};
  for (const SelectItem& item : changes_.replaced)
    if (missing(item.alias)) return {item.value->offset, sentence(item.alias, "REPLACE")};
  for (const StarChanges::Name& name : changes_.renamed)
    if (missing(name.name)) return {name.offset, sentence(name.name, "RENAME")};
  return {star_.offset, is_empty ? "* stands for no column" : ""};
}

}  // namespace penstock::sql
