// Numbers that kernels which merge accumulators and the host share.
#pragma once

// The operation that merges an accumulator. A maximum is the minimum of its type and
// MERGE_IS_MAXIMUM.
#define MERGE_SUM_I64 0u
#define MERGE_SUM_I128 1u
#define MERGE_SUM_F64 2u
#define MERGE_MINIMUM_I64 4u
#define MERGE_MINIMUM_U64 5u
#define MERGE_MINIMUM_F32 6u
#define MERGE_MINIMUM_F64 7u
#define MERGE_MINIMUM_I128 8u
#define MERGE_IS_MAXIMUM 8u
