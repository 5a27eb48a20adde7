#include "relation/late_key_matches.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "relation/estimate.hpp"
#include "relation/shape.hpp"

namespace penstock::relation {
namespace {

// A join of more rows than this to a table reads too many of its texts one by one.
constexpr std::uint64_t max_first_groups = 10'000;
// The texts of smaller tables are numbered sooner than the table is read again.
constexpr std::uint64_t min_table_rows = std::uint64_t{1} << 16;
// The table is read twice. That has to be little beside all that the statement's groups read.
constexpr std::uint64_t min_times_read = 3;

bool has_texts(Type type) { return type.kind == Kind::string; }

bool reads_any(const Graph& graph, NodeId root, const std::vector<bool>& columns) {
  const Node& node = graph.at(root);
  if (node.op == Op::column) return columns[node.payload];
  return std::ranges::any_of(node.inputs,
                             [&](NodeId input) { return reads_any(graph, input, columns); });
}

class Finder {
 public:
  Finder(const RelationGraph& relations, RelationId result)
      : relations_(relations), estimates_(relations), consumers_(relations.size(), 0) {
    consumers_[result] = 1;
    for (RelationId id = result + 1; id-- > 0;)
      if (consumers_[id] > 0)
        for (const RelationId input : at(id).inputs) consumers_[input]++;
  }

  std::optional<LateKeyMatch> find() {
    for (RelationId id = 0; id < consumers_.size(); id++)
      if (consumers_[id] > 0 && !can_begin_anew(at(id))) return std::nullopt;
    for (RelationId id = 0; id < consumers_.size(); id++)
      if (consumers_[id] > 0 && at(id).kind == RelationKind::limit)
        if (auto match = of_limit(id)) return match;
    return std::nullopt;
  }

 private:
  using Places = std::map<RelationId, std::uint32_t>;  // of a column, by relation
  struct Scanned {
    std::uint64_t rows = 0, most_rows = 0;
    bool can_be_read_again = true;
  };

  // A run that finds a key twice begins anew. Steps of a recursion have plans of their own.
  static bool can_begin_anew(const Relation& relation) {
    if (relation.kind == RelationKind::working_table) return false;
    return relation.kind != RelationKind::scan || relation.source->can_be_scanned_again();
  }
  const Relation& at(RelationId id) const { return relations_.at(id); }
  std::uint32_t width(RelationId id) const {
    return static_cast<std::uint32_t>(at(id).schema.size());
  }

  // The first groups are those of an order.
  std::optional<LateKeyMatch> of_limit(RelationId id) {
    if (at(id).limit > max_first_groups) return std::nullopt;
    LateKeyMatch match;
    match.limit = id;
    bool has_order = false;
    RelationId below = at(id).inputs[0];
    for (; consumers_[below] == 1; below = at(below).inputs[0]) {
      const RelationKind kind = at(below).kind;
      if (kind != RelationKind::filter && kind != RelationKind::project &&
          kind != RelationKind::sort)
        break;
      has_order |= kind == RelationKind::sort;
      match.above.insert(match.above.begin(), below);
    }
    const bool is_alone = consumers_[below] == 1 && at(below).kind == RelationKind::aggregate;
    if (!has_order || !is_alone) return std::nullopt;
    match.aggregate = below;
    return of_aggregate(std::move(match));
  }

  std::optional<LateKeyMatch> of_aggregate(LateKeyMatch match) {
    const Relation& relation = at(match.aggregate);
    const RelationAggregate& aggregate = relation.aggregate;
    if (!aggregate.sets.empty() || !aggregate.groupings.empty()) return std::nullopt;
    std::vector<Places> keys;
    for (const Projection& key : aggregate.keys) {
      const Node& node = aggregate.graph->at(key.root);
      keys.push_back(node.op == Op::column ? places_of(relation.inputs[0], node.payload)
                                           : Places());
    }
    Places joins;
    for (const Places& key : keys) joins.insert(key.begin(), key.end());
    for (const auto& [id, column] : joins) {
      if (at(id).kind != RelationKind::join || !follow_from(id, keys, match)) continue;
      if (are_joined_above(match) && is_worth_it(match)) return match;
    }
    return std::nullopt;
  }

  // Returns the relations below that hand a column on, each with one reader: all rows of the
  // aggregate come of rows of theirs.
  Places places_of(RelationId id, std::uint32_t column) const {
    Places places;
    while (consumers_[id] == 1) {
      places[id] = column;
      const Relation& relation = at(id);
      std::size_t input = 0;
      if (relation.kind == RelationKind::project) {
        const Node& node = relation.graph->at(relation.projections[column].root);
        if (node.op != Op::column) return places;
        column = node.payload;
      } else if (relation.kind == RelationKind::join) {
        const std::uint32_t left = width(relation.inputs[0]);
        const JoinType type = relation.join.type;
        if (column >= left ? type != JoinType::inner : type == JoinType::full) return places;
        input = column >= left ? 1 : 0;
        column -= input == 1 ? left : 0;
      } else if (relation.kind != RelationKind::filter) {
        return places;
      }
      id = relation.inputs[input];
    }
    return places;
  }

  // Finds the aggregate's keys that are the join's, and the columns of the held side among the
  // others. Floats of equal keys may be 0.0 and -0.0, and texts would have to be compared.
  bool follow_from(RelationId id, const std::vector<Places>& keys, LateKeyMatch& match) {
    const Relation& relation = at(id);
    const RelationJoin& join = relation.join;
    if (join.type != JoinType::inner || join.keys.empty()) return false;
    const std::uint32_t left = width(relation.inputs[0]);
    match.join = id;
    match.keys.clear(), match.late.clear();
    match.holds_right = join.holds_right || estimates_.rows_of(relation.inputs[0]) >=
                                                estimates_.rows_of(relation.inputs[1]);
    const auto is_at = [&](const Places& key, std::uint32_t column) {
      const auto place = key.find(id);
      return place != key.end() && place->second == column;
    };
    for (const RelationKey& key : join.keys) {
      const Type type = relation.schema[key.left].type;
      if (key.null_is_equal || is_float(type) || has_texts(type)) return false;
      const auto of_group = std::ranges::find_if(keys, [&](const Places& one) {
        return is_at(one, key.left) || is_at(one, left + key.right);
      });
      if (of_group == keys.end()) return false;
      match.keys.push_back(static_cast<std::uint32_t>(of_group - keys.begin()));
    }
    for (std::uint32_t i = 0; i < keys.size(); i++) {
      const auto place = keys[i].find(id);
      if (place == keys[i].end() || std::ranges::count(match.keys, i) > 0) continue;
      const bool is_right = place->second >= left;
      if (is_right == match.holds_right)
        match.late.push_back({i, is_right ? place->second - left : place->second});
    }
    return std::ranges::any_of(match.late, [&](const LateKeyMatch::Late& late) {
      return has_texts(at(match.aggregate).schema[late.key].type);
    });
  }

  // Returns whether late columns are handed on as they are, and nothing else reads them.
  bool are_joined_above(const LateKeyMatch& match) const {
    std::vector<bool> are_late(at(match.aggregate).schema.size());
    for (const LateKeyMatch::Late& late : match.late) are_late[late.key] = true;
    for (const RelationId id : match.above) {
      const Relation& relation = at(id);
      if (relation.kind == RelationKind::filter &&
          reads_any(*relation.graph, relation.predicate, are_late))
        return false;
      if (relation.kind == RelationKind::sort &&
          std::ranges::any_of(relation.sort_keys,
                              [&](const SortKey& key) { return are_late[key.column]; }))
        return false;
      if (relation.kind != RelationKind::project) continue;
      std::vector<bool> projected;
      for (const Projection& one : relation.projections) {
        projected.push_back(reads_any(*relation.graph, one.root, are_late));
        if (projected.back() && relation.graph->at(one.root).op != Op::column) return false;
      }
      are_late = std::move(projected);
    }
    return true;
  }

  bool is_worth_it(const LateKeyMatch& match) const {
    const Scanned table = scanned(at(match.join).inputs[match.holds_right ? 1 : 0]),
                  all = scanned(at(match.aggregate).inputs[0]);
    return table.can_be_read_again && table.most_rows >= min_table_rows &&
           table.rows * min_times_read <= all.rows;
  }

  // Relations with several readers are not read again, as each would be for every one of them.
  Scanned scanned(RelationId id) const {
    std::set<RelationId> counted;
    return scanned(id, counted);
  }
  Scanned scanned(RelationId id, std::set<RelationId>& counted) const {
    const Relation& relation = at(id);
    Scanned sum;
    sum.can_be_read_again = consumers_[id] == 1;
    if (!counted.insert(id).second) return sum;
    if (relation.kind == RelationKind::scan) {
      const auto rows = relation.source->row_count();
      sum.can_be_read_again &= rows.has_value();
      sum.rows = sum.most_rows = rows.value_or(0);
    }
    for (const RelationId input : relation.inputs) {
      const Scanned one = scanned(input, counted);
      sum.rows += one.rows;
      sum.most_rows = std::max(sum.most_rows, one.most_rows);
      sum.can_be_read_again &= one.can_be_read_again;
    }
    return sum;
  }

  const RelationGraph& relations_;
  Estimates estimates_;
  std::vector<std::uint32_t> consumers_;
};

}  // namespace

std::optional<LateKeyMatch> find_late_keys(const RelationGraph& relations, RelationId result) {
  return Finder(relations, result).find();
}

}  // namespace penstock::relation
