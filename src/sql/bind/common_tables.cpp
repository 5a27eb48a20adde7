// Binds the names that WITH defines.
#include "base/ascii.hpp"
#include "sql/bind/scope.hpp"

namespace penstock::sql {

// Names that no FROM has are left out: DuckDB does not bind them either.
CommonTables bind_common_tables(BindContext& context, const Select& select,
                                const Surroundings& around) {
  CommonTables tables{around.tables, {}};
  for (const CommonTable& table : select.with) {
    const std::string name = lower(table.name);
    if (!context.tables_named.contains(name)) continue;
    const Result<RelationId> rows = bind_select(context, *table.select, {&tables, around.names});
    context.problems.pass(rows.status());
    tables.by_name[name] = {rows.ok() ? std::optional(*rows) : std::nullopt, table.columns};
  }
  return tables;
}

}  // namespace penstock::sql
