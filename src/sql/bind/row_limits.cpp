#include "sql/bind/row_limits.hpp"

#include <array>
#include <limits>

#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

// Returns a constant count of rows, 0 or more; nullopt for NULL and ALL, which set no limit.
Result<std::optional<std::uint64_t>> row_count(BindContext& context, const SyntaxPtr& syntax,
                                               const std::string& clause) {
  if (!syntax) return std::optional<std::uint64_t>();
  const Scope no_tables;
  const Select no_select;
  Names names(context.lexed, context.problems, no_select, no_tables);
  Builder builder{Schema()};
  PENSTOCK_ASSIGN(const NodeId node, ExpressionBinder(names, builder, clause).value(*syntax));
  const Evaluated result = evaluate(*builder.graph(), std::array{node}, {})[0];
  const auto wrong = [&](const std::string& message) {
    return names.error(syntax->offset, Code::invalid, clause + message);
  };
  if (result.fault != Code::ok) return wrong(" cannot be computed");
  if (result.value.is_null) return std::optional<std::uint64_t>();
  if (!is_integer(result.value.type))
    return wrong(" takes an integer, not " + name_of(result.value.type));
  if (result.value.integer < 0) return wrong(" must not be negative");
  return std::optional(static_cast<std::uint64_t>(result.value.integer));
}

}  // namespace

Result<RelationId> with_limit(BindContext& context, const Select& select, RelationId rows) {
  const Result<std::optional<std::uint64_t>> count = row_count(context, select.limit, "LIMIT"),
                                             skipped = row_count(context, select.offset, "OFFSET");
  Failures failures(context.problems);
  failures.pass(count.status());
  failures.pass(skipped.status());
  PENSTOCK_TRY(failures.status());
  if (!*count && skipped->value_or(0) == 0) return rows;
  return context.relations.limit(rows, count->value_or(std::numeric_limits<std::uint64_t>::max()),
                                 skipped->value_or(0));
}

Result<RelationId> distinct_in_order(RelationGraph& relations, RelationId rows) {
  Builder builder(relations.at(rows).schema);
  RelationAggregate distinct;
  distinct.graph = builder.graph();
  distinct.is_sorted = true;
  for (std::uint32_t i = 0; i < builder.schema().size(); i++)
    distinct.keys.push_back({builder.schema()[i].name, builder.column(i)});
  return relations.aggregate(rows, std::move(distinct));
}

Result<RelationId> first_of_each(RelationGraph& relations, RelationId rows,
                                 std::vector<std::uint32_t> columns, std::vector<SortKey> order) {
  const auto width = static_cast<std::uint32_t>(relations.at(rows).schema.size());
  Window window{std::move(columns), std::move(order), {}};
  window.calls.push_back({WindowFunction::row_number, 0, WindowFrame::rows, 1, "row_number"});
  PENSTOCK_ASSIGN(const RelationId counted, relations.window(rows, std::move(window)));
  Builder builder(relations.at(counted).schema);
  PENSTOCK_ASSIGN(const NodeId is_first,
                  builder.binary(Op::equal, builder.column(width),
                                 builder.literal(Scalar::of(std::int64_t{1}))));
  PENSTOCK_ASSIGN(const RelationId kept, relations.filter(counted, builder.graph(), is_first));
  std::vector<Projection> projections;
  for (std::uint32_t i = 0; i < width; i++)
    projections.push_back({builder.schema()[i].name, builder.column(i)});
  return relations.project(kept, builder.graph(), std::move(projections));
}

}  // namespace penstock::sql
