#include "fuse/program/source_answers.hpp"

#include <algorithm>

namespace penstock::plan {
namespace {

bool counts_nulls(const Step& step, const AggregateCall& call) {
  return takes_argument(call.function) && counts_values(call.function) && !call.distinct &&
         step.graph->at(call.argument).op == Op::column;
}

class Answer {
 public:
  Answer(const Plan& plan, const Step& step)
      : plan_(plan),
        step_(step),
        source_(source_of(plan, step.inputs[0])),
        rows_(*source_.row_count()) {}

  // Returns the values of all aggregates; none if one of them is unknown. NULLs are counted last,
  // as that reads pages.
  Result<std::vector<Scalar>> values() const {
    std::vector<Scalar> values(step_.aggregates.size());
    for (const bool of_nulls : {false, true})
      for (std::size_t i = 0; i < values.size(); i++) {
        if (counts_nulls(step_, step_.aggregates[i]) != of_nulls) continue;
        PENSTOCK_ASSIGN(std::optional<Scalar> value, of(step_.aggregates[i]));
        if (!value) return std::vector<Scalar>();
        values[i] = std::move(*value);
      }
    return values;
  }

 private:
  Result<std::optional<Scalar>> of(const AggregateCall& call) const {
    const std::optional<Scalar> unknown;
    if (!takes_argument(call.function)) return std::optional(count(rows_));
    const Node& argument = step_.graph->at(call.argument);
    const bool is_extreme =
        is_minimum(call.function, argument.type) || is_maximum(call.function, argument.type);
    if (!is_extreme && (!counts_values(call.function) || call.distinct)) return unknown;
    if (argument.op == Op::parameter && !argument.nullable && !is_extreme)
      return std::optional(count(rows_));
    if (argument.op != Op::column) return unknown;
    const auto column = source_column(plan_, step_.inputs[0], argument.payload);
    if (!column) return unknown;
    if (is_extreme) return extreme(call.function, argument.type, *column);
    PENSTOCK_ASSIGN(const std::optional<std::uint64_t> nulls, source_.null_count(*column));
    return nulls ? std::optional(count(rows_ - *nulls)) : unknown;
  }

  static Scalar count(std::uint64_t rows) { return Scalar::of(static_cast<std::int64_t>(rows)); }

  Result<std::optional<Scalar>> extreme(Aggregate function, Type type, std::uint32_t column) const {
    PENSTOCK_ASSIGN(const ColumnStatistics statistics, source_.statistics(column));
    if (statistics.has_no_values) return std::optional(Scalar::null_of(type));
    if (type.kind == Kind::string) return std::optional<Scalar>();  // writers shorten bounds
    const auto& value = is_minimum(function, type) ? statistics.minimum : statistics.maximum;
    return value ? std::optional(scalar_at(*value, 0)) : std::nullopt;
  }

  const Plan& plan_;
  const Step& step_;
  const TableSource& source_;
  const std::uint64_t rows_;
};

bool reduces_known_rows(const Plan& plan, StepId id) {
  return plan.step(id).kind == StepKind::reduce && known_row_count(plan, plan.step(id).inputs[0]);
}

}  // namespace

std::optional<std::uint32_t> source_column(const Plan& plan, StepId id, std::uint32_t column) {
  for (; !plan.step(id).source; id = plan.step(id).inputs[0]) {
    const Step& step = plan.step(id);
    if (step.kind == StepKind::map) {
      const Node& node = step.graph->at(step.projections[column].root);
      if (node.op != Op::column) return std::nullopt;
      column = node.payload;
    } else if (step.kind == StepKind::join) {
      if (column >= step.left_columns) return std::nullopt;
    } else if (step.kind != StepKind::filter) {
      return std::nullopt;
    }
  }
  return column;
}

const TableSource& source_of(const Plan& plan, StepId id) {
  while (!plan.step(id).source) id = plan.step(id).inputs[0];
  return *plan.step(id).source;
}

Result<std::optional<Table>> source_answer(const Plan& plan, StepId id) {
  if (!reduces_known_rows(plan, id)) return std::optional<Table>();
  const Step& step = plan.step(id);
  PENSTOCK_ASSIGN(const std::vector<Scalar> values, Answer(plan, step).values());
  if (values.empty()) return std::optional<Table>();
  Table row;
  row.row_count = 1;
  for (std::size_t i = 0; i < values.size(); i++) {
    row.names.push_back(step.schema[i].name);
    row.columns.push_back(column_of(step.schema[i].type, std::span(&values[i], 1)));
  }
  return std::optional(std::move(row));
}

std::string answered_from(const Plan& plan, StepId id) {
  const Step& step = plan.step(id);
  const bool counts = std::ranges::any_of(
      step.aggregates, [&](const AggregateCall& call) { return counts_nulls(step, call); });
  return std::string("the footer") + (counts ? " and the definition levels" : "") + " of " +
         source_of(plan, id).describe();
}

std::vector<std::uint32_t> columns_asked(const Plan& plan, StepId id) {
  std::vector<std::uint32_t> columns;
  if (!reduces_known_rows(plan, id)) return columns;
  const Step& step = plan.step(id);
  for (const AggregateCall& call : step.aggregates) {
    if (!takes_argument(call.function)) continue;
    const Node& argument = step.graph->at(call.argument);
    if (argument.op != Op::column) continue;
    if (const auto column = source_column(plan, step.inputs[0], argument.payload))
      columns.push_back(*column);
  }
  return columns;
}

}  // namespace penstock::plan
