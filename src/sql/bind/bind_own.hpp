// Binds statements by Penstock's own binder.
#pragma once
#include <string_view>

#include "penstock/sql.hpp"

namespace penstock::sql {

struct OwnSql {
  BoundSql bound;
  bool prefers_duckdb = false;  // see BindContext
};
// `users` may be null.
Result<OwnSql> bind_own(std::string_view statement, Plan& plan, const TableOpener& open,
                        const UserFunctions* users = nullptr);

}  // namespace penstock::sql
