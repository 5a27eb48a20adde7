// The plans of a session's statements, so that one that is asked again is not bound again while its
// files are the same. Thread-safe.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lru_map.hpp"
#include "penstock/plan.hpp"
#include "penstock/run_options.hpp"
#include "penstock/sql.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::session {

struct BoundStatement {
  // The tables that it names, in the order in which they were opened.
  using Tables = std::vector<std::pair<TableReference, std::shared_ptr<TableSource>>>;
  std::shared_ptr<const Plan> plan;
  BoundSql sql;
  Tables tables;
  std::shared_ptr<plan::KeptPrograms> kept_programs;    // of its runs
  std::shared_ptr<const UserFunctions> functions = {};  // by which it is bound
};

class BoundStatements {
 public:
  std::optional<BoundStatement> find(std::string_view statement);
  // Counts calls of forget_all(). A statement that was bound before one is not kept.
  std::uint64_t generation() const;
  // Keeps it, and forgets statements over what stood at one of its paths before.
  void keep(std::string_view statement, const BoundStatement& bound, std::uint64_t generation);
  void forget_all();

 private:
  static constexpr std::uint64_t max_statements = 64;  // a plan holds its files open
  mutable std::mutex mutex_;
  std::uint64_t generation_ = 0;
  LruMap<std::string, BoundStatement> statements_{max_statements};
};

}  // namespace penstock::session
