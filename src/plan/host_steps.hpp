// Steps that finish a small result on the host: what stands after an aggregate, a sort or a limit.
#pragma once
#include "penstock/plan.hpp"

namespace penstock::plan {

// A filter or map step over a materialised table, by the interpreter. A fault is an error, as on a device.
Result<Table> apply_on_host(const Step& step, const Table& input);
Table sort_rows(const Table& table, const std::vector<SortKey>& keys);
Table limit_rows(const Table& table, std::uint64_t count, std::uint64_t offset);

}  // namespace penstock::plan
