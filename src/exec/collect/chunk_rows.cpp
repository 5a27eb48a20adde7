#include "exec/collect/chunk_rows.hpp"

#include <algorithm>

#include "device/memory_budget.hpp"
#include "fuse/codegen/code_functions.hpp"
#include "fuse/program/light_loads.hpp"
#include "penstock/session_device.hpp"

namespace penstock::plan {

bool yields_every_row(const TileProgram& program) {
  return program.epilogue == Epilogue::compact && program.keeps_all_rows() && !program.top_k;
}

DeviceCache* cache_of(const RunOptions& options) {
  return options.session ? &options.session->cache() : nullptr;
}

namespace {

// Returns how many rows of so many bytes make a good chunk. A CPU's chunk stays in the caches
// between decoding and kernel, and few enough are in flight that fresh pages cost little; smaller
// ones cost launches and merges of groups (docs/lab/cpu-queries.md). A GPU's chunk is large enough
// for its launches and for the bus. It is no larger, so that the first upload begins sooner and
// less memory is pinned. A session cuts what it keeps alike for every query. Light encodings take
// fewer bytes, and cost a copy if a chunk is not all of a batch that `penstock encode` wrote.
std::uint64_t wanted_chunk_rows(const RunOptions& options, const Traits& traits,
                                const TileProgram& program, std::uint64_t row_bytes) {
  const bool is_small = traits.wants_cache_sized_chunks();
  if (!is_small && !light_columns(program).empty()) return 1u << 20;
  if (options.session && options.session->cache().limit_bytes() > 0)
    return is_small ? 1u << 16 : 1u << 20;
  return is_small ? std::clamp<std::uint64_t>((16u << 20) / row_bytes, 1u << 16, 1u << 18)
                  : std::clamp<std::uint64_t>((16u << 20) / row_bytes, 1u << 18, 1u << 23);
}

}  // namespace

std::uint64_t chunk_rows(const RunOptions& options, const Traits& traits,
                         const TileProgram& program, std::uint64_t row_limit) {
  if (options.batch_rows > 0)
    return std::clamp<std::uint64_t>(options.batch_rows / 64 * 64, 64, max_launch_rows);
  const std::uint64_t per_row = input_bytes_per_row(program) + 2 * output_bytes_per_row(program);
  const std::uint64_t memory =
      device::MemoryBudget(traits, options.memory_limit_bytes).share_of(device::MemoryUse::chunks);
  const std::uint64_t fitting = std::max<std::uint64_t>(
      memory / chunks_in_flight / (per_row + code_bytes_per_row(program)), 1024);
  const std::uint64_t max_rows =
      std::min(fitting, wanted_chunk_rows(options, traits, program, per_row)) / 64 * 64;
  return yields_every_row(program)
             ? std::clamp<std::uint64_t>((std::min(row_limit, max_rows) + 63) / 64 * 64, 64,
                                         max_rows)
             : max_rows;
}

PagedScan::Limits paged_limits(const RunOptions& options, const TileProgram& program,
                               std::uint64_t row_limit, const RowSelection* selected) {
  return {options.batch_rows,
          options.memory_limit_bytes,
          yields_every_row(program) ? row_limit : ~std::uint64_t{0},
          cache_of(options),
          options.direct_reads,
          selected,
          options.reading_threads,
          true,
          options.kept_programs.get()};
}

}  // namespace penstock::plan
