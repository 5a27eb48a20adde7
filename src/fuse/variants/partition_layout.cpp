#include "fuse/variants/partition_layout.hpp"

#include <algorithm>
#include <bit>

#include "device/memory_budget.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/policies.hpp"
#include "fuse/variants/variants.hpp"

namespace penstock::plan {
namespace {

// The numbers to tune: with these an H200 groups 2^28 rows by 10^6 keys in 2.8 ms and by 10^7 in
// 4.1; no other numbers were tried. A partition's run in a tile should be long (rows per tile over
// partitions), and its counter should have enough copies for threads that meet there.
constexpr std::uint32_t max_partitions = 1024;
constexpr std::uint32_t max_counters = 4096;  // in local memory; a quarter of it if that is less
constexpr std::uint32_t max_counter_copies = 16;
// Vectors of four rows, which a thread holds from their counting on.
constexpr std::uint32_t max_vectors = 4, max_wide_vectors = 2;
constexpr std::uint32_t registers_besides = 32;  // of a thread, beside its rows
// Rows that a thread loads before it counts the first.
constexpr std::uint32_t counted_rows = 8, wide_counted_rows = 4;
constexpr std::uint32_t cpu_group_threads = 256;  // a CPU runs this only if it is asked for
constexpr std::uint32_t max_record_words = 16;
constexpr std::uint32_t min_table_slots = 64;

std::uint64_t partition_local_bytes(const Policy& policy, const TileProgram& program) {
  const std::uint64_t counters = policy.partition.counters + policy.partition.counters / 32 + 1;
  return 4 * (counters + policy.partition.max_count + policy.group_size +
              policy.tile_rows * (std::uint64_t{1} + record_words(program)) + 1);
}

// Returns whether a program has many columns: these need the registers, and a source of fewer rows
// compiles in half the time.
bool is_wide(const TileProgram& program) {
  return input_bytes_per_row(program) > 16 || program.accumulators.size() > 3;
}

// Returns the vectors of a thread, by the registers that its group leaves each thread for a row's
// columns, its record and its rank.
std::uint32_t vectors_of(const Policy& policy, const TileProgram& program) {
  const std::uint64_t registers = (64u << 10) / policy.group_size;
  const std::uint64_t free = registers - std::min<std::uint64_t>(registers, registers_besides);
  const std::uint64_t half_words = std::max<std::uint64_t>(2 * record_words(program) + 3,
                                                           (input_bytes_per_row(program) + 1) / 2);
  const std::uint64_t max = is_wide(program) ? max_wide_vectors : max_vectors;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(2 * free / half_words / 4, 1, max));
}

std::uint64_t table_words(const TileProgram& program) {
  return std::uint64_t{17} * (limb_count(program, true) | copy_gap(program)) + 128;
}

}  // namespace

std::vector<RecordField> record_fields(const TileProgram& program) {
  std::vector<RecordField> fields;
  for (std::uint32_t i = 0; i < program.outputs.size(); i++) {
    const Node& node = program.graph->at(program.outputs[i].root);
    RecordField field{i, node.type, false, node.nullable};
    bool is_argument = false;
    for (const Accumulator& a : program.accumulators) {
      if (a.argument != static_cast<int>(i)) continue;
      is_argument = true;
      field.has_value |= a.kind != AccumulatorKind::count;
    }
    if (is_argument && (field.has_value || field.is_nullable)) fields.push_back(field);
  }
  return fields;
}

std::uint32_t record_words(const TileProgram& program) {
  std::uint32_t words = 0, nullable = 0;
  for (const RecordField& field : record_fields(program)) {
    words += field.words();
    nullable += field.is_nullable;
  }
  return words + (nullable + 31) / 32;
}

// With launch bounds one group of 1024 threads on a multiprocessor, each with 64 registers;
// otherwise groups of 512 or fewer. A tile has as many rows as local memory stages. There are fewer
// threads if local memory does not fit four rows of each.
Policy partition_policy(const Traits& traits, const TileProgram& program) {
  Policy policy;
  const std::uint32_t wanted = traits.wants_single_thread_groups()             ? cpu_group_threads
                               : traits.has_launch_bounds && !is_wide(program) ? 1024
                                                                               : 512;
  const std::uint64_t local =
      traits.local_bytes - std::min<std::uint64_t>(traits.local_bytes, 1280);
  policy.group_size = std::bit_floor(std::max(1u, std::min(wanted, traits.max_group_size)));
  policy.partition.counters = std::bit_floor(
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(local / 16, 64, max_counters)));
  policy.partition.max_count = std::min(max_partitions, policy.partition.counters);
  policy.partition.counted_rows = traits.wants_single_thread_groups() ? 1
                                  : is_wide(program)                  ? wide_counted_rows
                                                                      : counted_rows;
  for (policy.vectors = traits.wants_single_thread_groups() ? 1 : vectors_of(policy, program);;
       policy.vectors--) {
    policy.tile_rows = policy.group_size * policy.vectors * 4;
    if (partition_local_bytes(policy, program) <= local ||
        (policy.vectors == 1 && policy.group_size <= 16))
      break;
    if (policy.vectors > 1) continue;
    policy.group_size /= 2;
    policy.vectors = 2;
  }
  const std::uint64_t words = local / 4 - std::min(local / 4, table_words(program));
  policy.group.slots = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(words / limb_count(program, true), max_partition_slots));
  policy.groups = traits.compute_units *
                  (traits.has_launch_bounds || traits.wants_single_thread_groups() ? 1 : 4);
  return policy;
}

kernel::Fit can_group_by_partitions(const Traits& traits, const TileProgram& program) {
  if (kernel::Fit sums = can_add_limbs(traits, program); !sums) return sums;
  if (!program.graph->custom_functions.empty())
    return {"an expression calls a function of the user"};
  if (!can_have_ranges(program)) return {"the keys have no ranges"};
  if (record_words(program) > max_record_words) return {"a row's record has too many words"};
  if (traits.max_group_size < 16) return kernel::fits_group_size(traits, 16);
  const Policy policy = partition_policy(traits, program);
  return both(
      kernel::fits_if(policy.group.slots >= min_table_slots, "local memory has too few slots"),
      kernel::fits_local_memory(traits, partition_local_bytes(policy, program) + 1280));
}

bool partitions_fit(const Traits& traits, const TileProgram& program, std::uint64_t slots,
                    std::uint64_t row_count) {
  const Policy policy = partition_policy(traits, program);
  if (slots > std::min(max_partitioned_slots, policy.partition.max_count * max_partition_slots))
    return false;
  const std::uint64_t entry = program.entry_words();
  const std::uint64_t table = slots * limb_count(program, true) * 8,
                      results = std::min(slots, row_count) * entry * 8;
  const std::uint64_t words = (row_count + 4) * 4 * record_words(program),
                      heads = (row_count + 4) * head_bytes;
  return std::max({table, results, words}) <= traits.max_allocation_bytes &&
         table + results + words + heads <=
             device::MemoryBudget(traits).share_of(device::MemoryUse::group_table);
}

std::vector<std::uint64_t> PartitionShape::words() const {
  constexpr std::uint64_t scale = std::uint64_t{1} << 42;  // group_partitions.kc: partition_of
  return {slots, partitions, partition_slots, copies, parts, shares, scale / partition_slots + 1};
}

PartitionShape partition_shape(const Policy& policy, std::uint64_t slots) {
  constexpr std::uint64_t min_partition_slots =
      64;  // so that a slot times 2^42 / partition_slots has 64 bits
  PartitionShape shape;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(
      (slots + policy.group.slots - 1) / policy.group.slots, 1, policy.partition.max_count);
  const std::uint64_t each = std::max((slots + wanted - 1) / wanted, min_partition_slots);
  shape.slots = static_cast<std::uint32_t>(slots);
  shape.partition_slots = static_cast<std::uint32_t>(each);
  shape.partitions =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (slots + each - 1) / each));
  shape.copies = std::bit_floor(
      std::clamp(policy.partition.counters / shape.partitions, 1u, max_counter_copies));
  shape.parts = (shape.partition_slots + policy.group.slots - 1) / policy.group.slots;
  shape.shares = std::max(1u, policy.groups / shape.parts);
  return shape;
}

}  // namespace penstock::plan
