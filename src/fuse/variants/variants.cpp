#include "fuse/variants/variants.hpp"

#include <array>

#include "expr/emit.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/partition_layout.hpp"
#include "fuse/variants/policies.hpp"
#include "fuse/variants/policy_numbers.hpp"

namespace penstock::plan {
namespace {

// Many small OpenCL devices have no float64. Refuses by name what a compiler would
// refuse later.
Status check_float64(const Traits& traits, const TileProgram& program) {
  if (traits.has_f64) return {};
  if (needs_f64(*program.graph, program.roots()))
    return Status(
        Code::unsupported,
        "DOUBLE, and casts between DECIMAL and FLOAT, need float64, which " + traits.id + " lacks");
  for (const Accumulator& a : program.accumulators)
    if (is_rounded_sum(a))
      return Status(Code::unsupported, "a sum or average of FLOAT is added up in float64, which " +
                                           traits.id + " lacks");
  return {};
}

kernel::Fit by_single_threads(const Traits& traits, const TileProgram&) {
  return kernel::fits_single_threads(traits);
}
kernel::Fit by_groups(const Traits& traits, const TileProgram&) {
  return kernel::fits_groups(traits);
}
kernel::Fit without_filter(const Traits&, const TileProgram& program) {
  return kernel::fits_if(program.keeps_all_rows() && !program.bound, "rows are left out");
}

constexpr std::array<Variant, 15> table = {{
    {"store", Epilogue::compact, Algorithm::store, "store", without_filter,
     [](const Traits& t, const TileProgram& p) {
       return t.wants_single_thread_groups() ? cpu_policy(t, p) : row_policy(t, p);
     }},
    {"compact_tile_private", Epilogue::compact, Algorithm::tile_private,
     "select_rows evaluate_block scan compact_tile_private", by_single_threads, cpu_policy},
    {"compact_look_back", Epilogue::compact, Algorithm::look_back,
     "compact_lanes compact_look_back", can_look_back, look_back_policy},
    {"compact_one_pass", Epilogue::compact, Algorithm::one_pass,
     "compact_lanes compact_scan compact_waiting compact_one_pass", can_pass_once, one_pass_policy},
    {"compact_count_scan_write", Epilogue::compact, Algorithm::count_scan_write,
     "scan compact_count_scan_write", by_groups, one_tile_per_group},
    {"reduce_cpu", Epilogue::reduce, Algorithm::reduce, "select_rows reduce", by_single_threads,
     cpu_policy},
    {"reduce", Epilogue::reduce, Algorithm::reduce, "reduce", by_groups, reduce_policy},
    {"group_cpu", Epilogue::group, Algorithm::group_kept, "select_rows evaluate_block group_kept",
     by_single_threads, kept_group_policy},
    {"group_dense", Epilogue::group, Algorithm::group_dense, "group_ranges group_dense",
     can_group_densely, dense_group_policy},
    {"group_dense_narrow", Epilogue::group, Algorithm::group_dense, "group_ranges group_dense",
     can_group_narrowly, dense_narrow_policy},
    {"group_dense_partitioned", Epilogue::group, Algorithm::group_partitioned,
     "group_ranges group_partitions group_partition_count group_partition_tables",
     can_group_by_partitions, partition_policy},
    {"group_dense_global", Epilogue::group, Algorithm::group_dense, "group_ranges group_dense",
     can_group_densely, dense_global_policy},
    {"group_local", Epilogue::group, Algorithm::group_local, "group_local", can_group_locally,
     first_local_group_policy},
    {"group_global", Epilogue::group, Algorithm::group_global, "group_global", can_group_globally,
     global_group_policy},
    {"group", Epilogue::group, Algorithm::group, "group_by", by_groups, group_policy},
}};

const kernel::VariantTable table_of_pipelines(view_of_pipelines);

}  // namespace

std::span<const Variant> variants() { return table; }

Result<const Variant*> choose_variant(const Traits& traits, const TileProgram& program,
                                      std::string_view asked, bool* is_forced) {
  PENSTOCK_TRY(check_float64(traits, program));
  std::vector<const Variant*> fitting;
  std::vector<std::string> names;
  for (const Variant& variant : table) {
    if (variant.epilogue != program.epilogue || !variant.fits(traits, program)) continue;
    fitting.push_back(&variant);
    names.emplace_back(variant.name);
  }
  PENSTOCK_ASSIGN(const kernel::ChosenRow chosen,
                  kernel::choose_row(family_of(program.epilogue), names, asked, traits));
  if (is_forced != nullptr) *is_forced = chosen.is_forced;
  return fitting[chosen.index];
}

bool keeps_rows_on_device(const Traits& traits, IntermediateRows asked) {
  return asked == IntermediateRows::device ||
         (asked == IntermediateRows::automatic && !traits.shares_host_cores());
}

}  // namespace penstock::plan
