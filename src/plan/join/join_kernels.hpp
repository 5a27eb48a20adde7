// The kernels of kernels/join_table.kc, join_pairs.kc and join_buckets.kc, which keep rows in
// device memory, build joins' tables of them, make pairs, and deal rows out to buckets.
#pragma once
#include <memory>
#include <vector>

#include "plan/rows/row_kernels.hpp"

namespace penstock::plan {

using BufferPointer = std::shared_ptr<Buffer>;

class JoinKernels : public RowKernels {
 public:
  static std::shared_ptr<JoinKernels> begin(std::shared_ptr<Device> device);  // to compile

 private:
  explicit JoinKernels(std::shared_ptr<Device> device)
      : RowKernels(std::move(device), {"join_table", "join_pairs", "join_buckets"}) {}
};

// Returns buffers as the arguments of a launch.
std::vector<Argument> arguments_of(std::initializer_list<const Buffer*> buffers);

}  // namespace penstock::plan
