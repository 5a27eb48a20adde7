// Steps that run on the host: what stands after an aggregate, a sort or a limit, and what computes with 128-bit numbers.
#pragma once
#include "penstock/plan.hpp"

namespace penstock::plan {

// A filter, map, reduce or group-by over its materialised input, by the interpreter. A fault is an error, as on a device.
Result<Table> apply_on_host(const Plan& plan, StepId id, const Table& input);
Result<Table> aggregate_on_host(const Plan& plan, StepId id, const Table& input);
Table limit_rows(const Table& table, std::uint64_t count, std::uint64_t offset);

}  // namespace penstock::plan
