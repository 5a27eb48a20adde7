#include "exec/kernel/compaction.hpp"

#include <algorithm>

namespace penstock::plan {

Status Compaction::prepare_outputs(const TileContext& kernel, std::vector<BufferPointer>& buffers,
                                   std::uint64_t row_count) const {
  buffers.clear();  // back to the pool first: the larger buffers may need that memory
  for (const ColumnBuffer& buffer : output_buffers(kernel.program)) {
    PENSTOCK_ASSIGN(auto memory,
                    kernel.device.allocate(std::max<std::uint64_t>(buffer.bytes(row_count), 64)));
    buffers.push_back(std::move(memory));
  }
  return {};
}

Status Compaction::prepare(const TileContext& kernel, std::uint64_t row_count) {
  if (stays) return {};
  if (kept_count && row_count <= capacity_rows) return {};
  PENSTOCK_TRY(prepare_outputs(kernel, outputs, row_count));
  if (kernel.algorithm == Algorithm::tile_private)
    PENSTOCK_TRY(prepare_outputs(kernel, segments, row_count));
  const std::uint64_t tiles = kernel.tile_count(row_count) + std::uint64_t{8};
  PENSTOCK_TRY(kernel.reserve(tile_counts, tiles * 4));
  PENSTOCK_TRY(kernel.reserve(tile_starts, tiles * 8));
  PENSTOCK_TRY(kernel.reserve(kept_count, 64));
  capacity_rows = row_count;
  return {};
}

Status Compaction::enqueue(const TileContext& kernel, const TileLaunch& launch) const {
  switch (kernel.algorithm) {
    case Algorithm::store: return enqueue_store(kernel, launch);
    case Algorithm::look_back: return enqueue_look_back(kernel, launch);
    case Algorithm::one_pass: return enqueue_one_pass(kernel, launch);
    case Algorithm::tile_private: return enqueue_tile_private(kernel, launch);
    case Algorithm::count_scan_write: return enqueue_count_scan_write(kernel, launch);
    case Algorithm::reduce:
    case Algorithm::group:
    case Algorithm::group_kept:
    case Algorithm::group_dense:
    case Algorithm::group_partitioned:
    case Algorithm::group_local:
    case Algorithm::group_global: break;
  }
  return Status(Code::internal, "not an algorithm of compaction");
}

Status Compaction::enqueue_store(const TileContext& kernel, const TileLaunch& launch) const {
  std::vector<Argument> arguments = launch.source;
  add(arguments, stays ? stays->columns : outputs);
  add(arguments, {&launch.fault});
  const std::uint64_t first_row = stays ? stays->first_row : 0;
  arguments.push_back(Argument::value(launch.row_count | first_row << 32));
  return launch.run("pipeline_store_all", kernel.group_count(launch.row_count), arguments);
}

// Groups wait for one another, so all of them must be resident.
Status Compaction::enqueue_look_back(const TileContext& kernel, const TileLaunch& launch) const {
  const std::uint32_t tiles = kernel.tile_count(launch.row_count);
  PENSTOCK_ASSIGN(const std::uint32_t resident,
                  kernel.device.resident_groups(*launch.compiled, "pipeline_look_back"));
  if (resident == 0)
    return Status(Code::capacity, "no group of pipeline_look_back fits a multiprocessor of " +
                                      kernel.device.traits().id);
  PENSTOCK_TRY(launch.queue.fill(*tile_counts, 0, std::uint64_t{4} * tiles));
  // The group with the last tile writes the count; without tiles there is no such group.
  if (tiles == 0) PENSTOCK_TRY(launch.queue.fill(*kept_count, 0, 8));
  std::vector<Argument> arguments = launch.source;
  add(arguments, outputs);
  add(arguments, {&tile_counts, &kept_count, &launch.fault});
  arguments.push_back(Argument::value(launch.row_count));
  return launch.queue.launch_resident(*launch.compiled, "pipeline_look_back",
                                      std::min(kernel.group_count(launch.row_count), resident),
                                      arguments);
}

Status Compaction::enqueue_one_pass(const TileContext& kernel, const TileLaunch& launch) const {
  const std::uint32_t tiles = kernel.tile_count(launch.row_count);
  // The tiles' counts, and the ticket after them.
  PENSTOCK_TRY(launch.queue.fill(*tile_counts, 0, std::uint64_t{4} * (tiles + std::uint64_t{1})));
  if (tiles == 0) PENSTOCK_TRY(launch.queue.fill(*kept_count, 0, 8));
  std::vector<Argument> arguments = launch.source;
  add(arguments, outputs);
  add(arguments, {&tile_counts, &kept_count, &launch.fault});
  arguments.push_back(Argument::value(launch.row_count));
  return launch.run("pipeline_one_pass", kernel.group_count(launch.row_count), arguments);
}

Status Compaction::enqueue_tile_private(const TileContext& kernel, const TileLaunch& launch) const {
  const std::uint32_t tiles = kernel.tile_count(launch.row_count),
                      groups = kernel.group_count(launch.row_count);
  std::vector<Argument> arguments = launch.source;
  add(arguments, segments);
  add(arguments, {&tile_counts, &launch.fault});
  arguments.push_back(Argument::value(launch.row_count));
  PENSTOCK_TRY(launch.run("pipeline_compact", groups, arguments));
  PENSTOCK_TRY(enqueue_scan(launch, tiles));
  std::vector<Argument> close;
  add(close, segments);
  add(close, outputs);
  add(close, {&tile_counts, &tile_starts});
  close.push_back(Argument::value(tiles));
  return launch.run("pipeline_close", groups, close);
}

Status Compaction::enqueue_count_scan_write(const TileContext& kernel,
                                            const TileLaunch& launch) const {
  const std::uint32_t groups = kernel.group_count(launch.row_count);
  std::vector<Argument> count = launch.source;
  add(count, {&tile_counts});
  count.push_back(Argument::value(launch.row_count));
  PENSTOCK_TRY(launch.run("pipeline_count", groups, count));
  PENSTOCK_TRY(enqueue_scan(launch, kernel.tile_count(launch.row_count)));
  std::vector<Argument> write = launch.source;
  add(write, outputs);
  add(write, {&tile_starts, &launch.fault});
  write.push_back(Argument::value(launch.row_count));
  return launch.run("pipeline_write", groups, write);
}

Status Compaction::enqueue_scan(const TileLaunch& launch, std::uint32_t tiles) const {
  std::vector<Argument> arguments;
  add(arguments, {&tile_counts, &tile_starts, &kept_count});
  arguments.push_back(Argument::value(tiles));
  return launch.run("pipeline_scan", 1, arguments);
}

}  // namespace penstock::plan
