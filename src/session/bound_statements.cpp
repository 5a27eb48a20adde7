#include "session/bound_statements.hpp"

#include <algorithm>

namespace penstock::session {
namespace {

// A plan holds its files open.
constexpr std::size_t max_statements = 64;
// Long texts are made by programs, each once.
constexpr std::size_t max_statement_bytes = std::size_t{64} << 10;

bool is_of_other_file(const BoundStatement::Tables& tables, const BoundStatement::Tables& now) {
  for (const auto& [path, source] : tables)
    for (const auto& [other_path, other_source] : now)
      if (path == other_path && source != other_source) return true;
  return false;
}

}  // namespace

std::optional<BoundStatement> BoundStatements::find(std::string_view statement) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(entries_, statement, &Entry::statement);
  if (known == entries_.end()) return {};
  entries_.splice(entries_.begin(), entries_, known);
  return entries_.front().bound;
}

void BoundStatements::keep(std::string_view statement, const BoundStatement& bound) {
  if (statement.size() > max_statement_bytes) return;
  std::list<Entry> dropped;  // let go of without the lock: that may close files
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto entry = at++;
    if (entry->statement == statement || is_of_other_file(entry->bound.tables, bound.tables))
      dropped.splice(dropped.end(), entries_, entry);
  }
  entries_.push_front({std::string(statement), bound});
  if (entries_.size() > max_statements)
    dropped.splice(dropped.end(), entries_, std::prev(entries_.end()));
}

}  // namespace penstock::session
