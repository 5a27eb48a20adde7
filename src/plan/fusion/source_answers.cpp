#include "plan/fusion/source_answers.hpp"

namespace penstock::plan {
namespace {

class Answer {
 public:
  Answer(const Plan& plan, const Step& step)
      : plan_(plan),
        step_(step),
        source_(source_of(plan, step.inputs[0])),
        rows_(*source_.row_count()) {}

  Result<std::optional<Scalar>> of(const AggregateCall& call) const {
    const std::optional<Scalar> unknown;
    if (call.function == Aggregate::count_rows) return std::optional(count(rows_));
    const bool is_extreme =
        call.function == Aggregate::minimum || call.function == Aggregate::maximum;
    if (!is_extreme && (call.function != Aggregate::count || call.distinct)) return unknown;
    const Node& argument = step_.graph->at(call.argument);
    if (argument.op == Op::parameter && !argument.nullable && !is_extreme)
      return std::optional(count(rows_));
    if (argument.op != Op::column) return unknown;
    const auto column = source_column(plan_, step_.inputs[0], argument.payload);
    if (!column) return unknown;
    if (!argument.nullable && !is_extreme) return std::optional(count(rows_));
    PENSTOCK_ASSIGN(const ColumnStatistics statistics, source_.statistics(*column));
    if (is_extreme) return extreme(call.function, argument.type, statistics);
    return statistics.null_count ? std::optional(count(rows_ - *statistics.null_count)) : unknown;
  }

 private:
  static Scalar count(std::uint64_t rows) { return Scalar::of(static_cast<std::int64_t>(rows)); }

  std::optional<Scalar> extreme(Aggregate function, Type type,
                                const ColumnStatistics& statistics) const {
    if (statistics.null_count == rows_) return Scalar::null_of(type);
    if (type.kind == Kind::string) return std::nullopt;  // writers shorten bounds
    const auto& value = function == Aggregate::minimum ? statistics.minimum : statistics.maximum;
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
  const Answer answer(plan, step);
  Table row;
  row.row_count = 1;
  for (std::size_t i = 0; i < step.aggregates.size(); i++) {
    PENSTOCK_ASSIGN(const std::optional<Scalar> value, answer.of(step.aggregates[i]));
    if (!value) return std::optional<Table>();
    row.names.push_back(step.schema[i].name);
    row.columns.push_back(column_of(step.schema[i].type, std::span(&*value, 1)));
  }
  return std::optional(std::move(row));
}

std::vector<std::uint32_t> columns_asked(const Plan& plan, StepId id) {
  std::vector<std::uint32_t> columns;
  if (!reduces_known_rows(plan, id)) return columns;
  const Step& step = plan.step(id);
  for (const AggregateCall& call : step.aggregates) {
    if (call.function == Aggregate::count_rows) continue;
    const Node& argument = step.graph->at(call.argument);
    if (argument.op != Op::column) continue;
    if (const auto column = source_column(plan, step.inputs[0], argument.payload))
      columns.push_back(*column);
  }
  return columns;
}

}  // namespace penstock::plan
