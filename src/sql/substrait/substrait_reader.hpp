// Reads the relations of Substrait's plans.
//
// Reading goes on behind what is not supported, so that one error names all of it.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "penstock/sql.hpp"
#include "sql/plans/relation_writer.hpp"
#include "sql/plans/stated_aggregates.hpp"
#include "sql/plans/window_calls.hpp"
#include "sql/substrait/substrait_expression.hpp"

namespace penstock::sql {

struct SubstraitRows {
  RelationId relation = 0;
  std::vector<SubstraitColumn> columns = {};
};

class SubstraitReader : public RelationWriter {
 public:
  // `relations_of_plan`: the plan's list, to which references count.
  SubstraitReader(const Lexed& statement, RelationGraph& relations, SubstraitPlan plan,
                  const Tree& relations_of_plan, const TableOpener& open, Problems& problems)
      : RelationWriter(statement, relations, problems),
        plan_(std::move(plan)),
        shared_trees_(relations_of_plan),
        open_(open) {}

  Result<SubstraitRows> read(const Tree& relation);
  // Returns the relation with these columns alone, in the types that the plan states.
  Result<RelationId> with_stated_types(const SubstraitRows& rows,
                                       const std::vector<std::string>& names);

 private:
  struct Sides;

  Result<SubstraitRows> dispatch(const Tree& relation);
  Result<SubstraitRows> input(const Tree& relation);
  Status refuse(const std::string& what);
  // Keeps the columns that a relation emits.
  Result<SubstraitRows> emitted(SubstraitRows rows, const Tree& relation) const;

  // Computes what stands inside of expressions and is a relation: subqueries and window functions.
  Status prepare(SubstraitRows& rows, const std::vector<Tree>& expressions);
  Status prepare_part(SubstraitRows& rows, const Tree& expression, std::vector<Tree>& windows);
  TypedSyntax syntax_of(const Builder& builder, const Tree& expression,
                        const std::vector<SubstraitColumn>& columns);
  // Returns the type that a call states; one that is not supported is a problem.
  std::optional<Type> stated_type(const Tree& call);
  Result<NodeId> node_of(Builder& builder, const TypedSyntax& expression, const char* clause);
  // Adds a column with an expression's values to those that are computed.
  Result<SubstraitColumn> add(ComputedColumns& computed, const Tree& expression,
                              const std::vector<SubstraitColumn>& columns, const char* clause);
  Result<SubstraitRows> filtered(SubstraitRows rows, const Tree& condition);
  // Returns a relation of these columns alone, each of a type.
  Result<RelationId> exact(const SubstraitRows& rows, const std::vector<Type>& types);
  std::vector<Type> types_of(const SubstraitRows& rows) const;

  Result<SubstraitRows> filter(const Tree& body);
  Result<SubstraitRows> project(const Tree& body);
  Result<SubstraitRows> sort(const Tree& body);
  Result<SubstraitRows> fetch(const Tree& body);
  Result<SubstraitRows> set(const Tree& body);
  Result<std::vector<RelationId>> united(const std::vector<SubstraitRows>& inputs);
  Result<RelationId> set_operation(std::string_view op, const std::vector<RelationId>& inputs);
  Result<SubstraitRows> reference(const Tree& body);
  Result<std::vector<SortKey>> sort_keys(const Tree& sorts, ComputedColumns& computed,
                                         const std::vector<SubstraitColumn>& columns);
  std::optional<std::uint64_t> count_of(const Tree& expression, const Tree& number,
                                        std::uint64_t otherwise);

  // substrait_scans.cpp
  Result<SubstraitRows> scan(const Tree& body);
  Result<SubstraitRows> table(const Tree& body, const TableReference& reference);
  Result<std::shared_ptr<TableSource>> open_named(const Tree& names, std::string& text);
  std::optional<TableReference> files_of(const Tree& files);
  Result<SubstraitRows> virtual_table(const Tree& body);
  Result<std::vector<Scalar>> virtual_row(const Tree& row, bool has_literals,
                                          const std::vector<Type>& types);
  Result<SubstraitRows> projected(SubstraitRows rows, const Tree& projection);
  Result<SubstraitRows> cast_to_stated(SubstraitRows rows);

  // substrait_joins.cpp
  Result<SubstraitRows> join(const Tree& body);
  Result<SubstraitRows> cross(const Tree& body);
  Result<bool> add_key(const Tree& conjunct, Sides& sides, RelationJoin& join);
  Result<RelationJoin> conditions(const Tree& body, Sides& sides);
  Status unify_keys(Sides& sides, RelationJoin& join);
  Result<SubstraitRows> joined(JoinType type, bool is_turned, const Sides& sides,
                               RelationJoin join);
  Result<SubstraitRows> marked(SubstraitRows rows, std::uint32_t mark);
  Status add_scalar(SubstraitRows& rows, const Tree& expression);
  Status add_membership(SubstraitRows& rows, const Tree& expression);
  Status add_existence(SubstraitRows& rows, const Tree& expression);
  Result<SubstraitColumn> joined_single(SubstraitRows& rows, RelationId single,
                                        const SubstraitColumn& column);

  // substrait_groups.cpp
  Result<SubstraitRows> aggregate(const Tree& body);
  struct Grouping;
  Status add_keys(const std::vector<Tree>& expressions, const SubstraitRows& rows,
                  Grouping& grouping, std::vector<std::vector<std::uint32_t>>& sets);
  Status add_measure(const Tree& measure, const SubstraitRows& rows, Grouping& grouping);
  Result<std::optional<Type>> add_argument(const Tree& arguments, const SubstraitRows& rows,
                                           Grouping& grouping, AggregateRequest& request);
  static Result<NodeId> set_number(Builder& builder, NodeId bits,
                                   const std::vector<std::vector<std::uint32_t>>& sets,
                                   std::size_t key_count);
  Result<SubstraitRows> with_set_number(SubstraitRows rows, std::uint32_t grouping,
                                        const std::vector<std::vector<std::uint32_t>>& sets,
                                        std::size_t key_count);

  // substrait_windows.cpp
  Status add_windows(SubstraitRows& rows, const std::vector<Tree>& calls);
  struct WindowOutput;
  Result<WindowOutput> add_window(const Tree& call, const SubstraitRows& rows,
                                  ComputedColumns& computed, WindowCalls& windows);
  Result<Window> window_of(const Tree& call, const SubstraitRows& rows, ComputedColumns& computed);
  Result<WindowCall> window_call(const Tree& call, const std::vector<SubstraitColumn>& inputs);
  Status add_offset(const Tree& arguments, const std::vector<SubstraitColumn>& inputs,
                    WindowCall& call);

  const SubstraitPlan plan_;
  const Tree shared_trees_;
  const TableOpener& open_;
  StandingColumns standing_;
  std::map<std::int64_t, SubstraitRows> shared_;  // by number in the plan
  int depth_ = 0;
};

// Returns the type of an aggregate that the plan does not state: DataFusion's.
std::optional<Type> unstated_type(std::string_view name, std::optional<Type> argument);

}  // namespace penstock::sql
