#include "exec/kernel/reduction.hpp"

namespace penstock::plan {

Status Reduction::prepare(const TileContext& kernel, std::uint64_t row_count) {
  const std::uint64_t words = kernel.program.accumulator_words() + 1,
                      groups = kernel.group_count(row_count);
  PENSTOCK_TRY(kernel.reserve(scratch, groups * kernel.policy.group_size * words * 8));
  return kernel.reserve(partials, groups * words * 8);
}

Status Reduction::enqueue(const TileContext& kernel, const TileLaunch& launch) {
  group_count = kernel.group_count(launch.row_count);
  std::vector<Argument> arguments = launch.source;
  add(arguments, {&scratch, &partials, &launch.fault});
  arguments.push_back(Argument::value(launch.row_count));
  return launch.run("pipeline_reduce", group_count, arguments);
}

}  // namespace penstock::plan
