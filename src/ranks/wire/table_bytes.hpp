// Tables as bytes. Unlike Arrow's files they hold every HUGEINT.
#pragma once
#include "ranks/wire/wire.hpp"

namespace penstock::ranks {

Status put_table(WireWriter& to, const Table& table);
Result<Table> get_table(WireReader& from);

}  // namespace penstock::ranks
