#include "plan/variants.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "device/architecture.hpp"
#include "expr/emit.hpp"
#include "plan/accumulators.hpp"
#include "plan/dense_ranges.hpp"
#include "plan/partitions.hpp"

namespace penstock::plan {
namespace {

// On a CPU one work item is a group: it walks a tile of rows as a plain loop, and each core gets a few tiles in turn.
Policy cpu_policy(const Traits& traits, const TileProgram&) {
  Policy policy;
  policy.group_size = 1;
  policy.vectors = 1;
  policy.tile_rows = 4096;     // a few columns of a tile stay in L1 and L2
  policy.groups = traits.compute_units * 8;
  return policy;
}

// Loads in flight: about 64 bytes of columns a work item hide the latency of memory without spilling.
std::uint32_t vectors_for(std::uint64_t bytes) { return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(16 / bytes, 1, 4)); }

// The largest size a device takes, up to `wanted`: a power of two, because groups merge their items by halves.
std::uint32_t group_size(const Traits& traits, std::uint32_t wanted) { return std::bit_floor(std::min(wanted, traits.max_group_size)); }

Policy gpu_policy(const Traits& traits, const TileProgram& program) {
  Policy policy;
  policy.group_size = group_size(traits, 512);
  policy.vectors = vectors_for(input_bytes_per_row(program));
  policy.tile_rows = policy.group_size * policy.vectors * 4;
  policy.groups = traits.compute_units * 4;
  return policy;
}

Policy one_tile_a_group(const Traits& traits, const TileProgram& program) {
  Policy policy = gpu_policy(traits, program);
  policy.groups = 0;
  return policy;
}

// Every item has a table of its own for every slot, so fewer items and rows in flight.
Policy group_policy(const Traits& traits, const TileProgram& program) {
  if (traits.is_cpu) {
    Policy policy = cpu_policy(traits, program);
    policy.groups = traits.compute_units * 2;
    policy.slots = 1024;
    return policy;
  }
  Policy policy = gpu_policy(traits, program);
  policy.group_size = group_size(traits, 128);
  policy.tile_rows = policy.group_size * 32;
  policy.groups = traits.compute_units * 4;
  policy.slots = 32;
  return policy;
}

// One pass over memory evaluates rows that do not exist in the last tile, and drops them: the user's functions are not for these.
bool evaluates_any_row(const TileProgram& program) { return program.graph->customs.empty(); }

// A table in local memory, and as many copies of its sums as keep items that meet the same key apart, within 32 KiB.
constexpr std::uint32_t local_group_items = 256;
std::uint64_t local_group_bytes(const TileProgram& program, const Policy& policy) {
  return std::uint64_t{policy.slots} * (program.key_words() * 8 + std::uint64_t{limb_count(program, false)} * policy.copies * 4) +
         std::uint64_t{policy.slots} * (policy.slots <= 512 ? 32 : 8) + policy.copies * 4 + 64;
}
Policy local_group_policy(const Traits& traits, const TileProgram& program, std::uint32_t slots) {
  Policy policy;
  policy.group_size = group_size(traits, local_group_items);
  policy.vectors = std::min(2u, vectors_for(input_bytes_per_row(program)));
  policy.tile_rows = policy.group_size * policy.vectors * 4;
  policy.slots = slots;
  const std::uint64_t copies = (32 << 10) / (std::uint64_t{slots} * limb_count(program, false) * 4);
  policy.copies = std::bit_floor(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(copies, 1, 32)));
  while (policy.copies > 1 && local_group_bytes(program, policy) > traits.local_bytes) policy.copies /= 2;
  const std::uint64_t fitting = traits.local_bytes / local_group_bytes(program, policy);
  policy.groups_per_unit = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fitting, 1, 4));
  policy.groups = traits.compute_units * policy.groups_per_unit;
  return policy;
}
Policy first_local_group_policy(const Traits& traits, const TileProgram& program) { return local_group_policy(traits, program, 64); }
constexpr std::uint32_t most_local_key_words = 8;      // keys of all rows in flight are compared from registers
bool can_group_locally(const Traits& traits, const TileProgram& program) {
  return !traits.is_cpu && has_limbs(program) && evaluates_any_row(program) && program.key_words() <= most_local_key_words &&
         local_group_bytes(program, first_local_group_policy(traits, program)) <= traits.local_bytes;
}

// A table of slots that keys are reckoned to, as large as local memory, where another one's latency is hidden by items of the same group:
// its size costs nothing but the copies that few keys have. Programs of many columns or accumulators get registers instead of items, and
// read row by row: their columns are enough loads in flight, and a text without copies of its rows compiles in half the time.
// 1280 bytes: what CUDA keeps of each group's local memory, a KiB, and the words that pad copies.
std::uint32_t dense_slots(const Traits& traits, std::uint32_t groups_per_unit, std::uint32_t words) {
  constexpr std::uint64_t most_bytes = 227 << 10;
  return static_cast<std::uint32_t>((std::min(traits.local_bytes, most_bytes) / groups_per_unit - 1280) / 4 / words);
}
Policy dense_group_policy(const Traits& traits, const TileProgram& program) {
  Policy policy;
  const bool is_wide = input_bytes_per_row(program) > 16 || program.accumulators.size() > 3;
  policy.group_size = group_size(traits, traits.target == Target::cuda && !is_wide ? 1024 : 512);
  policy.vectors = is_wide ? 0 : 1;
  policy.tile_rows = policy.group_size * std::max(1u, policy.vectors) * 4;
  policy.slots = dense_slots(traits, 1, limb_count(program, true));
  policy.groups = traits.compute_units * (traits.target == Target::cuda ? 1 : 4);
  return policy;
}
Policy dense_global_policy(const Traits& traits, const TileProgram& program) {
  Policy policy = dense_group_policy(traits, program);
  policy.in_global = true;
  policy.group_size = group_size(traits, 512);
  policy.tile_rows = policy.group_size * std::max(1u, policy.vectors) * 4;
  policy.groups_per_unit = 2;      // what latency of global memory takes
  policy.slots = dense_slots(traits, traits.target == Target::cuda ? policy.groups_per_unit : 1, limb_count(program, true) + 1);
  policy.groups = traits.compute_units * 4;
  return policy;
}
constexpr std::uint32_t least_dense_slots = 64;
bool can_group_densely(const Traits& traits, const TileProgram& program) {
  return can_group_locally(traits, program) && can_have_ranges(program) &&
         traits.local_bytes >= least_dense_slots * 4 * (limb_count(program, true) + 1) + 1280;
}

// One table in global memory: as many slots as half its places.
std::uint64_t global_group_bytes(const TileProgram& program, const Policy& policy) {
  const std::uint64_t entry = program.key_words() + std::max(1u, program.accumulator_words());
  return policy.slots * (2 * global_place_words(program) * 4 + entry * 8);
}
Policy global_group_policy(const Traits& traits, const TileProgram&) {
  Policy policy;
  policy.group_size = group_size(traits, local_group_items);
  policy.tile_rows = policy.group_size * 8;
  policy.slots = 1 << 17;
  policy.groups = traits.compute_units * 8;
  policy.groups_per_unit = 4;
  return policy;
}
bool can_group_globally(const Traits& traits, const TileProgram& program) {
  return can_group_locally(traits, program) && global_group_bytes(program, global_group_policy(traits, program)) <= traits.global_bytes / 8;
}

// Look-back: two groups a multiprocessor, so that one computes while the other waits at its barrier, each of 384 threads that compute and
// a warp that places; three tiles of kept rows wait in local memory for their place, with four rows of 4 bytes by four a thread. 480
// threads with two tiles waiting are level (1 % better where few rows pass, 1 % worse at half); 416 lose 10 %, 512 spill once rows
// are wider.
constexpr std::uint32_t look_back_threads = 384;

std::uint64_t staged_bytes(const TileProgram& program) {
  std::uint64_t bytes = 0;
  for (const ColumnBuffer& buffer : output_buffers(program)) bytes += buffer.element_bytes();
  return bytes;
}

Policy look_back_policy(const Traits& traits, const TileProgram& program) {
  Policy policy;
  policy.group_size = look_back_threads + 32;
  policy.vectors = vectors_for(std::max(input_bytes_per_row(program), staged_bytes(program)));
  policy.tile_rows = look_back_threads * 4 * policy.vectors;
  const std::uint64_t tile_bytes = (policy.depth + 1) * policy.tile_rows * staged_bytes(program) + 1024;
  policy.groups_per_unit = 2 * tile_bytes <= traits.local_bytes ? 2 : 1;
  policy.groups = traits.compute_units * policy.groups_per_unit;
  policy.window = (policy.groups + 30) / 32;
  return policy;
}

bool can_look_back(const Traits& traits, const TileProgram& program) {
  if (!evaluates_any_row(program)) return false;
  if (traits.target != Target::cuda || !traits.forward_progress || device::architecture_number(traits) < 90) return false;
  if (traits.max_group_size < look_back_threads + 32 || input_bytes_per_row(program) > 48) return false;
  const Policy policy = look_back_policy(traits, program);
  return (policy.depth + 1) * policy.tile_rows * staged_bytes(program) + 1024 <= traits.local_bytes;
}

// One pass: 16 rows of 4 bytes an item, three tiles that wait for their place: with two a third slower, with 8 rows an item half as
// fast (measured on an H200 through OpenCL). 128 items, as 256 would need 48 KiB of local memory for two waiting tiles. Six groups a
// compute unit hide one another's barriers; where fewer fit, the rest find no ticket left when their turn comes.
std::uint32_t one_pass_items(const Traits& traits) { return std::min(128u, traits.max_group_size / 16 * 16); }

std::uint64_t one_pass_local_bytes(const Policy& policy, const TileProgram& program) {
  return (policy.depth + 1) * policy.tile_rows * staged_bytes(program) + policy.group_size * 12 + 1024;
}

Policy one_pass_policy(const Traits& traits, const TileProgram& program) {
  Policy policy;
  policy.group_size = one_pass_items(traits);
  policy.depth = 3;
  policy.vectors = vectors_for(std::max(input_bytes_per_row(program), staged_bytes(program))) + 1;
  do {
    policy.vectors--;
    policy.tile_rows = policy.group_size * 4 * policy.vectors;
  } while (policy.vectors > 1 && one_pass_local_bytes(policy, program) > traits.local_bytes);
  policy.groups = traits.compute_units * 6;
  policy.groups_per_unit = 6;
  policy.window = (policy.groups + policy.group_size - 1) / policy.group_size;
  return policy;
}

bool can_pass_once(const Traits& traits, const TileProgram& program) {
  if (!evaluates_any_row(program)) return false;
  if (traits.is_cpu || traits.max_group_size < 32 || input_bytes_per_row(program) > 48) return false;
  return one_pass_local_bytes(one_pass_policy(traits, program), program) <= traits.local_bytes;
}

// Metal has no float64, nor have many small OpenCL devices: refused by name, before a compiler would.
Status check_float64(const Traits& traits, const TileProgram& program) {
  if (traits.has_f64) return {};
  if (needs_f64(*program.graph, program.roots()))
    return Status(Code::unsupported, "DOUBLE, and casts between DECIMAL and FLOAT, need float64, which " + traits.id + " lacks");
  for (const Accumulator& a : program.accumulators)
    if (a.kind == AccumulatorKind::sum_f64)
      return Status(Code::unsupported, "a sum or average of FLOAT is added up in float64, which " + traits.id + " lacks");
  return {};
}

bool on_cpu(const Traits& traits, const TileProgram&) { return traits.is_cpu; }
bool on_gpu(const Traits& traits, const TileProgram&) { return !traits.is_cpu; }
bool without_filter(const Traits&, const TileProgram& program) { return program.keeps_all_rows() && !program.bound; }

constexpr std::array<Variant, 14> table = {{
    {"store", Epilogue::compact, Algorithm::store, "store", without_filter,
     [](const Traits& t, const TileProgram& p) { return t.is_cpu ? cpu_policy(t, p) : gpu_policy(t, p); }},
    {"compact_tile_private", Epilogue::compact, Algorithm::tile_private, "scan compact_tile_private", on_cpu, cpu_policy},
    {"compact_look_back", Epilogue::compact, Algorithm::look_back, "compact_look_back", can_look_back, look_back_policy},
    {"compact_one_pass", Epilogue::compact, Algorithm::one_pass, "compact_one_pass", can_pass_once, one_pass_policy},
    {"compact_count_scan_write", Epilogue::compact, Algorithm::count_scan_write, "scan compact_count_scan_write", on_gpu, one_tile_a_group},
    {"reduce_cpu", Epilogue::reduce, Algorithm::reduce, "reduce", on_cpu, cpu_policy},
    {"reduce", Epilogue::reduce, Algorithm::reduce, "reduce", on_gpu, gpu_policy},
    {"group_cpu", Epilogue::group, Algorithm::group, "group_by", on_cpu, group_policy},
    {"group_dense", Epilogue::group, Algorithm::group_dense, "group_ranges group_dense", can_group_densely, dense_group_policy},
    {"group_dense_partitioned", Epilogue::group, Algorithm::group_partitioned,
     "group_ranges group_partitions group_partition_tables", can_group_by_partitions, partition_policy},
    {"group_dense_global", Epilogue::group, Algorithm::group_dense, "group_ranges group_dense", can_group_densely, dense_global_policy},
    {"group_local", Epilogue::group, Algorithm::group_local, "group_local", can_group_locally, first_local_group_policy},
    {"group_global", Epilogue::group, Algorithm::group_global, "group_global", can_group_globally, global_group_policy},
    {"group", Epilogue::group, Algorithm::group, "group_by", on_gpu, group_policy},
}};

}  // namespace

std::span<const Variant> variants() { return table; }

std::uint64_t global_place_words(const TileProgram& program) { return 3 * compared_key_words(program) + limb_count(program, false); }

Result<const Variant*> choose_variant(const Traits& traits, const TileProgram& program, std::string_view forced) {
  PENSTOCK_TRY(check_float64(traits, program));
  std::string fitting;
  for (const Variant& variant : table) {
    if (variant.epilogue != program.epilogue || !variant.fits(traits, program)) continue;
    if (forced.empty() || forced == variant.name) return &variant;
    fitting += (fitting.empty() ? "" : ", ") + std::string(variant.name);
  }
  return Status(Code::invalid, "no variant '" + std::string(forced) + "' fits " + traits.id + " here; those that do: " + fitting);
}

DenseShape dense_shape(const TileProgram& program, const Policy& policy, std::uint64_t slots) {
  DenseShape shape;
  shape.groups = policy.groups;
  if (policy.in_global) return shape;
  shape.parts = static_cast<std::uint32_t>((slots + policy.slots - 1) / policy.slots);
  shape.groups = std::max(1u, policy.groups / shape.parts) * shape.parts;
  // Items of a sub-group that meet the same key wait for one another, which is seldom with twice as many places as items.
  const std::uint64_t copies = 64 / std::max<std::uint64_t>(slots, 1);
  const std::uint64_t padded = slots * limb_count(program, true) | 1u, room = policy.slots * std::uint64_t{limb_count(program, true)} + 32;
  shape.copies = std::bit_floor(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(copies, room / padded), 1, 32)));
  return shape;
}

const Variant* dense_variant(const Traits& traits, const TileProgram& program, const Policy& now, std::uint64_t slots,
                             std::uint64_t row_count) {
  // More slots than that are cleared and collected for longer than rows are read.
  const std::uint64_t entry = program.key_words() + std::max(1u, program.accumulator_words());
  const std::uint64_t table_bytes = slots * limb_count(program, true) * 8, result_bytes = std::min(slots, row_count) * entry * 8;
  const bool fits = table_bytes + result_bytes <= std::min(traits.global_bytes / 8, traits.max_allocation_bytes);
  for (const Variant& variant : table) {
    if (!has_dense_slots(variant.algorithm) || !variant.fits(traits, program)) continue;
    const Policy policy = variant.policy(traits, program);
    if (policy.in_global) return fits && slots <= std::max<std::uint64_t>(1 << 20, 8 * row_count) ? &variant : nullptr;
    // Partitions evaluate a row twice, which is two lookups in each joined table.
    if (now.in_global || (policy.partitions > now.partitions && !program.lookups.empty())) continue;
    const bool takes = policy.partitions > 0 ? partitions_fit(traits, program, slots, row_count)
                                             : fits && now.partitions == 0 && slots <= std::uint64_t{policy.slots} * most_dense_parts;
    if (takes) return &variant;
  }
  return nullptr;
}

namespace {

// The largest table a work group may have before another algorithm would be right; a CPU's tables live in ordinary memory.
constexpr std::uint32_t gpu_slot_limit = 4096, cpu_slot_limit = 1u << 22;

Result<Attempt> with_more_slots(const Traits& traits, const TileProgram& program, Attempt attempt, std::uint64_t group_rows) {
  Policy& policy = attempt.policy;
  const std::uint32_t limit = traits.is_cpu ? cpu_slot_limit : gpu_slot_limit;
  if (policy.slots >= limit)
    return Status(Code::capacity, "group by: more than " + std::to_string(policy.slots) + " groups in one chunk on " + traits.id);
  // A group meets no more keys than it has rows.
  const std::uint64_t wanted = std::max<std::uint64_t>(std::bit_ceil(group_rows), policy.slots * 2);
  policy.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>({policy.slots * 4, wanted, limit}));
  // The tables of all groups together stay within a gigabyte.
  const std::uint64_t bytes = std::uint64_t{8} * policy.slots * policy.group_size * std::max(1u, program.accumulator_words());
  while (policy.groups > 1 && bytes * policy.groups > (std::uint64_t{1} << 30)) policy.groups = (policy.groups + 1) / 2;
  return attempt;
}

Result<Attempt> of_variant(const Traits& traits, const TileProgram& program, Algorithm algorithm) {
  for (const Variant& variant : table)
    if (variant.epilogue == Epilogue::group && variant.algorithm == algorithm && variant.fits(traits, program))
      return Attempt{&variant, variant.policy(traits, program)};
  return Status(Code::capacity, "group by: too many groups for the memory of " + traits.id);
}

Result<Attempt> with_larger_table(const Traits& traits, const TileProgram& program, Attempt attempt) {
  const std::uint32_t before = attempt.policy.slots;
  attempt.policy.slots = std::min(before, 1u << 28) * 8;      // the places are twice as many, numbered with 32 bits
  const std::uint64_t room = std::min(traits.global_bytes / 4, traits.max_allocation_bytes);
  if (attempt.policy.slots > 1u << 29 || global_group_bytes(program, attempt.policy) > room)
    return Status(Code::capacity, "group by: more than " + std::to_string(before) + " groups in one chunk on " + traits.id);
  return attempt;
}

}  // namespace

Result<Attempt> next_attempt(const Traits& traits, const TileProgram& program, const Attempt& failed, std::uint64_t group_rows,
                             bool is_outside) {
  const Algorithm algorithm = failed.variant->algorithm;
  // Limbs of a fixed place may hold floats that a dense table's do not, and the keys are not limited as those of `group` are.
  if (has_dense_slots(algorithm))
    return of_variant(traits, program, can_group_locally(traits, program) ? Algorithm::group_local : Algorithm::group);
  if (algorithm == Algorithm::group) return with_more_slots(traits, program, failed, group_rows);
  if (is_outside) return of_variant(traits, program, Algorithm::group);
  if (algorithm == Algorithm::group_global) return with_larger_table(traits, program, failed);
  const Policy larger = local_group_policy(traits, program, failed.policy.slots * 4);
  if (local_group_bytes(program, larger) <= traits.local_bytes) return Attempt{failed.variant, larger};
  return of_variant(traits, program, Algorithm::group_global);
}

Traits typical_traits(Target target) {
  Traits traits;
  traits.target = target;
  traits.id = std::string(name_of(target));
  traits.compute_units = 32;
  traits.max_group_size = 256;
  traits.local_bytes = 32 << 10;
  traits.has_f64 = target != Target::metal;
  traits.is_cpu = target == Target::host;
  if (traits.is_cpu) traits.max_group_size = 1;
  traits.forward_progress = target == Target::cuda;
  if (target == Target::cuda) {
    traits.architecture = "sm_90";
    traits.max_group_size = 1024;
    traits.local_bytes = 227 << 10;
  }
  return traits;
}

}  // namespace penstock::plan
