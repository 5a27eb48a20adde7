// Joins of Substrait's plans, and the subqueries of expressions, which are joins.
#include <algorithm>
#include <optional>
#include <utility>

#include "relation/shape.hpp"
#include "sql/parse/suggestions.hpp"
#include "sql/substrait/substrait_reader.hpp"

namespace penstock::sql {
namespace {

struct NamedJoin {
  std::string_view name;
  JoinType type;
  bool is_turned = false;  // the right side is the one that is kept
};
constexpr NamedJoin joins[] = {
    {"JOIN_TYPE_INNER", JoinType::inner},        {"JOIN_TYPE_OUTER", JoinType::full},
    {"JOIN_TYPE_LEFT", JoinType::left},          {"JOIN_TYPE_RIGHT", JoinType::left, true},
    {"JOIN_TYPE_LEFT_SEMI", JoinType::semi},     {"JOIN_TYPE_RIGHT_SEMI", JoinType::semi, true},
    {"JOIN_TYPE_LEFT_ANTI", JoinType::anti},     {"JOIN_TYPE_RIGHT_ANTI", JoinType::anti, true},
    {"JOIN_TYPE_LEFT_SINGLE", JoinType::single}, {"JOIN_TYPE_RIGHT_SINGLE", JoinType::single, true},
    {"JOIN_TYPE_LEFT_MARK", JoinType::mark},     {"JOIN_TYPE_RIGHT_MARK", JoinType::mark, true}};

bool keeps_one_side(JoinType type) {
  return type == JoinType::semi || type == JoinType::anti || type == JoinType::mark;
}

std::vector<SubstraitColumn> moved_columns(std::vector<SubstraitColumn> columns, std::uint32_t by) {
  for (SubstraitColumn& column : columns) column.place += by;
  return columns;
}

// The sides that an expression reads.
struct Read {
  bool left = false, right = false, other = false;
};

void add_read(const Tree& expression, std::size_t left_count, int depth, Read& read) {
  constexpr int depth_limit = 600;
  if (depth == depth_limit || expression["subquery"]) {
    read.other = true;
    return;
  }
  if (expression["selection"]) {
    const std::int64_t field = field_of_selection(expression);
    const bool is_left = field >= 0 && static_cast<std::uint64_t>(field) < left_count;
    read.other = read.other || field < 0;
    (is_left ? read.left : read.right) = true;
  }
  for (const Tree& part : inputs_of_substrait(expression))
    add_read(part, left_count, depth + 1, read);
}

}  // namespace

// The inputs of a join. Keys are computed behind their columns.
struct SubstraitReader::Sides {
  SubstraitRows left, right;
  ComputedColumns of_left, of_right;
  std::vector<SubstraitColumn> columns_of_left;   // as an expression over both counts them
  std::vector<SubstraitColumn> columns_of_right;  // behind as many as the left has

  Sides(RelationWriter& writer, SubstraitRows left_rows, SubstraitRows right_rows)
      : left(std::move(left_rows)),
        right(std::move(right_rows)),
        of_left(writer, left.relation),
        of_right(writer, right.relation),
        columns_of_left(left.columns),
        columns_of_right(left.columns.size()) {
    columns_of_right.insert(columns_of_right.end(), right.columns.begin(), right.columns.end());
  }
};

// Adds an equality of both sides to the keys; returns whether it is one.
Result<bool> SubstraitReader::add_key(const Tree& conjunct, Sides& sides, RelationJoin& join) {
  const std::string_view name = function_of(plan_, conjunct["scalarFunction"]);
  const bool is_null_safe = name == "is_not_distinct_from";
  std::vector<Tree> inputs = inputs_of_substrait(conjunct);
  if ((name != "equal" && !is_null_safe) || inputs.size() != 2) return false;
  Read reads[2];
  for (std::size_t i = 0; i < 2; i++) add_read(inputs[i], sides.left.columns.size(), 0, reads[i]);
  if (reads[0].right) {
    std::swap(inputs[0], inputs[1]);
    std::swap(reads[0], reads[1]);
  }
  const bool is_key = reads[0].left && !reads[0].right && reads[1].right && !reads[1].left &&
                      !reads[0].other && !reads[1].other;
  if (!is_key) return false;
  PENSTOCK_ASSIGN(const SubstraitColumn left,
                  add(sides.of_left, inputs[0], sides.columns_of_left, "ON"));
  PENSTOCK_ASSIGN(const SubstraitColumn right,
                  add(sides.of_right, inputs[1], sides.columns_of_right, "ON"));
  join.keys.push_back({left.place, right.place, is_null_safe});
  return true;
}

// Keys of two types are compared as their common one.
Status SubstraitReader::unify_keys(Sides& sides, RelationJoin& join) {
  ComputedColumns left(*this, sides.left.relation), right(*this, sides.right.relation);
  for (RelationKey& key : join.keys) {
    const NodeId a = left.builder().column(key.left), b = right.builder().column(key.right);
    const Type type_a = left.builder().type(a), type_b = right.builder().type(b);
    if (type_a == type_b) continue;
    PENSTOCK_ASSIGN(const Type type, common_type(type_a, type_b));
    PENSTOCK_ASSIGN(const NodeId cast_a, left.builder().cast(a, type));
    PENSTOCK_ASSIGN(const NodeId cast_b, right.builder().cast(b, type));
    key.left = left.add(cast_a);
    key.right = right.add(cast_b);
  }
  PENSTOCK_ASSIGN(sides.left.relation, left.finish());
  PENSTOCK_ASSIGN(sides.right.relation, right.finish());
  return {};
}

Result<RelationJoin> SubstraitReader::conditions(const Tree& body, Sides& sides) {
  RelationJoin join;
  std::vector<Tree> conjuncts, others;
  add_conjuncts(plan_, body["expression"], conjuncts);
  for (const Tree& conjunct : conjuncts) {
    if (conjunct["literal"]["boolean"].boolean()) continue;
    PENSTOCK_ASSIGN(const bool is_key, add_key(conjunct, sides, join));
    if (!is_key) others.push_back(conjunct);
  }
  PENSTOCK_ASSIGN(sides.left.relation, sides.of_left.finish());
  PENSTOCK_ASSIGN(sides.right.relation, sides.of_right.finish());
  PENSTOCK_TRY(unify_keys(sides, join));
  Builder builder(pair_of(sides.left.relation, sides.right.relation));
  std::vector<SubstraitColumn> columns = sides.left.columns;
  for (const SubstraitColumn& column :
       moved_columns(sides.right.columns, width(sides.left.relation)))
    columns.push_back(column);
  for (const Tree& other : others) {
    PENSTOCK_ASSIGN(NodeId node, node_of(builder, syntax_of(builder, other, columns), "ON"));
    PENSTOCK_ASSIGN(node, builder.cast(node, Type{Kind::boolean}));
    if (join.residual) { PENSTOCK_ASSIGN(node, builder.binary(Op::and_, *join.residual, node)); }
    join.residual = node;
  }
  join.graph = builder.graph();
  return join;
}

Result<SubstraitRows> SubstraitReader::join(const Tree& body) {
  PENSTOCK_ASSIGN(SubstraitRows left, read(body["left"]));
  PENSTOCK_ASSIGN(SubstraitRows right, read(body["right"]));
  const auto kind = std::ranges::find(joins, body["type"].text(), &NamedJoin::name);
  if (kind == std::end(joins))
    return refuse("a join of a type that Substrait's plan does not tell");
  if (body["expression"]) PENSTOCK_TRY(prepare(left, {body["expression"]}));
  Sides sides(*this, std::move(left), std::move(right));
  PENSTOCK_ASSIGN(RelationJoin join, conditions(body, sides));
  PENSTOCK_ASSIGN(SubstraitRows rows, joined(kind->type, kind->is_turned, sides, std::move(join)));
  return filtered(std::move(rows), body["postJoinFilter"]);
}

Result<SubstraitRows> SubstraitReader::joined(JoinType type, bool is_turned, const Sides& sides,
                                              RelationJoin join) {
  join.type = type;
  const SubstraitRows& kept = is_turned ? sides.right : sides.left;
  const SubstraitRows& other = is_turned ? sides.left : sides.right;
  if (is_turned)
    join = relation::with_sides_swapped(std::move(join), schema(sides.left.relation),
                                        schema(sides.right.relation));
  const std::uint32_t kept_width = width(kept.relation);
  SubstraitRows rows{0, kept.columns};
  PENSTOCK_ASSIGN(rows.relation, relations_.join(kept.relation, other.relation, std::move(join)));
  if (type == JoinType::mark) { PENSTOCK_ASSIGN(rows, marked(std::move(rows), kept_width)); }
  if (keeps_one_side(type)) return rows;
  const std::vector<SubstraitColumn> others = moved_columns(other.columns, kept_width);
  rows.columns.insert(is_turned ? rows.columns.begin() : rows.columns.end(), others.begin(),
                      others.end());
  return rows;
}

// The standard has SQL's IN, which may be NULL. DataFusion's mark is false then.
Result<SubstraitRows> SubstraitReader::marked(SubstraitRows rows, std::uint32_t mark) {
  ComputedColumns computed(*this, rows.relation);
  Builder& builder = computed.builder();
  NodeId node = builder.column(mark);
  if (plan_.is_datafusion) {
    PENSTOCK_ASSIGN(node,
                    builder.variadic(Op::coalesce, {node, builder.literal(Scalar::of(false))}));
  }
  rows.columns.push_back({computed.add(node), Type{Kind::boolean}});
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  return rows;
}

Result<SubstraitRows> SubstraitReader::cross(const Tree& body) {
  PENSTOCK_ASSIGN(SubstraitRows left, read(body["left"]));
  PENSTOCK_ASSIGN(SubstraitRows right, read(body["right"]));
  const Sides sides(*this, std::move(left), std::move(right));
  return joined(JoinType::inner, false, sides, {});
}

Result<SubstraitColumn> SubstraitReader::joined_single(SubstraitRows& rows, RelationId single,
                                                       const SubstraitColumn& column) {
  const std::uint32_t left_width = width(rows.relation);
  RelationJoin join;
  join.type = JoinType::single;
  PENSTOCK_ASSIGN(rows.relation, relations_.join(rows.relation, single, std::move(join)));
  return SubstraitColumn{left_width + column.place, column.type};
}

Status SubstraitReader::add_scalar(SubstraitRows& rows, const Tree& expression) {
  PENSTOCK_ASSIGN(const SubstraitRows inner, read(expression["subquery"]["scalar"]["input"]));
  if (inner.columns.size() != 1)
    return {Code::invalid, "the plan takes a value of a subquery that has not one column"};
  SubstraitRows single{0, {{0, inner.columns[0].type}}};
  PENSTOCK_ASSIGN(single.relation, exact(inner, types_of(inner)));
  PENSTOCK_ASSIGN(standing_[expression.identity()],
                  joined_single(rows, single.relation, single.columns[0]));
  return {};
}

// x IN (SELECT ...) is the mark of a join.
Status SubstraitReader::add_membership(SubstraitRows& rows, const Tree& expression) {
  const Tree body = expression["subquery"]["inPredicate"];
  PENSTOCK_ASSIGN(SubstraitRows inner, read(body["haystack"]));
  std::vector<Tree> needles;
  for (std::size_t i = 0; i < body["needles"].size(); i++) needles.push_back(body["needles"].at(i));
  if (needles.empty() || needles.size() != inner.columns.size())
    return {Code::invalid, "the plan looks for values in a subquery of other columns"};
  PENSTOCK_TRY(prepare(rows, needles));
  Sides sides(*this, rows, std::move(inner));
  RelationJoin join;
  for (std::size_t i = 0; i < needles.size(); i++) {
    PENSTOCK_ASSIGN(const SubstraitColumn left, add(sides.of_left, needles[i], rows.columns, "IN"));
    join.keys.push_back({left.place, sides.right.columns[i].place, false});
  }
  PENSTOCK_ASSIGN(sides.left.relation, sides.of_left.finish());
  PENSTOCK_TRY(unify_keys(sides, join));
  PENSTOCK_ASSIGN(const SubstraitRows result,
                  joined(JoinType::mark, false, sides, std::move(join)));
  rows.relation = result.relation;
  standing_[expression.identity()] = result.columns.back();
  return {};
}

// EXISTS (SELECT ...) counts the first row.
Status SubstraitReader::add_existence(SubstraitRows& rows, const Tree& expression) {
  const Tree body = expression["subquery"]["setPredicate"];
  PENSTOCK_ASSIGN(const SubstraitRows inner, read(body["tuples"]));
  if (body["predicateOp"].text() != "PREDICATE_OP_EXISTS")
    return refuse("a predicate on a subquery other than EXISTS, in Substrait's plan,");
  PENSTOCK_ASSIGN(const RelationId first, relations_.limit(inner.relation, 1));
  ComputedColumns none(*this, first);
  Aggregates count(*this, none);
  PENSTOCK_TRY(count.add({"count"}));
  PENSTOCK_ASSIGN(const RelationColumns counted, count.finish({}, {}));
  ComputedColumns computed(*this, counted.relation);
  Builder& builder = computed.builder();
  PENSTOCK_ASSIGN(const NodeId exists,
                  builder.cast(builder.column(counted.columns[0]), Type{Kind::boolean}));
  const SubstraitColumn column{computed.add(exists), Type{Kind::boolean}};
  PENSTOCK_ASSIGN(const RelationId single, computed.finish());
  PENSTOCK_ASSIGN(standing_[expression.identity()], joined_single(rows, single, column));
  return {};
}

}  // namespace penstock::sql
