// The kernels of kernels/join_table.kc, join_pairs.kc and join_buckets.kc, which keep rows in
// device memory, build joins' tables of them, make pairs, and deal rows out to buckets.
#pragma once
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

std::shared_ptr<RowKernels> begin_join_kernels(std::shared_ptr<Device> device);  // to compile

}  // namespace penstock::plan
