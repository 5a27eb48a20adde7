#include "fuse/program/row_condition.hpp"

#include <algorithm>

#include "expr/operation.hpp"
#include "fuse/program/column_comparison.hpp"

namespace penstock::plan {
namespace {

using Condition = std::optional<RowCondition>;

RowCondition group_of(RowTest test, std::vector<RowCondition> conditions) {
  RowCondition group;
  group.test = test;
  group.conditions = std::move(conditions);
  return group;
}

RowTest mirrored(RowTest test) {
  switch (test) {
    case RowTest::less: return RowTest::greater;
    case RowTest::less_equal: return RowTest::greater_equal;
    case RowTest::greater: return RowTest::less;
    case RowTest::greater_equal: return RowTest::less_equal;
    default: return test;
  }
}

RowTest negation(RowTest test) {
  switch (test) {
    case RowTest::equal: return RowTest::not_equal;
    case RowTest::not_equal: return RowTest::equal;
    case RowTest::less: return RowTest::greater_equal;
    case RowTest::less_equal: return RowTest::greater;
    case RowTest::greater: return RowTest::less_equal;
    case RowTest::greater_equal: return RowTest::less;
    case RowTest::is_null: return RowTest::is_not_null;
    default: return RowTest::is_null;  // of is_not_null
  }
}

std::optional<RowTest> test_of(Op op) {
  switch (op) {
    case Op::equal: return RowTest::equal;
    case Op::not_equal: return RowTest::not_equal;
    case Op::less: return RowTest::less;
    case Op::less_equal: return RowTest::less_equal;
    case Op::greater: return RowTest::greater;
    case Op::greater_equal: return RowTest::greater_equal;
    default: return std::nullopt;
  }
}

// Returns the beginning of every string that fits a LIKE pattern. An escape ends it, whichever it
// is.
std::string prefix_of_pattern(const std::string& pattern, const std::string& escape) {
  return pattern.substr(0, pattern.find_first_of("%_\\" + escape));
}

// Builds the condition of a predicate. An AND leaves out a part without a condition; an OR with
// such a part has none itself.
class ConditionOfPredicate {
 public:
  explicit ConditionOfPredicate(const TileProgram& program)
      : program_(program), graph_(*program.graph) {}

  Condition of(NodeId id, bool is_negated) const {
    const Node& node = graph_.at(id);
    switch (node.op) {
      case Op::and_: return is_negated ? any_of(node, true) : all_of(node, false);
      case Op::or_: return is_negated ? all_of(node, true) : any_of(node, false);
      case Op::not_: return of(node.inputs[0], !is_negated);
      case Op::is_null: return null_test(node, is_negated);
      case Op::parameter: return constant(graph_.parameters[node.payload], is_negated);
      case Op::column: return of_column(node.payload, is_negated);
      default: break;
    }
    const auto test = test_of(node.op);
    if (!test || can_fault(graph_, id)) return std::nullopt;
    return comparison(node, is_negated ? negation(*test) : *test);
  }

  // Returns the condition that a key lies in one of some ranges.
  Condition in_ranges(NodeId key, std::span<const std::pair<Scalar, Scalar>> ranges) const {
    const auto column = column_of_node(key);
    if (!column) return std::nullopt;
    std::vector<RowCondition> parts;
    for (const auto& [least, greatest] : ranges) {
      std::vector<RowCondition> ends;
      for (auto end : {compared(*column, RowTest::greater_equal, least),
                       compared(*column, RowTest::less_equal, greatest)})
        if (end) ends.push_back(std::move(*end));
      parts.push_back(group_of(RowTest::all_of, std::move(ends)));
    }
    return group_of(RowTest::any_of, std::move(parts));
  }

 private:
  Condition all_of(const Node& node, bool is_negated) const {
    std::vector<RowCondition> parts;
    for (const NodeId input : node.inputs)
      if (Condition part = of(input, is_negated)) parts.push_back(std::move(*part));
    if (parts.empty()) return std::nullopt;
    return group_of(RowTest::all_of, std::move(parts));
  }

  Condition any_of(const Node& node, bool is_negated) const {
    std::vector<RowCondition> parts;
    for (const NodeId input : node.inputs) {
      Condition part = of(input, is_negated);
      if (!part) return std::nullopt;
      parts.push_back(std::move(*part));
    }
    return group_of(RowTest::any_of, std::move(parts));
  }

  static Condition constant(const Scalar& value, bool is_negated) {
    if (value.is_null) return std::nullopt;
    const bool holds = (value.integer != 0) != is_negated;
    return group_of(holds ? RowTest::all_of : RowTest::any_of, {});
  }

  bool is_of_source(std::uint32_t column) const {
    return column < program_.first_derived() && program_.lookup_of(column) < 0;
  }

  // Returns the source's column behind a node, perhaps as a wider type.
  std::optional<std::uint32_t> column_of_node(NodeId id) const {
    while (graph_.at(id).op == Op::cast) {
      const NodeId input = graph_.at(id).inputs[0];
      if (!keeps_order(graph_.at(input).type, graph_.at(id).type)) return std::nullopt;
      id = input;
    }
    const Node& node = graph_.at(id);
    if (node.op != Op::column || !is_of_source(node.payload)) return std::nullopt;
    return node.payload;
  }

  Condition null_test(const Node& node, bool is_negated) const {
    const auto column = column_of_node(node.inputs[0]);
    if (!column) return std::nullopt;
    RowCondition condition;
    condition.test = is_negated ? RowTest::is_not_null : RowTest::is_null;
    condition.column = *column;
    return condition;
  }

  Condition comparison(const Node& node, RowTest test) const {
    for (const std::size_t side : {0, 1}) {
      const auto column = column_of_node(node.inputs[side]);
      const Node& other = graph_.at(node.inputs[1 - side]);
      if (!column || other.op != Op::parameter) continue;
      return compared(*column, side == 0 ? test : mirrored(test), graph_.parameters[other.payload]);
    }
    return std::nullopt;
  }

  Condition compared(std::uint32_t column, RowTest test, const Scalar& constant) const {
    return column_comparison(column, program_.source_schema[column].type, test, constant);
  }

  Condition of_column(std::uint32_t column, bool is_negated) const {
    if (is_of_source(column)) return compared(column, RowTest::equal, Scalar::of(!is_negated));
    if (column < program_.first_derived()) return std::nullopt;
    return of_derived(program_.derived[column - program_.first_derived()], is_negated);
  }

  // Returns the condition of a column that the host derives by a function of strings.
  Condition of_derived(const DerivedColumn& derived, bool is_negated) const {
    if (!is_of_source(derived.source) || derived.function->result_type.kind != Kind::boolean)
      return std::nullopt;
    std::vector<Scalar> constants = derived.inputs;
    constants.erase(constants.begin() + static_cast<std::ptrdiff_t>(derived.column_input));
    if (constants.empty() || std::any_of(constants.begin(), constants.end(), [](const Scalar& one) {
          return one.is_null || one.type.kind != Kind::string;
        }))
      return std::nullopt;
    const std::string& name = derived.function->name;
    for (const Op op : {Op::less, Op::less_equal, Op::greater, Op::greater_equal})
      if (name == name_of(op)) {
        const RowTest test = derived.column_input == 0 ? *test_of(op) : mirrored(*test_of(op));
        return compared(derived.source, is_negated ? negation(test) : test, constants[0]);
      }
    if (is_negated || derived.column_input != 0) return std::nullopt;
    return of_search(derived.source, name, constants);
  }

  Condition of_search(std::uint32_t column, std::string_view name,
                      const std::vector<Scalar>& constants) const {
    if (name == "any_of") {
      std::vector<RowCondition> parts;
      for (const Scalar& constant : constants)
        if (Condition part = compared(column, RowTest::equal, constant))
          parts.push_back(std::move(*part));
      return group_of(RowTest::any_of, std::move(parts));
    }
    std::string prefix;
    if (name == "starts_with") prefix = constants[0].text;
    if (name == "like")
      prefix = prefix_of_pattern(constants[0].text, constants.size() > 1 ? constants[1].text : "");
    if (prefix.empty()) return std::nullopt;
    return compared(column, RowTest::starts_with, Scalar::of(std::move(prefix)));
  }

  const TileProgram& program_;
  const Graph& graph_;
};

void keep_nulls(RowCondition& condition) {
  condition.keeps_nulls = true;
  for (RowCondition& part : condition.conditions) keep_nulls(part);
}

// Returns whether the key of a join before a predicate can end the query with a fault.
bool key_can_fault(const TileProgram& program, std::size_t predicate) {
  return std::any_of(program.lookups.begin(), program.lookups.end(), [&](const Lookup& lookup) {
    return lookup.predicates_before <= predicate &&
           std::any_of(lookup.keys.begin(), lookup.keys.end(),
                       [&](NodeId key) { return can_fault(*program.graph, key); });
  });
}

// Returns whether a row can end the query with a fault before a lookup drops it.
bool can_fault_before(const TileProgram& program, const Lookup& lookup) {
  for (std::size_t i = 0; i < lookup.predicates_before; i++)
    if (can_fault(*program.graph, program.predicates[i])) return true;
  return key_can_fault(program, lookup.predicates_before);
}

}  // namespace

bool can_use_values(const TileProgram& program, std::size_t lookup, std::size_t key) {
  const Lookup& join = program.lookups[lookup];
  const bool drops = join.kind == JoinKind::inner || join.kind == JoinKind::semi;
  return drops && !can_fault_before(program, join) &&
         ConditionOfPredicate(program).in_ranges(join.keys[key], {}).has_value();
}

void add_columns(const RowCondition& condition, Columns& columns) {
  if (condition.test != RowTest::all_of && condition.test != RowTest::any_of)
    add_once(columns, condition.column);
  for (const RowCondition& part : condition.conditions) add_columns(part, columns);
}

// A predicate that can fault ends the query if an AND is NULL and one of its inputs faults; it does
// not if one of them is FALSE. Later predicates are left out: they would hide rows that fault.
std::optional<RowCondition> needed_rows(const TileProgram& program,
                                        std::span<const JoinedValues> joined) {
  std::vector<RowCondition> parts;
  for (std::size_t i = 0; i < program.predicates.size() && !key_can_fault(program, i); i++) {
    const bool faults = can_fault(*program.graph, program.predicates[i]);
    Condition part = ConditionOfPredicate(program).of(program.predicates[i], false);
    if (part && faults) keep_nulls(*part);
    if (part) parts.push_back(std::move(*part));
    if (faults) break;
  }
  for (const JoinedValues& values : joined)
    if (can_use_values(program, values.lookup, values.key))
      parts.push_back(*ConditionOfPredicate(program).in_ranges(
          program.lookups[values.lookup].keys[values.key], values.ranges));
  if (parts.empty()) return std::nullopt;
  return group_of(RowTest::all_of, std::move(parts));
}

}  // namespace penstock::plan
