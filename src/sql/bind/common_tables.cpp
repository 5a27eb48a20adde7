// Binds the names that WITH defines.
#include "base/ascii.hpp"
#include "sql/bind/scope.hpp"

namespace penstock::sql {
namespace {

bool may_recur(const CommonTable& table) {
  const Select& select = *table.select;
  return table.is_recursive && !select.is_refused && select.set && select.with.empty() &&
         select.set->kind == SetKind::unite;
}

}  // namespace

// Names that no FROM has are left out: DuckDB does not bind them either.
CommonTables bind_common_tables(BindContext& context, const Select& select,
                                const Surroundings& around) {
  CommonTables tables{around.tables, {}};
  for (const CommonTable& table : select.with) {
    const std::string name = lower(table.name);
    if (!context.tables_named.contains(name)) continue;
    const Surroundings before{&tables, around.names};
    if (table.is_recursive) tables.by_name[name] = {std::nullopt, {}, true};
    const Result<RelationId> rows = may_recur(table) ? bind_recursion(context, table, before)
                                                     : bind_select(context, *table.select, before);
    context.problems.pass(rows.status());
    tables.by_name[name] = {rows.ok() ? std::optional(*rows) : std::nullopt, table.columns};
  }
  return tables;
}

}  // namespace penstock::sql
