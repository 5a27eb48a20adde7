// The variant table: the algorithms that can run a tile program's epilogue.
//
// A row names kernel templates of src/fuse/kernels/, the devices and programs that they fit, and
// their policy. The first row that fits runs. RunOptions::variant forces one by name, or else
// PENSTOCK_VARIANT does. Tests and benches run every row that fits.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fuse/program/kernel_parameters.hpp"
#include "fuse/program/tile_program.hpp"
#include "fuse/variants/policy.hpp"
#include "kernel/variant_table.hpp"
#include "penstock/device.hpp"
#include "penstock/run_options.hpp"

namespace penstock::plan {

enum class Algorithm : unsigned char {
  store,
  tile_private,
  count_scan_write,
  one_pass,
  look_back,
  reduce,
  group,
  group_kept,
  group_dense,
  group_partitioned,
  group_local,
  group_global
};
// Returns whether a group's slot is computed from its keys. The ranges of the keys must be known.
inline bool has_dense_slots(Algorithm algorithm) {
  return algorithm == Algorithm::group_dense || algorithm == Algorithm::group_partitioned;
}

struct Variant {
  std::string_view name;
  Epilogue epilogue;
  Algorithm algorithm;
  std::string_view templates;  // names of kernel templates, in order, separated by one space
  kernel::Fit (*fits)(const Traits& traits, const TileProgram& program);
  Policy (*policy)(const Traits& traits, const TileProgram& program);
};
std::span<const Variant> variants();
// Returns the policy that a variant runs with: the row's own, or the one that `penstock tune` found
// faster on this device (policy_numbers.cpp).
Policy policy_of(const Variant& variant, const Traits& traits, const TileProgram& program);

// Returns the words of 32 bits of a position in the table of group_global: the parts of its key,
// and its limbs.
std::uint64_t global_position_words(const TileProgram& program);

// The shares of a dense table of so many slots (kernels/group_dense.kc).
struct DenseShape {
  std::uint32_t parts = 1, copies = 1, groups = 1;
};
DenseShape dense_shape(const TileProgram& program, const Policy& policy, std::uint64_t slots);
// Beyond this, partitions are faster: at 2^26 rows 20,000 keys take 0.52 ms in two parts, 50,000
// 1.21 in five, and 100,000 in partitions 0.73 (one H200).
constexpr std::uint32_t max_dense_parts = 2;
// Returns a group-by's variant for keys of known ranges, by their slots; null if they are too many
// for this device or for so few rows. After partitions no variant with a table per work group
// follows, and a table in global memory stays there.
const Variant* dense_variant(const Traits& traits, const TileProgram& program, const Policy& now,
                             std::uint64_t slots, std::uint64_t row_count);

// A group-by's next attempt after a launch with too small tables, or with floats outside the limbs:
// another row or policy, or a larger table of the same one.
struct Attempt {
  const Variant* variant = nullptr;
  Policy policy;
  TableSize size = {};
};
// Returns the first size of a variant's table of hashed keys, for so many keys of a chunk if they
// are known.
TableSize first_size(const Traits& traits, const TileProgram& program, const Variant& variant,
                     const Policy& policy, std::optional<std::uint64_t> keys = {});
// `group_rows`: the most rows that one group meets. `keys`: of a chunk, if they were estimated.
// Code::capacity if no row of the table takes more keys.
Result<Attempt> next_attempt(const Traits& traits, const TileProgram& program,
                             const Attempt& failed, std::uint64_t group_rows, bool is_outside,
                             std::optional<std::uint64_t> keys = {});
// Returns the variant for few or many keys if their ranges are too wide for dense slots; null if
// none fits.
const Variant* hashed_variant(const Traits& traits, const TileProgram& program, bool are_few);
// Returns how many positions of 32 bits a table of group_local has for so many slots.
std::uint32_t local_positions(std::uint32_t slots);

// Returns the first row that fits, or the named one. An error if the name is unknown or does not
// fit. Without a name, PENSTOCK_VARIANT may force a row of the epilogue's family. `is_forced`:
// whether it did.
Result<const Variant*> choose_variant(const Traits& traits, const TileProgram& program,
                                      std::string_view asked = {}, bool* is_forced = nullptr);
// Returns whether rows between kernels stay on a device, and the tables of joins are made there.
// The host's own cores make them as fast.
bool keeps_rows_on_device(const Traits& traits, IntermediateRows asked);
// A right side that is a file of fewer rows is read and hashed on the host: that is sooner done.
constexpr std::uint64_t min_device_join_rows = 1 << 16;
using kernel::typical_traits;

}  // namespace penstock::plan
