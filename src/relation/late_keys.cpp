#include "relation/late_keys.hpp"

#include <algorithm>

#include "relation/late_key_matches.hpp"
#include "relation/shape.hpp"

namespace penstock::relation {
namespace {

// Builds the relations anew, with the keys of one aggregate joined late.
class LateJoin {
 public:
  LateJoin(const Pruned& from, LateKeyMatch match, std::shared_ptr<ExpectedKeys> expected)
      : old_(from.relations),
        result_(from.result),
        match_(std::move(match)),
        expected_(std::move(expected)),
        ids_(from.relations.size()) {}

  Result<Pruned> run() {
    for (RelationId id = 0; id <= result_; id++) {
      if (id == match_.aggregate || std::ranges::count(match_.above, id) > 0) continue;
      PENSTOCK_ASSIGN(ids_[id], rebuilt(id));
    }
    return Pruned{std::move(new_), ids_[result_]};
  }

 private:
  static constexpr std::uint32_t is_late = ~std::uint32_t{0};

  const Schema& schema(RelationId id) const { return new_.at(id).schema; }
  Result<RelationId> rebuilt(RelationId id) {
    if (id == match_.join) return join_of_unique_keys();
    if (id == match_.limit) return first_groups();
    std::vector<RelationId> inputs;
    for (const RelationId input : old_.at(id).inputs) inputs.push_back(ids_[input]);
    return new_.copy(old_.at(id), std::move(inputs));
  }

  // The smaller side is held as the right one: a run looks at its keys.
  Result<RelationId> join_of_unique_keys() {
    const Relation& relation = old_.at(match_.join);
    const RelationId left = ids_[relation.inputs[0]], right = ids_[relation.inputs[1]];
    RelationJoin join = relation.join;
    if (!match_.holds_right) join = with_sides_swapped(join, schema(left), schema(right));
    join.holds_right = true;
    join.expected_keys = expected_;
    if (match_.holds_right) return new_.join(left, right, std::move(join));
    const auto left_width = static_cast<std::uint32_t>(schema(left).size()),
               right_width = static_cast<std::uint32_t>(schema(right).size());
    PENSTOCK_ASSIGN(const RelationId swapped, new_.join(right, left, std::move(join)));
    return project(swapped,
                   both(columns_from(right_width, left_width), columns_from(0, right_width)),
                   relation.schema);
  }

  // Yields these columns under the names of a schema.
  Result<RelationId> project(RelationId input, const ColumnList& columns, const Schema& names) {
    Builder rows(schema(input));
    std::vector<Projection> projections;
    for (std::size_t i = 0; i < columns.size(); i++)
      projections.push_back({names[i].name, rows.column(columns[i])});
    return new_.project(input, rows.graph(), std::move(projections));
  }

  Result<RelationId> groups() {
    const Relation& relation = old_.at(match_.aggregate);
    RelationAggregate aggregate = relation.aggregate;
    aggregate.keys.clear();
    columns_.clear();
    for (std::uint32_t i = 0; i < relation.schema.size(); i++) {
      const bool is_key = i < relation.aggregate.keys.size();
      const auto late = std::ranges::find(match_.late, i, &LateKeyMatch::Late::key);
      const bool is_joined = late != match_.late.end();
      columns_.push_back(is_joined ? is_late : i - late_before(i));
      late_.push_back(static_cast<std::uint32_t>(late - match_.late.begin()));
      if (is_key && !is_joined) aggregate.keys.push_back(relation.aggregate.keys[i]);
    }
    for (const std::uint32_t key : match_.keys) keys_.push_back(columns_[key]);
    return new_.aggregate(ids_[relation.inputs[0]], std::move(aggregate));
  }
  std::uint32_t late_before(std::uint32_t column) const {
    return static_cast<std::uint32_t>(std::ranges::count_if(
        match_.late, [&](const LateKeyMatch::Late& late) { return late.key < column; }));
  }

  Moved expressions(RelationId rows, const Graph& graph, const std::vector<NodeId>& roots) const {
    ColumnList columns = columns_;
    for (std::uint32_t& column : columns)
      if (column == is_late) column = 0;  // no root reads it
    return moved(schema(rows), graph, roots, columns);
  }

  Result<RelationId> above_groups(const Relation& relation, RelationId rows) {
    switch (relation.kind) {
      case RelationKind::filter: {
        const Moved condition = expressions(rows, *relation.graph, {relation.predicate});
        return new_.filter(rows, condition.graph, condition.roots[0]);
      }
      case RelationKind::project: return project_early(relation, rows);
      case RelationKind::sort: {
        std::vector<SortKey> keys = relation.sort_keys;
        for (SortKey& key : keys) key.column = columns_[key.column];
        return new_.sort(rows, std::move(keys));
      }
      default: return Status(Code::internal, "a relation above groups of no known kind");
    }
  }

  // Computes what needs no late column, and hands the join's keys on behind it.
  Result<RelationId> project_early(const Relation& relation, RelationId rows) {
    ColumnList columns, late;
    std::vector<NodeId> roots;
    std::vector<Projection> projections;
    for (const Projection& one : relation.projections) {
      const Node& node = relation.graph->at(one.root);
      const bool is_joined = node.op == Op::column && columns_[node.payload] == is_late;
      columns.push_back(is_joined ? is_late : static_cast<std::uint32_t>(roots.size()));
      late.push_back(is_joined ? late_[node.payload] : 0);
      if (is_joined) continue;
      roots.push_back(one.root);
      projections.push_back({one.name, 0});
    }
    const Moved values = expressions(rows, *relation.graph, roots);
    for (std::size_t i = 0; i < roots.size(); i++) projections[i].root = values.roots[i];
    const auto first_key = static_cast<std::uint32_t>(projections.size());
    for (const std::uint32_t key : keys_) {
      const Field& field = schema(rows)[key];
      projections.push_back(
          {field.name, values.graph->add({Op::column, field.type, field.nullable, key, {}})});
    }
    columns_ = std::move(columns), late_ = std::move(late);
    keys_ = columns_from(first_key, static_cast<std::uint32_t>(keys_.size()));
    return new_.project(rows, values.graph, std::move(projections));
  }

  // The rows keep their order, as a join's left side does.
  Result<RelationId> first_groups() {
    const Relation& limit = old_.at(match_.limit);
    PENSTOCK_ASSIGN(RelationId rows, groups());
    for (const RelationId id : match_.above) {
      PENSTOCK_ASSIGN(rows, above_groups(old_.at(id), rows));
    }
    PENSTOCK_ASSIGN(const RelationId first, new_.limit(rows, limit.limit, limit.offset));
    PENSTOCK_ASSIGN(const RelationId found, rows_of_table(first, limit.limit));
    RelationJoin join{JoinType::inner, {}};
    for (std::uint32_t i = 0; i < keys_.size(); i++) join.keys.push_back({keys_[i], i});
    join.holds_right = true;
    PENSTOCK_ASSIGN(const RelationId joined, new_.join(first, found, std::move(join)));
    const auto first_late = static_cast<std::uint32_t>(schema(first).size() + keys_.size());
    ColumnList columns = columns_;
    for (std::size_t i = 0; i < columns.size(); i++)
      if (columns[i] == is_late) columns[i] = first_late + late_[i];
    return project(joined, columns, limit.schema);
  }

  // Returns the table's rows with keys of the first groups: the keys, then the late columns. They
  // are no more than the groups. The limit has them come to the host, which reads few texts.
  Result<RelationId> rows_of_table(RelationId first, std::uint64_t count) {
    const Relation& join = old_.at(match_.join);
    PENSTOCK_ASSIGN(const RelationId table, read_again(join.inputs[match_.holds_right ? 1 : 0]));
    ColumnList columns;
    for (const RelationKey& key : join.join.keys)
      columns.push_back(match_.holds_right ? key.right : key.left);
    for (const LateKeyMatch::Late& late : match_.late) columns.push_back(late.column);
    Schema names;
    for (const std::uint32_t column : columns) names.push_back(schema(table)[column]);
    PENSTOCK_ASSIGN(const RelationId rows, project(table, columns, names));
    RelationJoin among{JoinType::semi, {}};
    for (std::uint32_t i = 0; i < keys_.size(); i++) among.keys.push_back({i, keys_[i]});
    PENSTOCK_ASSIGN(const RelationId found, new_.join(rows, first, std::move(among)));
    return new_.limit(found, count);
  }

  // A relation with two readers would be computed with all its columns.
  Result<RelationId> read_again(RelationId id) {
    std::vector<RelationId> inputs;
    for (const RelationId input : old_.at(id).inputs) {
      PENSTOCK_ASSIGN(inputs.emplace_back(), read_again(input));
    }
    return new_.copy(old_.at(id), std::move(inputs));
  }

  const RelationGraph& old_;
  const RelationId result_;
  const LateKeyMatch match_;
  const std::shared_ptr<ExpectedKeys> expected_;
  RelationGraph new_;
  std::vector<RelationId> ids_;
  // The places of the old columns, and of the join's keys, in the relation above the groups that
  // was built last. Late columns have a number among them instead.
  ColumnList columns_, late_, keys_;
};

}  // namespace

Result<std::optional<Pruned>> with_late_keys(const Pruned& relations,
                                             const std::shared_ptr<ExpectedKeys>& expected) {
  std::optional<LateKeyMatch> match = find_late_keys(relations.relations, relations.result);
  if (!match) return std::optional<Pruned>();
  PENSTOCK_ASSIGN(const Pruned late, LateJoin(relations, *std::move(match), expected).run());
  PENSTOCK_ASSIGN(Pruned pruned, prune(late.relations, late.result));
  return std::optional(std::move(pruned));
}

}  // namespace penstock::relation
