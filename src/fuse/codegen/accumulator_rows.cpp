// The table of accumulators.
#include "fuse/codegen/limb_statements.hpp"
#include "fuse/codegen/register_statements.hpp"
#include "fuse/kernels/merge_operations.h"
#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

constexpr Type bigint{Kind::int64}, hugeint{Kind::int128}, real{Kind::float64};

}  // namespace

// A row per kind, in the order of AccumulatorKind.
constexpr AccumulatorRow accumulator_rows[] = {
    {.kind = AccumulatorKind::count,
     .text = "count",
     .value = bigint,
     .limbs = 1,
     .merging = Merging::adds_exactly,
     .merge_operation = MERGE_SUM_I64,
     .in_registers = count_in_registers,
     .in_limbs = count_in_limbs},
    {.kind = AccumulatorKind::sum_i64,
     .text = "sum (i64)",
     .value = bigint,
     .limbs = 2,
     .merging = Merging::adds_exactly,
     .merge_operation = MERGE_SUM_I64,
     .in_registers = sum_in_registers,
     .in_limbs = sum_in_limbs},
    {.kind = AccumulatorKind::sum_i128,
     .text = "sum (two words, the lower first)",
     .value = hugeint,
     .words = 2,
     .limbs = 3,
     .merging = Merging::adds_exactly,
     .merge_operation = MERGE_SUM_I128,
     .in_registers = wide_sum_in_registers,
     .in_limbs = wide_sum_in_limbs},
    {.kind = AccumulatorKind::sum_f64,
     .text = "sum (bits of an f64)",
     .value = real,
     .limbs = 5,
     .merging = Merging::adds_rounded,
     .merge = merge_rounded,
     .merge_operation = MERGE_SUM_F64,
     .in_registers = sum_in_registers,
     .in_limbs = rounded_sum_in_limbs},
    {.kind = AccumulatorKind::minimum,
     .text = "minimum",
     .limbs = 1,
     .merging = Merging::keeps_least,
     .merge = keep_least,
     .merge_operation = MERGE_MINIMUM_I64,
     .in_registers = extreme_in_registers,
     .in_limbs = extreme_in_limbs},
    {.kind = AccumulatorKind::maximum,
     .text = "maximum",
     .limbs = 1,
     .merging = Merging::keeps_greatest,
     .merge = keep_greatest,
     .merge_operation = MERGE_MINIMUM_I64 + MERGE_IS_MAXIMUM,
     .in_registers = extreme_in_registers,
     .in_limbs = extreme_in_limbs},
    {.kind = AccumulatorKind::custom,
     .text = "value of a user-defined reduction",
     .merging = Merging::combines,
     .merge = combine,
     .in_registers = custom_in_registers},
};
static_assert(
    [] {
      for (std::size_t i = 0; i < std::size(accumulator_rows); i++)
        if (accumulator_rows[i].kind != static_cast<AccumulatorKind>(i)) return false;
      return true;
    }(),
    "a row per kind, in the order of AccumulatorKind");

}  // namespace penstock::plan
