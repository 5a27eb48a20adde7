#include "sql/parse/star_changes.hpp"

#include <algorithm>
#include <utility>

#include "sql/parse/source_position.hpp"

namespace penstock::sql {
namespace {

bool has_name(const std::vector<StarChanges::Name>& names, const std::string& name) {
  return std::ranges::any_of(
      names, [&](const StarChanges::Name& known) { return lower(known.name) == lower(name); });
}

}  // namespace

Status StarReader::error(std::int64_t offset, std::string message) const {
  return error_at(lexed_.statement, offset, Code::invalid, std::move(message));
}

Status StarReader::add(SelectItem item) {
  const std::int64_t offset = item.value->offset;
  if (std::exchange(replaces_next_, false) ||
      (offset >= replaced_begin_ && offset < replaced_end_)) {
    StarChanges& changes = std::prev(select_.star_changes.end())->second;
    PENSTOCK_TRY(check_replaced(item, changes));
    changes.replaced.push_back(std::move(item));
    return {};
  }
  if (item.value->kind == SyntaxKind::star) {
    StarChanges changes;
    PENSTOCK_TRY(read_changes(*item.value, changes));
    select_.star_changes.emplace(select_.items.size(), std::move(changes));
  }
  select_.items.push_back(std::move(item));
  return {};
}

Status StarReader::check_replaced(const SelectItem& item, const StarChanges& changes) const {
  const std::int64_t offset = item.value->offset;
  if (item.alias.empty())
    return error(offset,
                 "REPLACE takes an expression AS the column's name: * REPLACE (a + 1 AS a)");
  if (has_name(changes.excluded, item.alias))
    return error(offset, "column \"" + item.alias + "\" cannot occur in both EXCLUDE and REPLACE");
  if (std::ranges::any_of(changes.replaced, [&](const SelectItem& other) {
        return lower(other.alias) == lower(item.alias);
      }))
    return error(offset, "duplicate entry \"" + item.alias + "\" in REPLACE list");
  return {};
}

// Reads a [AS b], ... of the tokens [first, end). A qualifier before a name has no effect.
Status StarReader::read_names(std::size_t first, std::size_t end, bool has_aliases,
                              std::vector<StarChanges::Name>& names) const {
  for (std::size_t at = first; at < end; at++) {
    while (at + 2 < end && is_symbol(lexed_, lexed_.tokens[at + 1], ".")) at += 2;
    const Token& token = lexed_.tokens[at];
    StarChanges::Name name{value_of(lexed_, token), "", token.offset};
    if (has_aliases && at + 2 < end && is_keyword_token(lexed_, lexed_.tokens[at + 1], "as"))
      name.alias = value_of(lexed_, lexed_.tokens[at += 2]);
    const bool is_name = token.kind == TokenKind::word || token.kind == TokenKind::quoted;
    const bool is_last = at + 1 == end;
    if (!is_name || (has_aliases && name.alias.empty()) ||
        (!is_last && !is_symbol(lexed_, lexed_.tokens[at + 1], ",")))
      return error(token.offset, has_aliases ? "RENAME takes names: * RENAME (a AS b)"
                                             : "EXCLUDE takes names: * EXCLUDE (a, b)");
    if (has_name(names, name.name))
      return error(token.offset, "duplicate entry \"" + name.name + "\" behind *");
    names.push_back(std::move(name));
    if (!is_last) at++;
  }
  return {};
}

Status StarReader::read_changes(const Syntax& star, StarChanges& changes) {
  const Token* token = lexed_.at(star.offset);
  if (token == nullptr) return {};  // of TABLE t
  auto at =
      static_cast<std::size_t>(token - lexed_.tokens.data()) + (star.qualifier.empty() ? 0 : 2);
  if (!is_star(lexed_, at)) return {};  // of a SELECT that has no list
  for (at++; at + 1 < lexed_.form.end && is_star_word(lexed_, at);) {
    const Token& word = lexed_.tokens[at];
    const bool has_brackets = is_symbol(lexed_, lexed_.tokens[at + 1], "(");
    const std::size_t after =
        has_brackets ? after_brackets(lexed_, at + 1, lexed_.form.end) : at + 2;
    const std::size_t first = has_brackets ? at + 2 : at + 1,
                      end = has_brackets ? after - 1 : after;
    if (is_keyword_token(lexed_, word, "replace")) {
      replaces_next_ = !has_brackets;
      if (replaces_next_) return {};
      replaced_begin_ = word.offset;
      replaced_end_ = lexed_.tokens[after - 1].offset;
    } else {
      const bool is_rename = is_keyword_token(lexed_, word, "rename");
      PENSTOCK_TRY(
          read_names(first, end, is_rename, is_rename ? changes.renamed : changes.excluded));
    }
    at = after;
  }
  return {};
}

}  // namespace penstock::sql
