// The device requirements of rows in the tables of chunks, and their policies by number.
#include <algorithm>

#include "codec/batch/chunk_decoder.hpp"
#include "kernel/tuned_policies.hpp"

namespace penstock::batch {
namespace {

using kernel::Fit;
using kernel::PolicyNumbers;
constexpr std::uint32_t threads_of_warp = 32;

bool has_warps(const Phase& phase) {
  return phase.granularity == Granularity::warp_per_chunk ||
         phase.granularity == Granularity::group_per_chunk;
}
bool has_subgroup_warps(const Traits& traits) {
  return traits.has_subgroups && traits.subgroup_size == threads_of_warp;
}

Fit fits_phase(const Phase& phase, const Traits& traits) {
  // A CPU runs one thread, in the local memory of all threads of a chunk.
  const bool is_by_number = phase.granularity == Granularity::threads_per_chunk;
  if (Fit memory = kernel::fits_local_memory(
          traits, phase.local_bytes * (is_by_number ? phase.threads_per_chunk : 1));
      !memory)
    return memory;
  if (is_by_number)
    return traits.wants_single_thread_groups()
               ? Fit()
               : kernel::fits_group_size(traits, phase.threads_per_chunk);
  if (!has_warps(phase)) return {};
  return both(kernel::fits_groups(traits), kernel::fits_group_size(traits, threads_of_warp));
}

std::size_t phase_count(const Variant& variant) {
  std::size_t count = 0;
  while (count < variant.phases.size() && !variant.phases[count].kernel.empty()) count++;
  return count;
}

std::string number_name(const Variant& variant, std::size_t phase, const char* name) {
  return phase_count(variant) == 1 ? name : std::string(variant.phases[phase].kernel) + "." + name;
}

// The numbers of a row. Groups of sub-groups may have other numbers of warps; and where chunks are
// taken from a counter, there may be other numbers of groups.
PolicyNumbers numbers_of(const Variant& variant, const Traits& traits,
                         const std::vector<GroupPolicy>& policies) {
  PolicyNumbers numbers;
  for (std::size_t i = 0; i < policies.size(); i++) {
    const Phase& phase = variant.phases[i];
    if (phase.granularity != Granularity::warp_per_chunk &&
        phase.granularity != Granularity::thread_per_chunk)
      continue;
    const bool has_choice = has_warps(phase) && has_subgroup_warps(traits);
    numbers.push_back({number_name(variant, i, "group_size"), policies[i].group_size,
                       has_choice ? std::vector<std::uint32_t>{32, 64, 128, 256, 512}
                                  : std::vector<std::uint32_t>{}});
    numbers.push_back({number_name(variant, i, "groups_per_multiprocessor"),
                       policies[i].groups_per_multiprocessor,
                       {1, 2, 4, 5, 6, 7, 8, 12, 16, 32}});
  }
  return numbers;
}

std::vector<GroupPolicy> with_numbers(const Variant& variant, const Traits& traits,
                                      std::vector<GroupPolicy> policies,
                                      const PolicyNumbers& numbers) {
  for (std::size_t i = 0; i < policies.size(); i++) {
    GroupPolicy& policy = policies[i];
    policy.group_size =
        kernel::number_of(numbers, number_name(variant, i, "group_size"), policy.group_size);
    policy.groups_per_multiprocessor =
        kernel::number_of(numbers, number_name(variant, i, "groups_per_multiprocessor"),
                          policy.groups_per_multiprocessor);
    if (variant.phases[i].granularity == Granularity::warp_per_chunk && has_subgroup_warps(traits))
      policy.chunks_per_group = policy.group_size / threads_of_warp;
  }
  return policies;
}

bool fit_device(const Variant& variant, const Traits& traits,
                const std::vector<GroupPolicy>& policies) {
  constexpr std::uint32_t max_threads_of_multiprocessor = 2048;
  for (std::size_t i = 0; i < policies.size(); i++) {
    const GroupPolicy& policy = policies[i];
    const std::uint64_t bytes = variant.phases[i].local_bytes *
                                (has_warps(variant.phases[i]) ? policy.chunks_per_group : 1);
    if (policy.group_size == 0 || policy.group_size > traits.max_group_size ||
        policy.groups_per_multiprocessor == 0 || bytes > traits.local_bytes)
      return false;
    if (has_warps(variant.phases[i]) &&
        (policy.group_size % threads_of_warp != 0 ||
         (has_subgroup_warps(traits) &&
          std::uint64_t{policy.group_size} * policy.groups_per_multiprocessor >
              max_threads_of_multiprocessor)))
      return false;
  }
  return true;
}

std::vector<GroupPolicy> standard_policies(const Variant& variant, const Traits& traits) {
  std::vector<GroupPolicy> policies;
  for (std::size_t i = 0; i < phase_count(variant); i++)
    policies.push_back(policy_of(variant.phases[i], traits));
  return policies;
}

}  // namespace

Fit fits(const Variant& variant, const Traits& traits) {
  if (variant.is_for_cpus && !traits.wants_single_thread_groups())
    return kernel::fits_single_threads(traits);
  Fit fit;
  for (const Phase& phase : variant.phases) fit = both(std::move(fit), fits_phase(phase, traits));
  return fit;
}

std::vector<GroupPolicy> policies_of(const std::string& family, const Variant& variant,
                                     const Traits& traits) {
  const std::vector<GroupPolicy> standard = standard_policies(variant, traits);
  const PolicyNumbers numbers = numbers_of(variant, traits, standard);
  const PolicyNumbers in_force = kernel::policy_in_force(
      traits, family, variant.name, numbers, [&](const PolicyNumbers& other) {
        return fit_device(variant, traits, with_numbers(variant, traits, standard, other));
      });
  return with_numbers(variant, traits, standard, in_force);
}

kernel::VariantRow view_of(const std::string& family, const Variant& variant,
                           const Traits& traits) {
  kernel::VariantRow row{std::string(variant.name), fits(variant, traits)};
  if (row.fit) row.policy = numbers_of(variant, traits, policies_of(family, variant, traits));
  return row;
}

}  // namespace penstock::batch
