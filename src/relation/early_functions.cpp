#include "relation/early_functions.hpp"

#include <algorithm>

#include "expr/operation.hpp"
#include "plan/aggregates.hpp"
#include "relation/shape.hpp"
#include "relation/text_uses.hpp"

namespace penstock::relation {
namespace {

// The texts of smaller tables are numbered sooner than another kernel is launched.
constexpr std::uint64_t min_rows = std::uint64_t{1} << 16;

// Builds the relations anew. Columns keep their places; those of a function's results have its
// type, and calls of it are these columns.
class EarlyFunctions {
 public:
  explicit EarlyFunctions(const Pruned& from)
      : old_(from.relations),
        result_(from.result),
        uses_(old_, result_),
        ids_(old_.size()),
        are_results_(old_.size()) {}

  Result<std::optional<Pruned>> run() {
    for (RelationId id = 0; id <= result_; id++) {
      are_results_[id].resize(old_.at(id).schema.size());
      if (!uses_.is_reached(id)) continue;
      PENSTOCK_ASSIGN(ids_[id], rebuilt(id));
    }
    if (!has_any_) return std::optional<Pruned>();
    PENSTOCK_ASSIGN(Pruned pruned, prune(new_, ids_[result_]));
    return std::optional(std::move(pruned));
  }

 private:
  using Flags = std::vector<bool>;  // by column: whether it has a function's results

  const Schema& schema(RelationId id) const { return new_.at(id).schema; }
  RelationId input(const Relation& relation) const { return ids_[relation.inputs[0]]; }

  Result<RelationId> rebuilt(RelationId id) {
    const Relation& relation = old_.at(id);
    switch (relation.kind) {
      case RelationKind::scan: return scan(id);
      case RelationKind::filter: {
        are_results_[id] = are_results_[relation.inputs[0]];
        const Moved condition = rewritten(*relation.graph, {relation.predicate},
                                          schema(input(relation)), are_results_[id]);
        return new_.filter(input(relation), condition.graph, condition.roots[0]);
      }
      case RelationKind::project: return project(id);
      case RelationKind::join: return join(id);
      case RelationKind::aggregate: return aggregate(id);
      default: break;  // they read texts
    }
    std::vector<RelationId> inputs;
    for (const RelationId one : relation.inputs) inputs.push_back(ids_[one]);
    return new_.copy(relation, std::move(inputs));
  }

  Moved rewritten(const Graph& graph, const std::vector<NodeId>& roots, const Schema& rows,
                  const Flags& are_results) const {
    Moved result{std::make_shared<Graph>(), {}};
    const std::vector<bool> needed = expr::reachable(graph, roots);
    std::vector<NodeId> copies(graph.size());
    const auto column = [&](std::uint32_t number) {
      const Field& field = rows[number];
      return result.graph->add({Op::column, field.type, field.nullable, number, {}});
    };
    for (NodeId id = 0; id < graph.size(); id++) {
      if (!needed[id]) continue;
      const auto call = text_call(graph, id);
      if (call && are_results[call->column])
        copies[id] = column(call->column);
      else if (graph.at(id).op == Op::column)
        copies[id] = column(graph.at(id).payload);
      else
        copies[id] = result.graph->import_node(graph, id, copies);
    }
    for (const NodeId root : roots) result.roots.push_back(copies[root]);
    return result;
  }

  Result<RelationId> scan(RelationId id) {
    const Relation& relation = old_.at(id);
    const RelationId rows = new_.scan(relation.source);
    if (relation.source->row_count().value_or(min_rows) < min_rows) return rows;
    Builder builder(relation.schema);
    std::vector<Projection> columns;
    bool has_own = false;
    for (std::uint32_t i = 0; i < relation.schema.size(); i++) {
      const auto call = uses_.only_call(id, i);
      are_results_[id][i] = call.has_value();
      has_own |= call.has_value();
      columns.push_back(
          {relation.schema[i].name, call ? added(builder, *call, i) : builder.column(i)});
    }
    if (!has_own) return rows;
    has_any_ = true;
    return new_.project(rows, builder.graph(), std::move(columns));
  }

  // Adds a call of another graph, of column i.
  static NodeId added(Builder& rows, const TextCall& call, std::uint32_t i) {
    const std::vector<NodeId> columns(call.column + 1, rows.column(i));
    return rows.graph()->import(*call.graph, call.call, columns);
  }

  Result<RelationId> project(RelationId id) {
    const Relation& relation = old_.at(id);
    const Flags& of_input = are_results_[relation.inputs[0]];
    std::vector<NodeId> roots;
    for (std::uint32_t i = 0; i < relation.projections.size(); i++) {
      const Node& node = relation.graph->at(relation.projections[i].root);
      are_results_[id][i] = node.op == Op::column && of_input[node.payload];
      roots.push_back(relation.projections[i].root);
    }
    const Moved values = rewritten(*relation.graph, roots, schema(input(relation)), of_input);
    std::vector<Projection> projections = relation.projections;
    for (std::size_t i = 0; i < projections.size(); i++) projections[i].root = values.roots[i];
    return new_.project(input(relation), values.graph, std::move(projections));
  }

  Result<RelationId> join(RelationId id) {
    const Relation& relation = old_.at(id);
    const RelationId left = ids_[relation.inputs[0]], right = ids_[relation.inputs[1]];
    Flags of_pair = are_results_[relation.inputs[0]];
    const Flags& of_right = are_results_[relation.inputs[1]];
    of_pair.insert(of_pair.end(), of_right.begin(), of_right.end());
    RelationJoin join = relation.join;
    if (join.residual) {
      Schema pair = schema(left);
      pair.insert(pair.end(), schema(right).begin(), schema(right).end());
      const Moved condition = rewritten(*join.graph, {*join.residual}, pair, of_pair);
      join.graph = condition.graph;
      join.residual = condition.roots[0];
    }
    of_pair.resize(relation.schema.size());
    if (join.type == JoinType::mark) of_pair.back() = false;
    are_results_[id] = std::move(of_pair);
    return new_.join(left, right, std::move(join));
  }

  Result<RelationId> aggregate(RelationId id) {
    const Relation& relation = old_.at(id);
    RelationAggregate aggregate = relation.aggregate;
    std::vector<NodeId> roots;
    for (const Projection& key : aggregate.keys) roots.push_back(key.root);
    for (const AggregateCall& call : aggregate.aggregates)
      if (plan::takes_argument(call.function)) roots.push_back(call.argument);
    const Moved values = rewritten(*aggregate.graph, roots, schema(input(relation)),
                                   are_results_[relation.inputs[0]]);
    std::size_t next = 0;
    for (Projection& key : aggregate.keys) key.root = values.roots[next++];
    for (AggregateCall& call : aggregate.aggregates)
      if (plan::takes_argument(call.function)) call.argument = values.roots[next++];
    aggregate.graph = values.graph;
    return new_.aggregate(input(relation), std::move(aggregate));
  }

  const RelationGraph& old_;
  const RelationId result_;
  const TextUses uses_;
  RelationGraph new_;
  std::vector<RelationId> ids_;
  std::vector<Flags> are_results_;
  bool has_any_ = false;
};

}  // namespace

Result<std::optional<Pruned>> with_early_functions(const Pruned& relations) {
  return EarlyFunctions(relations).run();
}

}  // namespace penstock::relation
