// Binds statements by Penstock's own binder.
#pragma once
#include <string_view>

#include "penstock/sql.hpp"

namespace penstock::sql {

Result<BoundSql> bind_own(std::string_view statement, Plan& plan, const TableOpener& open);

}  // namespace penstock::sql
