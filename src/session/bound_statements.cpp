#include "session/bound_statements.hpp"

namespace penstock::session {
namespace {

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
  const BoundStatement* const known = statements_.find(statement);
  return known ? std::optional(*known) : std::nullopt;
}

std::uint64_t BoundStatements::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

void BoundStatements::keep(std::string_view statement, const BoundStatement& bound,
                           std::uint64_t generation) {
  if (statement.size() > max_statement_bytes) return;
  std::vector<BoundStatement> replaced, dropped;  // let go of without the lock
  const std::lock_guard lock(mutex_);
  if (generation != generation_) return;
  replaced = statements_.remove_if([&](const std::string&, const BoundStatement& other) {
    return is_of_other_file(other.tables, bound.tables);
  });
  dropped = statements_.put(std::string(statement), bound);
}

void BoundStatements::forget_all() {
  std::vector<BoundStatement> dropped;  // let go of without the lock
  const std::lock_guard lock(mutex_);
  generation_++;
  dropped = statements_.remove_if([](const std::string&, const BoundStatement&) { return true; });
}

}  // namespace penstock::session
