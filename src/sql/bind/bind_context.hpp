// Parts that the SELECTs of one statement share while they are bound, and those that each sees of
// the SELECTs around it.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>

#include "penstock/relation.hpp"
#include "penstock/sql.hpp"
#include "sql/parse/syntax.hpp"

namespace penstock::sql {

class Names;

struct BindContext {
  const Lexed& lexed;
  Problems& problems;
  RelationGraph& relations;
  const TableOpener& open;
  const std::set<std::string>& tables_named;  // by FROM anywhere, in lower case
  // Whether DuckDB's optimiser has more to do: with a FROM that reads a SELECT or a name of WITH,
  // with joins in the order of the statement or by more than equalities, and with subqueries as
  // values that are joined to rows.
  bool prefers_duckdb = false;

  const Schema& schema(RelationId id) const { return relations.at(id).schema; }
};

// The names that WITH defines for one SELECT. All that read a name share its relation.
struct CommonTables {
  struct Table {
    std::optional<RelationId> rows;  // none: it cannot be bound
    std::vector<std::string> columns;
    bool is_circular = false;  // it is being bound, where a recursion may not read it
  };
  const CommonTables* around = nullptr;
  std::map<std::string, Table> by_name;  // in lower case

  const Table* find(const std::string& name) const {
    const auto found = by_name.find(name);
    if (found != by_name.end()) return &found->second;
    return around == nullptr ? nullptr : around->find(name);
  }
};

struct Surroundings {
  const CommonTables* tables = nullptr;
  const Names* names = nullptr;  // of the SELECT whose columns a subquery might read
};

struct Scope;
// Each is a join, as a table of FROM is.
constexpr std::size_t max_values = 64;

// Binds what WITH of the SELECT defines (common_tables.cpp).
CommonTables bind_common_tables(BindContext& context, const Select& select,
                                const Surroundings& around);
// Binds a whole SELECT (bind.cpp).
Result<RelationId> bind_select(BindContext& context, const Select& select,
                               const Surroundings& around);
// Binds one over the scope of its FROM. `around` has the tables of its own WITH.
Result<RelationId> bind_over(BindContext& context, const Select& select, const Scope& scope,
                             const Surroundings& around);
// Binds UNION, INTERSECT and EXCEPT (bind_set.cpp).
Result<RelationId> bind_set(BindContext& context, const SetOperation& set,
                            const Surroundings& around);
// Binds a UNION of WITH RECURSIVE: its right side may read the name (bind_set.cpp).
Result<RelationId> bind_recursion(BindContext& context, const CommonTable& table,
                                  const Surroundings& around);
// Computes the rows of VALUES (bind_lists.cpp).
Result<RelationId> bind_lists(BindContext& context, const Select& select);

// Returns the type that holds the values of both columns of a set operation or of VALUES.
std::optional<Type> type_of_both(Type a, Type b);
Result<NodeId> cast_to(Builder& rows, NodeId value, Type type);  // also to VARCHAR

}  // namespace penstock::sql
