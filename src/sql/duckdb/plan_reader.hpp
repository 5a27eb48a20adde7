// Reads the operators of DuckDB's plan as relations.
//
// Reading goes on behind what is not supported, so that one error names all of it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "penstock/relation.hpp"
#include "penstock/sql.hpp"
#include "sql/duckdb/plan_columns.hpp"
#include "sql/duckdb/plan_statistics.hpp"
#include "sql/plans/relation_writer.hpp"

namespace penstock::sql {

class PlanReader : public RelationWriter {
 public:
  // `tables`: those that stand-ins stand for. `open` opens the ones that a plan names.
  PlanReader(const Lexed& statement, RelationGraph& relations,
             const std::vector<std::shared_ptr<TableSource>>& tables, const TableOpener& open,
             Problems& problems)
      : RelationWriter(statement, relations, problems), tables_(tables), open_(open) {}

  Result<PlanRows> read(const Tree& plan);
  // Returns the relation with these columns alone, under these names. Without names they have
  // those of the plan.
  Result<RelationId> with_names(const PlanRows& rows, const std::vector<std::string>& names);

 private:
  // Computes columns over a relation's rows, behind those that it has.
  class Computed;
  struct Aggregation;

  Result<PlanRows> dispatch(const Tree& plan);
  Result<PlanRows> input(const Tree& plan, std::size_t child = 0);
  Status refuse(const Tree& plan, const std::string& what);
  // Binds an expression. One that cannot be bound becomes NULL, and a problem.
  Result<NodeId> value(Builder& builder, const Tree& expression,
                       const std::vector<PlanColumn>& columns, const char* clause);
  Result<PlanRows> filtered(PlanRows rows, const std::vector<Tree>& conditions);
  // Returns the relation with the columns of the rows alone, in their order.
  Result<PlanRows> exact(const PlanRows& rows);
  static std::vector<PlanColumn> picked(const std::vector<PlanColumn>& columns, const Tree& map);

  Result<PlanRows> filter(const Tree& plan);
  Result<PlanRows> project(const Tree& plan);

  // read_scans.cpp
  Result<PlanRows> scan(const Tree& plan);
  Result<PlanRows> stand_in(const Tree& plan, std::size_t table);
  Result<PlanRows> named_table(const Tree& plan);
  Result<PlanRows> filtered_scan(PlanRows rows, const Tree& plan);
  std::optional<Syntax> scan_filter(const Tree& filter, const SyntaxPtr& column);
  Result<PlanRows> one_row();
  Result<PlanRows> no_rows(const Tree& plan);
  Result<PlanRows> values(const Tree& plan);
  // read_series.cpp
  Result<PlanRows> series_rows(const Tree& plan, bool has_last);

  // read_unnest.cpp
  Result<PlanRows> unnest(const Tree& plan);
  Result<PlanRows> unnest_call(const Tree& plan);
  Result<PlanRows> constant_list(const Tree& plan);
  Result<PlanRows> projected_lists(const Tree& projection, std::vector<PlanColumn>& projected);
  Result<PlanRows> unnested(const PlanRows& rows, std::vector<std::uint32_t> lists,
                            bool is_numbered);
  // read_with.cpp
  Result<PlanRows> materialized(const Tree& plan);
  Result<PlanRows> materialized_reference(const Tree& plan);
  Result<PlanRows> recursion(const Tree& plan);

  // read_joins.cpp
  Result<PlanRows> join(const Tree& plan);
  Result<PlanRows> join_of(const Tree& plan, PlanRows left, PlanRows right);
  Result<PlanRows> turned_join(const Tree& plan, const PlanRows& left, const PlanRows& right,
                               RelationJoin join);
  Result<PlanRows> cross_product(const Tree& plan);
  Result<PlanRows> delim_join(const Tree& plan);
  Result<PlanRows> delim_get(const Tree& plan);
  // read_quantified_joins.cpp
  static bool is_quantified_join(const Tree& plan);
  Result<PlanRows> quantified_join(const Tree& plan, PlanRows left, PlanRows right);
  Result<RelationId> bounded_groups(RelationId input, const std::vector<std::uint32_t>& keys,
                                    std::uint32_t compared);
  // read_as_of_joins.cpp
  Result<PlanRows> as_of_join(const Tree& plan);

  // read_groups.cpp
  Result<PlanRows> aggregate(const Tree& plan);
  Result<PlanRows> grouped(RelationId input, const std::vector<std::uint32_t>& keys,
                           const Aggregation& aggregation);
  Result<PlanRows> grouped_by_sets(RelationId input, const std::vector<std::uint32_t>& keys,
                                   const std::vector<std::vector<std::uint32_t>>& sets,
                                   const Aggregation& aggregation);
  Status add_aggregate(const Tree& call, const PlanRows& rows, Aggregation& aggregation);
  Status add_statistic(const Tree& call, const NamedStatistic& named, const PlanRows& rows,
                       Aggregation& aggregation);
  Status refused_aggregate(const Tree& call, const std::string& name, const PlanRows& rows,
                           Aggregation& aggregation);
  std::optional<relation::StatisticCall> statistic_call(const Tree& call,
                                                        const NamedStatistic& named,
                                                        Computed& computed);
  bool add_order(const Tree& call, const NamedStatistic& named, Computed& computed,
                 relation::StatisticCall& added);

  // read_orders.cpp
  Result<PlanRows> sorted(const Tree& plan);
  Result<PlanRows> sorted_rows(PlanRows rows, const Tree& orders);
  Result<PlanRows> limited(const Tree& plan);
  Result<PlanRows> first_share(const Tree& plan, PlanRows rows, std::uint64_t offset);
  Result<PlanRows> first_rows(const Tree& plan);
  Result<PlanRows> sampled(const Tree& plan);
  Result<PlanRows> distinct(const Tree& plan);
  Result<PlanRows> distinct_on(const Tree& plan, PlanRows rows);
  Result<PlanRows> set_operation(const Tree& plan);
  Result<std::vector<SortKey>> sort_keys(const Tree& orders, Computed& columns);

  // read_windows.cpp
  struct WindowPlan;
  Result<PlanRows> window(const Tree& plan);
  Status add_window_call(const Tree& call, Computed& columns, WindowPlan& windows);
  Status add_plain_call(const Tree& call, Computed& columns, WindowPlan& windows, Window window);
  Status add_reduction(const Tree& call, Computed& columns, WindowPlan& windows,
                       const Window& window);
  Status add_texts(const Tree& call, Computed& columns, WindowPlan& windows, Window window);
  Status add_list(const Tree& call, Computed& columns, WindowPlan& windows, Window window);
  // Adds texts that are joined over the call's frame.
  using WindowValue = std::function<Result<NodeId>(Builder& rows, std::uint32_t first)>;
  Status add_joined(const Tree& call, NodeId text, Computed& columns, WindowPlan& windows,
                    Window window, WindowValue value);
  std::optional<FrameEnds> frame_ends(const Tree& call, Computed& columns);
  std::optional<FrameEnd> frame_end(std::string_view kind, const Tree& distance, Computed& columns);
  Result<RelationId> with_distinct_values(RelationId rows, WindowPlan& windows);
  Result<RelationId> with_statistics(RelationId rows, WindowPlan& windows);

  const std::vector<std::shared_ptr<TableSource>>& tables_;
  const TableOpener& open_;
  // By number in the plan: rows of WITH, and working tables of recursions.
  std::map<std::int64_t, PlanRows> materialized_;
  std::vector<PlanRows> delim_sides_;  // of the joins around, the innermost last
  int depth_ = 0;
};

class PlanReader::Computed : public ComputedColumns {
 public:
  Computed(PlanReader& reader, const PlanRows& rows)
      : ComputedColumns(reader, rows.relation), reader_(reader), rows_(rows) {}
  // Returns the relation's column with an expression's values.
  Result<std::uint32_t> column(const Tree& expression, const char* clause);

 private:
  PlanReader& reader_;
  const PlanRows& rows_;
};

}  // namespace penstock::sql
