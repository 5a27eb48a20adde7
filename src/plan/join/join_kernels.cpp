#include "plan/join/join_kernels.hpp"

namespace penstock::plan {

std::shared_ptr<JoinKernels> JoinKernels::begin(std::shared_ptr<Device> device) {
  return std::shared_ptr<JoinKernels>(new JoinKernels(std::move(device)));
}

std::vector<Argument> arguments_of(std::initializer_list<const Buffer*> buffers) {
  std::vector<Argument> arguments;
  for (const Buffer* buffer : buffers) arguments.push_back(Argument::of(*buffer));
  return arguments;
}

}  // namespace penstock::plan
