// Partitioned group-by: partitions of slots that local memory holds (kernels/group_partitions.kc,
// group_partition_tables.kc). Here are the layout of a record, the policy, and how slots are shared
// out.
#pragma once
#include <cstdint>
#include <vector>

#include "fuse/program/kernel_parameters.hpp"
#include "fuse/program/tile_program.hpp"
#include "fuse/variants/dense_ranges.hpp"
#include "fuse/variants/policy.hpp"
#include "kernel/variant_table.hpp"
#include "penstock/device.hpp"

namespace penstock::plan {

// A field of a record, which a row takes to its partition beside its slot there: the argument of an
// accumulator, and whether it is NULL.
struct RecordField {
  std::uint32_t output = 0;
  Type type;
  bool has_value = false, is_nullable = false;  // a count needs no value
  std::uint32_t words() const { return !has_value ? 0 : width_bytes(type) <= 4 ? 1 : 2; }
};
std::vector<RecordField> record_fields(const TileProgram& program);
// Returns the words of 32 bits of a record; one more where an argument may be NULL.
std::uint32_t record_words(const TileProgram& program);
constexpr std::uint32_t head_bytes = 2;  // of a record: its slot in its partition
inline std::uint64_t record_bytes(const TileProgram& program) {
  return head_bytes + std::uint64_t{4} * record_words(program);
}

Policy partition_policy(const Traits& traits, const TileProgram& program);
kernel::Fit can_group_by_partitions(const Traits& traits, const TileProgram& program);
// Returns whether buffers of so many slots and rows are within the device's limits.
bool partitions_fit(const Traits& traits, const TileProgram& program, std::uint64_t slots,
                    std::uint64_t row_count);

// Slots are numbered within their partition with 16 bits.
constexpr std::uint64_t max_partition_slots = std::uint64_t{1} << 16;
constexpr std::uint64_t max_partitioned_slots = std::uint64_t{1} << 26;
struct PartitionShape {
  std::uint32_t slots = 0, partitions = 1, partition_slots = 0;
  std::uint32_t copies = 1;  // of a partition's counter in a work group
  // Groups that each have a part of a partition's slots; shares of the records.
  std::uint32_t parts = 1, shares = 1;
  // Returns the numbers as the kernels read them, after the words of the ranges.
  std::vector<std::uint64_t> words() const;
};
PartitionShape partition_shape(const Policy& policy, std::uint64_t slots);

}  // namespace penstock::plan
