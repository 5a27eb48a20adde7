#include "table/join/join_kernels.hpp"

namespace penstock::plan {

std::shared_ptr<RowKernels> begin_join_kernels(std::shared_ptr<Device> device) {
  return std::make_shared<RowKernels>(std::move(device),
                                      table_kernels({"join_table", "join_pairs", "join_buckets"}));
}

}  // namespace penstock::plan
