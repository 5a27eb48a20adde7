#include "primitive/sort_variants.hpp"

#include <algorithm>
#include <bit>

#include "primitive/choose_variant.hpp"

namespace penstock::primitive {
namespace {

using kernel::Fit;
using kernel::PolicyNumbers;

constexpr const char* sort_family = "radix_sort";

// Returns the local memory of a group of sort_pass.
std::uint64_t pass_bytes(const SortPolicy& policy, SortShape shape, bool has_subgroups,
                         std::uint32_t subgroup_size) {
  const std::uint64_t counts = has_subgroups ? std::uint64_t{policy.group_size} / subgroup_size *
                                                   sort_digits * (policy.by_masks ? 8 : 4)
                                             : std::uint64_t{policy.group_size} * sort_digits * 2;
  return counts + std::uint64_t{policy.group_size} * policy.keys_per_thread * shape.slot_bytes() +
         2 * sort_digits * 4 + policy.group_size * 4 + 64;
}

// Threads rank their keys by masks in local memory, or by ballots. A copy of the histograms for
// every lane takes 0.25 ms, four copies 0.46 ms; a quarter of local memory is left for the
// compiler.
SortPolicy by_groups(const Traits& traits, SortShape shape, std::uint32_t group_size,
                     std::uint32_t keys_per_thread, std::uint32_t groups, bool by_masks) {
  SortPolicy policy{group_size, keys_per_thread, groups, by_masks};
  const std::uint64_t fitting = traits.local_bytes * 3 / 4 / (shape.key_bytes * sort_digits * 4);
  policy.copies =
      std::bit_floor(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fitting, 1, 32)));
  policy.histogram_group_size =
      std::min(traits.has_subgroups ? 1024u : 256u, traits.max_group_size);
  return policy;
}

// On an H200, 2^28 random keys, the whole sort: 256 threads with 32 keys of 32 bits 5.2 ms (384
// with 32: 5.3, 256 with 36: 5.3); 64 bits 14.5 (28 keys: 15.1); pairs of 32 bits, 384 threads with
// 24: 7.8 (256 with 32: 8.1, ballots with 23: 8.1); 64 bits and 32, 384 with 16: 21.2 (256 with
// 20: 22.8). 2^27 keys of 8 bits with 64: 256 with 32 1.15 ms (384 with 12: 1.24, 16: 1.25, 24:
// 1.36; 256 with 24: 1.42). Smaller policies follow for devices with less local memory. 64 bits in
// 48 KiB (2^26 keys through OpenCL): 256 with 16 by ballots 4.5 ms, with values 5.7; 256 with 12 by
// masks 4.6 and 6.3, 128 with 20 by masks 7.8 and 9.1. 32 bits in 48 KiB (2^26 keys through SYCL):
// 256 with 28 1.73 ms (24: 1.85, 16: 1.95), with values 24 2.29 (16: 2.47, 28: 2.91). The last
// takes no sub-groups.
SortPolicy large_masks(const Traits& traits, SortShape shape) {
  if (!shape.has_values())
    return by_groups(traits, shape, 256, 32, shape.key_bytes == 8 ? 2 : 3, true);
  if (shape.key_bytes == 1 && shape.value_bytes == 8)
    return by_groups(traits, shape, 256, 32, 2, true);
  return by_groups(traits, shape, 384, shape.slot_bytes() == 8 ? 16 : 24, 2, true);
}
SortPolicy ballots(const Traits& traits, SortShape shape) {
  return by_groups(traits, shape, 256, 16, 2, false);
}
SortPolicy masks(const Traits& traits, SortShape shape) {
  if (shape.slot_bytes() < 8)
    return shape.has_values() ? by_groups(traits, shape, 256, 24, 2, true)
                              : by_groups(traits, shape, 256, 28, 3, true);
  return by_groups(traits, shape, 128, shape.has_values() ? 16 : 20, 2, true);
}
SortPolicy small_masks(const Traits& traits, SortShape shape) {
  return shape.slot_bytes() < 8 ? by_groups(traits, shape, 128, 12, 2, true)
                                : by_groups(traits, shape, 64, 16, 2, true);
}
SortPolicy counts(const Traits& traits, SortShape shape) {
  return by_groups(traits, shape, std::min(32u, traits.max_group_size), 16, 1, false);
}
// A chunk in the caches would be too small for its 256 counts.
SortPolicy chunks(const Traits&, SortShape) { return {}; }

bool has_small_subgroups(const Traits& traits) {
  return traits.has_subgroups && traits.subgroup_size <= 32;
}

Fit fits_subgroups(const Traits& traits, SortShape shape, const SortPolicy& policy) {
  const Fit subgroups = both(
      kernel::fits_groups(traits),
      kernel::fits_if(has_small_subgroups(traits), "it needs sub-groups of 32 threads or fewer"));
  return subgroups ? both(kernel::fits_group_size(traits, policy.group_size),
                          kernel::fits_local_memory(
                              traits, pass_bytes(policy, shape, true, traits.subgroup_size)))
                   : subgroups;
}
template <SortPolicy (*policy)(const Traits&, SortShape)>
Fit fits_with(const Traits& traits, SortShape shape) {
  return fits_subgroups(traits, shape, policy(traits, shape));
}
Fit fits_ballots(const Traits& traits, SortShape shape) {
  return both(kernel::fits_if(shape.key_bytes == 8, "keys of fewer bits are ranked by masks"),
              fits_with<ballots>(traits, shape));
}

constexpr SortVariant rows_of_sort[] = {
    {"sort_chunks", true,
     [](const Traits& traits, SortShape) { return kernel::fits_single_threads(traits); }, chunks},
    {"sort_masks_large", false, fits_with<large_masks>, large_masks},
    {"sort_ballots", false, fits_ballots, ballots},
    {"sort_masks", false, fits_with<masks>, masks},
    {"sort_masks_small", false, fits_with<small_masks>, small_masks},
    {"sort_counts", false,
     [](const Traits& traits, SortShape) { return kernel::fits_groups(traits); }, counts}};

PolicyNumbers numbers_of(const SortVariant& variant, SortShape shape, const SortPolicy& policy) {
  const PolicyNumbers of_shape = {{"key_bytes", shape.key_bytes},
                                  {"value_bytes", shape.value_bytes}};
  PolicyNumbers numbers;
  if (variant.is_by_chunks)
    numbers = {{"chunk_keys", policy.chunk_keys, {1 << 12, 1 << 14, 1 << 16, 1 << 18}},
               {"chunks_per_compute_unit", policy.chunks_per_compute_unit, {1, 2, 4, 8, 16}}};
  else if (variant.policy == counts)
    numbers = {{"group_size", policy.group_size},
               {"keys_per_thread", policy.keys_per_thread, {8, 12, 16, 20}},
               {"groups_per_multiprocessor", policy.groups_per_multiprocessor}};
  else
    numbers = {{"group_size", policy.group_size, {128, 256, 384, 512}},
               {"keys_per_thread", policy.keys_per_thread, {8, 12, 16, 20, 24, 28, 32, 36}},
               {"groups_per_multiprocessor", policy.groups_per_multiprocessor, {1, 2, 3, 4}}};
  numbers.insert(numbers.end(), of_shape.begin(), of_shape.end());
  return numbers;
}

SortPolicy with_numbers(SortPolicy policy, const PolicyNumbers& numbers) {
  const auto set = [&](std::uint32_t& value, std::string_view name) {
    value = kernel::number_of(numbers, name, value);
  };
  set(policy.group_size, "group_size");
  set(policy.keys_per_thread, "keys_per_thread");
  set(policy.groups_per_multiprocessor, "groups_per_multiprocessor");
  set(policy.chunk_keys, "chunk_keys");
  set(policy.chunks_per_compute_unit, "chunks_per_compute_unit");
  return policy;
}

bool fits_policy(const SortVariant& variant, const Traits& traits, SortShape shape,
                 const SortPolicy& policy) {
  constexpr std::uint32_t max_threads_of_multiprocessor = 2048;
  if (variant.is_by_chunks) return policy.chunk_keys > 0 && policy.chunks_per_compute_unit > 0;
  if (policy.group_size == 0 || policy.keys_per_thread == 0 ||
      policy.groups_per_multiprocessor == 0 ||
      std::uint64_t{policy.group_size} * policy.groups_per_multiprocessor >
          max_threads_of_multiprocessor)
    return false;
  return variant.policy == counts ? policy.group_size <= traits.max_group_size
                                  : bool(fits_subgroups(traits, shape, policy));
}

std::string use_of(SortShape shape) {
  const auto bits = [](std::uint32_t bytes) { return std::to_string(8 * bytes) + " bits"; };
  return "keys of " + bits(shape.key_bytes) +
         (shape.has_values() ? " with values of " + bits(shape.value_bytes) : "");
}

std::vector<kernel::VariantCase> view_of_sorts(const Traits& traits) {
  constexpr SortShape shapes[] = {{4, 0}, {4, 4}, {8, 0}, {8, 4}, {1, 1}, {1, 2}, {1, 4}, {1, 8}};
  std::vector<kernel::VariantCase> cases;
  for (const SortShape shape : shapes) {
    kernel::VariantCase each{sort_family, use_of(shape), {}};
    for (const SortVariant& variant : rows_of_sort) {
      kernel::VariantRow row{std::string(variant.name), variant.fits(traits, shape)};
      if (row.fit) row.policy = numbers_of(variant, shape, policy_of(variant, traits, shape));
      each.rows.push_back(std::move(row));
    }
    cases.push_back(std::move(each));
  }
  return cases;
}
const kernel::VariantTable table_of_sorts(view_of_sorts);

}  // namespace

std::span<const SortVariant> sort_variants() { return rows_of_sort; }

Result<const SortVariant*> choose_sort(const Traits& traits, SortShape shape,
                                       std::string_view asked) {
  return choose_variant(std::span<const SortVariant>(rows_of_sort), sort_family, traits, shape,
                        asked);
}

SortPolicy policy_of(const SortVariant& variant, const Traits& traits, SortShape shape) {
  const SortPolicy standard = variant.policy(traits, shape);
  const PolicyNumbers numbers = numbers_of(variant, shape, standard);
  return with_numbers(
      standard, kernel::policy_in_force(
                    traits, sort_family, variant.name, numbers, [&](const PolicyNumbers& other) {
                      return fits_policy(variant, traits, shape, with_numbers(standard, other));
                    }));
}

}  // namespace penstock::primitive
