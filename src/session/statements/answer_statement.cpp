#include "session/statements/answer_statement.hpp"

#include "plan/recursion.hpp"
#include "session/statements/copy_table.hpp"
#include "session/statements/summarize.hpp"

namespace penstock::session {
namespace {

using Texts = std::vector<std::optional<std::string>>;

// Returns DuckDB's table of names and types. Its columns about keys and defaults are for DuckDB's
// own tables; a file has none.
Table description_of(const Schema& schema) {
  Texts names, types;
  for (const Field& field : schema) {
    names.emplace_back(field.name);
    types.emplace_back(field.unsupported.empty() ? name_of(field.type) : field.unsupported);
  }
  const Column nothing = Column::from_strings(Texts(schema.size()));
  return Table::of({{"column_name", Column::from_strings(names)},
                    {"column_type", Column::from_strings(types)},
                    {"null", Column::from_strings(Texts(schema.size(), "YES"))},
                    {"key", nothing},
                    {"default", nothing},
                    {"extra", nothing}});
}

Result<QueryResult> copied(const Plan& plan, const BoundSql& statement, const RunStep& run) {
  PENSTOCK_ASSIGN(const CopyOptions options, copy_options_of(statement.target));
  PENSTOCK_TRY(check_partitions(plan.step(statement.rows).schema, options));
  PENSTOCK_ASSIGN(QueryResult result, run(plan, statement.rows));
  PENSTOCK_TRY(copy_table(result.table, statement.target.path, options));
  const auto count = static_cast<std::int64_t>(result.table.row_count);
  result.table = Table::of({{"Count", Column::from(std::vector<std::int64_t>{count})}});
  return result;
}

// Summarizes a file column by column, so that one column is in memory at a time.
Result<QueryResult> summarized(const Plan& plan, StepId rows, const RunStep& run) {
  const Step& step = plan.step(rows);
  if (step.kind == StepKind::source && plan::recursion_of(step) == nullptr) {
    PENSTOCK_ASSIGN(Table table, summarize(*step.source));
    return result_of(std::move(table));
  }
  PENSTOCK_ASSIGN(QueryResult result, run(plan, rows));
  PENSTOCK_ASSIGN(result.table, summarize(*table_source(result.table)));
  return result;
}

}  // namespace

QueryResult result_of(Table table) {
  QueryResult result;
  result.table = std::move(table);
  result.report.rows_out = result.table.row_count;
  return result;
}

Result<QueryResult> answer_statement(const Plan& plan, const BoundSql& statement,
                                     const RunStep& run) {
  switch (statement.kind) {
    case StatementKind::select: return run(plan, statement.rows);
    case StatementKind::describe:
      return result_of(description_of(plan.step(statement.rows).schema));
    case StatementKind::summarize: return summarized(plan, statement.rows, run);
    case StatementKind::copy: return copied(plan, statement, run);
  }
  return Status(Code::internal, "a statement of no known kind");
}

}  // namespace penstock::session
