// Relations over small tables, and the rows that they yield on each device. Expected rows are
// written by SQL's rules.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "on_device/device/device_fixture.hpp"
#include "penstock/relation.hpp"
#include "penstock/run.hpp"

namespace penstock::test {

constexpr std::nullopt_t null = std::nullopt;
using Numbers = std::vector<std::optional<std::int32_t>>;
using Texts = std::vector<std::optional<std::string>>;

const std::vector<RelationKey> by_key = {{0, 0}};  // the first columns
inline Column numbers(const Numbers& values) { return Column::from(values); }
inline Column texts(const Texts& values) { return Column::from_strings(values); }
// Counts of the type's last digit.
inline Column wide(Type type, const std::vector<std::optional<Int128>>& values) {
  std::vector<Scalar> scalars;
  for (const auto& value : values)
    scalars.push_back(value ? Scalar::of(type, *value) : Scalar::null_of(type));
  return column_of(type, scalars);
}

// A graph of relations that are right: an error is a failed test.
class Relations {
 public:
  RelationGraph graph;

  RelationId table(std::vector<std::pair<std::string, Column>> columns) {
    return graph.scan(table_source(Table::of(std::move(columns))));
  }
  static RelationId right(const Result<RelationId>& relation) {
    EXPECT_TRUE(relation.ok()) << relation.status().text();
    return relation.ok() ? *relation : 0;
  }
  Builder builder(RelationId relation) const { return Builder(graph.at(relation).schema); }
  // Over the columns of both sides.
  Builder pair(RelationId left, RelationId right) const {
    Schema schema = graph.at(left).schema;
    const Schema& more = graph.at(right).schema;
    schema.insert(schema.end(), more.begin(), more.end());
    return Builder(schema);
  }
  // `residual`: a comparison of two columns of the pair.
  struct Comparison {
    Op op;
    std::uint32_t left, right;
  };
  RelationId join(JoinType type, RelationId left, RelationId right, std::vector<RelationKey> keys,
                  std::optional<Comparison> residual = {}) {
    RelationJoin join{type, std::move(keys)};
    if (residual) {
      Builder rows = pair(left, right);
      join.residual =
          *rows.binary(residual->op, rows.column(residual->left), rows.column(residual->right));
      join.graph = rows.graph();
    }
    return this->right(graph.join(left, right, std::move(join)));
  }
  // Keeps rows with less than a number in a column, or by another comparison.
  RelationId below(RelationId input, std::uint32_t column, std::int32_t number, Op op = Op::less) {
    Builder rows = builder(input);
    const NodeId condition =
        *rows.binary(op, rows.column(column), rows.literal(Scalar::of(number)));
    return right(graph.filter(input, rows.graph(), condition));
  }
  // Keeps rows with TRUE in a column, or with FALSE.
  RelationId where(RelationId input, std::uint32_t column, bool is = true) {
    Builder rows = builder(input);
    const NodeId mark = rows.column(column);
    return right(graph.filter(input, rows.graph(), is ? mark : *rows.unary(Op::not_, mark)));
  }
  // Sums column 1 by column 0.
  RelationId sums(RelationId input) {
    Builder rows = builder(input);
    RelationAggregate aggregate;
    aggregate.keys = {{"k", rows.column(0u)}};
    aggregate.aggregates = {{Aggregate::sum, rows.column(1u), "sum", nullptr}};
    aggregate.graph = rows.graph();
    return right(graph.aggregate(input, std::move(aggregate)));
  }

  Result<StepId> lowered(RelationId result, Plan& plan) const { return lower(graph, result, plan); }
  // Returns how many steps of a kind the relation takes.
  std::size_t steps(RelationId result, StepKind kind, std::optional<JoinKind> join = {}) const {
    Plan plan;
    const auto step = lowered(result, plan);
    EXPECT_TRUE(step.ok()) << step.status().text();
    std::size_t count = 0;
    for (StepId id = 0; id < plan.size(); id++)
      count += plan.step(id).kind == kind && (!join || plan.step(id).join_kind == *join);
    return count;
  }
};

using Rows = std::vector<std::string>;

inline Rows rows_of(const Table& table) {
  Rows rows;
  for (std::uint64_t row = 0; row < table.row_count; row++) {
    std::string text;
    for (const Column& column : table.columns) text += text_of(scalar_at(column, row)) + " ";
    text.pop_back();
    rows.push_back(text);
  }
  return rows;
}

// Rows in any order, as "1 NULL text".
inline void expect_rows(const Relations& relations, RelationId result, Rows wanted,
                        bool in_order = false) {
  Plan plan;
  TAKE(const StepId step, relations.lowered(result, plan));
  if (!in_order) std::ranges::sort(wanted);
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, step, {.device = device.traits().id}));
    Rows rows = rows_of(outcome.table);
    if (!in_order) std::ranges::sort(rows);
    EXPECT_EQ(rows, wanted);
  });
}

}  // namespace penstock::test
