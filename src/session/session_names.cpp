#include "session/session_names.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "sql/statement/error_kind.hpp"

namespace penstock::session {
namespace {

std::string name_of(sql::DefinitionKind kind) {
  switch (kind) {
    case sql::DefinitionKind::view: return "view; write DROP VIEW";
    case sql::DefinitionKind::table: return "table; write DROP TABLE";
    default: return "macro; write DROP MACRO";
  }
}

}  // namespace

Status SessionNames::define(const sql::Definition& definition, std::shared_ptr<TableSource> table) {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(lower(definition.name));
  if (definition.kind == sql::DefinitionKind::drop) {
    if (found == by_name_.end() && !definition.only_present)
      return Status(Code::invalid, std::string(sql::no_name) + '"' + definition.name + '"');
    if (found == by_name_.end()) return {};
    if (found->second.definition.kind != definition.dropped)
      return Status(Code::invalid,
                    "\"" + definition.name + "\" is a " + name_of(found->second.definition.kind));
    by_name_.erase(found);
    changes_++;
    return {};
  }
  if (found != by_name_.end() && !definition.replaces)
    return Status(Code::invalid, "\"" + definition.name +
                                     "\" exists already; CREATE OR REPLACE "
                                     "replaces it");
  const bool is_new = found == by_name_.end();
  Entry& entry = by_name_[lower(definition.name)];
  if (is_new) entry.order = next_order_++;
  entry.definition = definition;
  entry.table = std::move(table);
  changes_++;
  return {};
}

bool SessionNames::replace_rows(const std::string& name, const std::shared_ptr<TableSource>& before,
                                std::shared_ptr<TableSource> after) {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(lower(name));
  if (found == by_name_.end() || found->second.table != before) return false;
  found->second.table.swap(after);
  changes_++;
  return true;
}

void SessionNames::begin() {
  const std::lock_guard lock(mutex_);
  changes_at_begin_ = changes_;
}

bool SessionNames::has_changed() const {
  const std::lock_guard lock(mutex_);
  return changes_ != changes_at_begin_;
}

bool SessionNames::is_defined(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return by_name_.contains(lower(name));
}

std::optional<SessionNames::Meaning> SessionNames::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(lower(name));
  if (found == by_name_.end() || found->second.definition.kind == sql::DefinitionKind::macro)
    return std::nullopt;
  const Entry& entry = found->second;
  return Meaning{entry.table, entry.definition.only_table};
}

std::vector<SessionTable> SessionNames::tables() const {
  const std::lock_guard lock(mutex_);
  std::vector<SessionTable> tables;
  for (const auto& [name, entry] : by_name_)
    if (entry.definition.kind != sql::DefinitionKind::macro)
      tables.push_back({entry.definition.name, entry.definition.kind == sql::DefinitionKind::view});
  return tables;
}

std::vector<std::string> SessionNames::definitions() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Entry*> entries;
  for (const auto& [name, entry] : by_name_)
    if (!entry.table) entries.push_back(&entry);
  std::ranges::sort(entries, {}, &Entry::order);
  std::vector<std::string> texts;
  for (const Entry* const entry : entries) texts.push_back(entry->definition.text);
  return texts;
}

}  // namespace penstock::session
