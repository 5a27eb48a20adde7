#include "relation/prune.hpp"

#include <algorithm>

#include "plan/aggregates.hpp"
#include "relation/columns_needed.hpp"
#include "relation/estimate.hpp"
#include "relation/partners.hpp"
#include "relation/shape.hpp"

namespace penstock::relation {
namespace {

// Builds the relations anew, with the columns that are read.
class Pruner {
 public:
  Pruner(const RelationGraph& relations, RelationId result)
      : old_(relations),
        readers_(relations, result),
        estimates_(relations),
        ids_(relations.size()),
        columns_(relations.size()),
        result_(result) {}

  Result<Pruned> run() {
    for (RelationId id = 0; id <= result_; id++) {
      if (!readers_.is_reached(id)) continue;
      PENSTOCK_ASSIGN(ids_[id], rebuilt(id));
    }
    return Pruned{std::move(new_), ids_[result_]};
  }

 private:
  const Schema& schema(RelationId id) const { return new_.at(id).schema; }
  RelationId input(const Relation& relation, std::size_t i = 0) const {
    return ids_[relation.inputs[i]];
  }
  // Returns the new number of a column of an input.
  std::uint32_t moved_column(RelationId old_input, std::uint32_t column) const {
    return columns_[old_input][column];
  }
  static constexpr std::uint32_t dropped = ~std::uint32_t{0};

  Moved expressions(const Schema& rows, const Graph& graph, const std::vector<NodeId>& roots,
                    const ColumnList& columns) const {
    ColumnList present = columns;
    for (std::uint32_t& column : present)
      if (column == dropped) column = 0;  // no root reads it
    return moved(rows, graph, roots, present);
  }

  // The columns of a relation that passes on its input's.
  void pass_on(RelationId id, RelationId from) { columns_[id] = columns_[from]; }

  Result<RelationId> rebuilt(RelationId id) {
    const Relation& relation = old_.at(id);
    switch (relation.kind) {
      case RelationKind::scan: return scan(id, relation);
      case RelationKind::filter: {
        pass_on(id, relation.inputs[0]);
        if (never_holds(relation)) return no_rows(schema(input(relation)));
        const Moved condition = expressions(schema(input(relation)), *relation.graph,
                                            {relation.predicate}, columns_[relation.inputs[0]]);
        return new_.filter(input(relation), condition.graph, condition.roots[0]);
      }
      case RelationKind::project: return project(id, relation);
      case RelationKind::join: return join(id, relation);
      case RelationKind::aggregate: return aggregate(id, relation);
      case RelationKind::window: return window(id, relation);
      case RelationKind::sort: {
        pass_on(id, relation.inputs[0]);
        std::vector<SortKey> keys = relation.sort_keys;
        for (SortKey& key : keys) key.column = moved_column(relation.inputs[0], key.column);
        return new_.sort(input(relation), std::move(keys));
      }
      case RelationKind::limit:
        pass_on(id, relation.inputs[0]);
        return new_.limit(input(relation), relation.limit, relation.offset);
      case RelationKind::append: return append(id, relation);
      case RelationKind::unnest: return unnest(id, relation);
      case RelationKind::distinct:
        return whole(id, relation, [&](RelationId a, RelationId) { return new_.distinct(a); });
      case RelationKind::intersect:
        return whole(id, relation, [&](RelationId a, RelationId b) {
          return new_.intersect(a, b, relation.all);
        });
      case RelationKind::except:
        return whole(id, relation,
                     [&](RelationId a, RelationId b) { return new_.except(a, b, relation.all); });
      case RelationKind::working_table:
        columns_[id] = columns_from(0, width(relation));
        return new_.working_table(relation.schema);
      case RelationKind::recursion: return recursion(id, relation);
    }
    return Status(Code::internal, "a relation of no known kind");
  }

  static bool never_holds(const Relation& filter) {
    const Node& condition = filter.graph->at(filter.predicate);
    if (condition.op != Op::parameter) return false;
    const Scalar& value = filter.graph->parameters[condition.payload];
    return filter.graph->parameter_origins[condition.payload] != ParameterOrigin::captured &&
           (value.is_null || value.integer == 0);
  }

  // A value of a subquery has a filter of FALSE for the rows that find no group.
  RelationId no_rows(const Schema& schema) {
    Table table;
    for (const Field& field : schema) {
      table.names.push_back(field.name);
      table.columns.push_back(column_of(field.type, std::vector<Scalar>()));
    }
    return new_.scan(table_source(std::move(table), "no rows"));
  }

  // Returns the new relation of an input with exactly these of its old columns, in their order.
  Result<RelationId> with_columns(RelationId old_input, const Needed& wanted) {
    const Schema& rows = schema(ids_[old_input]);
    Builder builder(rows);
    std::vector<Projection> projections;
    for (const std::uint32_t column : wanted) {
      const std::uint32_t place = moved_column(old_input, column);
      projections.push_back({rows[place].name, builder.column(place)});
    }
    ColumnList kept;
    for (const std::uint32_t column : wanted) kept.push_back(moved_column(old_input, column));
    if (kept == columns_from(0, static_cast<std::uint32_t>(rows.size()))) return ids_[old_input];
    return new_.project(ids_[old_input], builder.graph(), std::move(projections));
  }

  void number(RelationId id, const Needed& kept) {
    columns_[id].assign(width(old_.at(id)), dropped);
    std::uint32_t next = 0;
    for (const std::uint32_t column : kept) columns_[id][column] = next++;
  }

  // A scan that is read for the number of its rows alone keeps a column.
  Result<RelationId> scan(RelationId id, const Relation& relation) {
    const RelationId all = new_.scan(relation.source);
    Needed kept = readers_.of(id);
    if (kept.size() == width(relation) || width(relation) == 0 || readers_.choose_columns(id)) {
      columns_[id] = columns_from(0, width(relation));
      return all;
    }
    const auto is_short = [](const Field& field) {
      return field.type.kind != Kind::string && field.unsupported.empty();
    };
    if (kept.empty()) {
      const auto first = std::ranges::find_if(relation.schema, is_short);
      kept.insert(first == relation.schema.end()
                      ? 0
                      : static_cast<std::uint32_t>(first - relation.schema.begin()));
    }
    number(id, kept);
    Builder builder(relation.schema);
    std::vector<Projection> projections;
    for (const std::uint32_t column : kept)
      projections.push_back({relation.schema[column].name, builder.column(column)});
    return new_.project(all, builder.graph(), std::move(projections));
  }

  Result<RelationId> project(RelationId id, const Relation& relation) {
    const Needed& kept = readers_.of(id);
    number(id, kept);
    std::vector<NodeId> roots;
    for (const std::uint32_t i : kept) roots.push_back(relation.projections[i].root);
    const Moved values =
        expressions(schema(input(relation)), *relation.graph, roots, columns_[relation.inputs[0]]);
    std::vector<Projection> projections;
    for (const std::uint32_t i : kept)
      projections.push_back({relation.projections[i].name, values.roots[projections.size()]});
    return new_.project(input(relation), values.graph, std::move(projections));
  }

  // Returns the side that a join with one row of which nothing is read is; nullopt for other joins.
  std::optional<RelationId> without_single_row(RelationId id, const Relation& relation) {
    if (relation.join.type != JoinType::inner || !relation.join.keys.empty() ||
        relation.join.residual)
      return std::nullopt;
    const std::uint32_t left = width(old_.at(relation.inputs[0]));
    const Needed& read = readers_.of(id);
    const bool reads_left = !read.empty() && *read.begin() < left,
               reads_right = !read.empty() && *read.rbegin() >= left;
    const bool drops_left = !reads_left && yields_one_row(old_, relation.inputs[0]),
               drops_right = !reads_right && yields_one_row(old_, relation.inputs[1]);
    if (!drops_left && !drops_right) return std::nullopt;
    ColumnList columns(width(relation), dropped);
    const std::size_t kept = drops_right ? 0 : 1;
    std::ranges::copy(columns_[relation.inputs[kept]], columns.begin() + (kept == 0 ? 0 : left));
    columns_[id] = std::move(columns);
    return input(relation, kept);
  }

  Result<RelationId> join(RelationId id, const Relation& relation) {
    if (const auto side = without_single_row(id, relation)) return *side;
    const RelationId left = input(relation, 0), right = input(relation, 1);
    const ColumnList &of_left = columns_[relation.inputs[0]],
                     &of_right = columns_[relation.inputs[1]];
    const auto left_width = static_cast<std::uint32_t>(schema(left).size());
    ColumnList pair = of_left;
    for (const std::uint32_t column : of_right)
      pair.push_back(column == dropped ? dropped : column + left_width);
    RelationJoin join = relation.join;
    for (RelationKey& key : join.keys)
      key = {of_left[key.left], of_right[key.right], key.null_is_equal};
    if (join.residual) {
      Schema rows = schema(left);
      rows.insert(rows.end(), schema(right).begin(), schema(right).end());
      const Moved condition = expressions(rows, *join.graph, {*join.residual}, pair);
      join.graph = condition.graph;
      join.residual = condition.roots[0];
    }
    if (only_finds_partners(old_, id, readers_, estimates_)) {
      for (std::size_t i = 0; i < of_right.size(); i++) pair[of_left.size() + i] = dropped;
      for (const RelationKey& key : relation.join.keys)
        pair[of_left.size() + key.right] = of_left[key.left];
      columns_[id] = std::move(pair);
      join.type = JoinType::semi;
      return new_.join(left, right, std::move(join));
    }
    columns_[id] = std::move(pair);
    if (join.type == JoinType::mark) {
      columns_[id].resize(of_left.size());
      columns_[id].push_back(left_width);
    }
    columns_[id].resize(width(relation), dropped);
    return new_.join(left, right, std::move(join));
  }

  Result<RelationId> aggregate(RelationId id, const Relation& relation) {
    const RelationAggregate& before = relation.aggregate;
    const auto keys = static_cast<std::uint32_t>(before.keys.size()),
               calls = static_cast<std::uint32_t>(before.aggregates.size());
    Needed kept;
    for (std::uint32_t i = 0; i < width(relation); i++)
      if (i < keys || i >= keys + calls || readers_.of(id).contains(i)) kept.insert(i);
    number(id, kept);
    RelationAggregate after = before;
    after.aggregates.clear();
    std::vector<NodeId> roots;
    for (const Projection& key : before.keys) roots.push_back(key.root);
    const auto values_of_calls = single_values(relation, kept);
    for (std::uint32_t i = 0; i < calls; i++) {
      if (!kept.contains(keys + i) || values_of_calls[i]) continue;
      after.aggregates.push_back(before.aggregates[i]);
      if (plan::takes_argument(before.aggregates[i].function))
        roots.push_back(before.aggregates[i].argument);
    }
    const Moved values =
        expressions(schema(input(relation)), *before.graph, roots, columns_[relation.inputs[0]]);
    after.graph = values.graph;
    std::size_t next = 0;
    for (Projection& key : after.keys) key.root = values.roots[next++];
    for (AggregateCall& call : after.aggregates)
      if (plan::takes_argument(call.function)) call.argument = values.roots[next++];
    PENSTOCK_ASSIGN(const RelationId groups, new_.aggregate(input(relation), std::move(after)));
    return with_single_values(groups, relation, kept, values_of_calls);
  }

  using SingleValues = std::vector<std::optional<SingleValue>>;

  SingleValues single_values(const Relation& relation, const Needed& kept) const {
    const std::size_t keys = relation.aggregate.keys.size();
    SingleValues values(relation.aggregate.aggregates.size());
    for (std::size_t i = 0; i < values.size(); i++)
      if (kept.contains(static_cast<std::uint32_t>(keys + i)))
        values[i] = single_value_of_call(old_, relation, i);
    return values;
  }

  // Joins the groups to the rows with the values that are one in all of them.
  Result<RelationId> with_single_values(RelationId groups, const Relation& relation,
                                        const Needed& kept, const SingleValues& values) {
    if (std::ranges::none_of(values, [](const auto& value) { return value.has_value(); }))
      return groups;
    const std::size_t keys = relation.aggregate.keys.size();
    std::uint32_t next = 0;
    ColumnList places;
    for (const std::uint32_t column : kept) {
      const bool is_call = column >= keys && column - keys < values.size();
      const auto& value = is_call ? values[column - keys] : std::nullopt;
      places.push_back(value ? dropped : next++);
    }
    std::size_t at = 0;
    for (const std::uint32_t column : kept) {
      if (std::uint32_t& place = places[at++]; place == dropped) {
        const SingleValue& value = *values[column - keys];
        place = static_cast<std::uint32_t>(schema(groups).size()) +
                moved_column(value.relation, value.column);
        PENSTOCK_ASSIGN(groups, new_.join(groups, ids_[value.relation], {}));
      }
    }
    Builder builder(schema(groups));
    std::vector<Projection> projections;
    for (const std::uint32_t place : places)
      projections.push_back(
          {relation
               .schema[*std::next(kept.begin(), static_cast<std::ptrdiff_t>(projections.size()))]
               .name,
           builder.column(place)});
    return new_.project(groups, builder.graph(), std::move(projections));
  }

  Result<RelationId> window(RelationId id, const Relation& relation) {
    const RelationId old_input = relation.inputs[0];
    const std::uint32_t input_width = width(old_.at(old_input));
    Window window = relation.window;
    for (std::uint32_t& column : window.partition) column = moved_column(old_input, column);
    for (SortKey& key : window.order) key.column = moved_column(old_input, key.column);
    window.calls.clear();
    columns_[id] = columns_[old_input];
    auto next = static_cast<std::uint32_t>(schema(input(relation)).size());
    for (std::uint32_t i = 0; i < relation.window.calls.size(); i++) {
      const bool is_read = readers_.of(id).contains(input_width + i);
      columns_[id].push_back(is_read ? next++ : dropped);
      if (!is_read) continue;
      WindowCall call = relation.window.calls[i];
      const std::uint32_t column = moved_column(old_input, call.column);
      call.column = column == dropped ? 0 : column;
      if (call.otherwise) call.otherwise = moved_column(old_input, *call.otherwise);
      for (FrameEnd* const end : relation::ends_of(call))
        if (end->column) end->column = moved_column(old_input, *end->column);
      window.calls.push_back(std::move(call));
    }
    if (window.calls.empty()) return input(relation);
    return new_.window(input(relation), std::move(window));
  }

  Result<RelationId> append(RelationId id, const Relation& relation) {
    const Needed& kept = readers_.of(id);
    number(id, kept);
    std::vector<RelationId> inputs;
    for (const RelationId old_input : relation.inputs) {
      PENSTOCK_ASSIGN(inputs.emplace_back(), with_columns(old_input, kept));
    }
    return new_.append(std::move(inputs));
  }

  Result<RelationId> unnest(RelationId id, const Relation& relation) {
    const Unnesting& before = relation.unnesting;
    const auto kept_before = static_cast<std::uint32_t>(before.kept.size());
    Unnesting after = before;
    after.kept.clear();
    Needed kept;
    for (std::uint32_t i = 0; i < width(relation); i++)
      if (i >= kept_before || readers_.of(id).contains(i)) kept.insert(i);
    number(id, kept);
    for (std::uint32_t i = 0; i < kept_before; i++)
      if (kept.contains(i)) after.kept.push_back(moved_column(relation.inputs[0], before.kept[i]));
    for (std::uint32_t& column : after.lists) column = moved_column(relation.inputs[0], column);
    return new_.unnest(input(relation), std::move(after));
  }

  // Keeps all columns of a relation.
  Needed number_all(RelationId id, const Relation& relation) {
    Needed all;
    for (std::uint32_t i = 0; i < width(relation); i++) all.insert(i);
    number(id, all);
    return all;
  }

  Result<RelationId> recursion(RelationId id, const Relation& relation) {
    const Needed all = number_all(id, relation);
    PENSTOCK_ASSIGN(const RelationId base, with_columns(relation.inputs[1], all));
    PENSTOCK_ASSIGN(const RelationId step, with_columns(relation.inputs[2], all));
    return new_.recursion(input(relation), base, step, relation.all);
  }

  template <class F> Result<RelationId> whole(RelationId id, const Relation& relation, F add) {
    const Needed all = number_all(id, relation);
    PENSTOCK_ASSIGN(const RelationId first, with_columns(relation.inputs[0], all));
    if (relation.inputs.size() == 1) return add(first, first);
    PENSTOCK_ASSIGN(const RelationId second, with_columns(relation.inputs[1], all));
    return add(first, second);
  }

  const RelationGraph& old_;
  const Readers readers_;
  Estimates estimates_;
  RelationGraph new_;
  std::vector<RelationId> ids_;
  std::vector<ColumnList> columns_;  // by old relation: the new numbers of its columns
  const RelationId result_;
};

}  // namespace

Result<Pruned> prune(const RelationGraph& relations, RelationId result) {
  return Pruner(relations, result).run();
}

}  // namespace penstock::relation
