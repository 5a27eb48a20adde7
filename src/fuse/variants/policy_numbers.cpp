#include "fuse/variants/policy_numbers.hpp"

#include <algorithm>
#include <bit>

#include "fuse/variants/policies.hpp"

namespace penstock::plan {
namespace {

using kernel::PolicyNumber;
using kernel::PolicyNumbers;
using Choices = std::vector<std::uint32_t>;

// kernels/compact_look_back.kc: RING - 1.
constexpr std::uint32_t max_look_back_depth = 3;

// A number of Policy by its name.
struct NumberField {
  std::string_view name;
  std::uint32_t& (*of)(Policy& policy);
};
constexpr NumberField number_fields[] = {
    {"group_size", [](Policy& p) -> std::uint32_t& { return p.group_size; }},
    {"vectors", [](Policy& p) -> std::uint32_t& { return p.vectors; }},
    {"depth", [](Policy& p) -> std::uint32_t& { return p.compact.depth; }},
    {"tile_rows", [](Policy& p) -> std::uint32_t& { return p.tile_rows; }},
    {"groups", [](Policy& p) -> std::uint32_t& { return p.groups; }},
    {"groups_per_multiprocessor",
     [](Policy& p) -> std::uint32_t& { return p.groups_per_multiprocessor; }},
    {"slots", [](Policy& p) -> std::uint32_t& { return p.group.slots; }},
    {"limb_words", [](Policy& p) -> std::uint32_t& { return p.local.limb_words; }},
    {"partitions", [](Policy& p) -> std::uint32_t& { return p.partition.max_count; }},
    {"counters", [](Policy& p) -> std::uint32_t& { return p.partition.counters; }}};

std::uint32_t value_of(Policy policy, std::string_view name) {
  for (const NumberField& field : number_fields)
    if (field.name == name) return field.of(policy);
  return 0;
}

Choices of_units(const Traits& traits, std::initializer_list<std::uint32_t> times) {
  Choices choices;
  for (const std::uint32_t each : times) choices.push_back(traits.compute_units * each);
  return choices;
}

// The numbers that a variant's kernels use, with their choices.
struct UsedNumber {
  std::string_view name;
  Choices choices = {};
};
std::vector<UsedNumber> on_cpus(const Traits& traits) {
  return {{"tile_rows", {1024, 2048, 4096, 8192, 16384}},
          {"groups", of_units(traits, {1, 4, 8, 16, 32})}};
}
std::vector<UsedNumber> used_numbers(const Variant& variant, const Traits& traits) {
  switch (variant.algorithm) {
    case Algorithm::tile_private: return on_cpus(traits);
    case Algorithm::store:
    case Algorithm::reduce:
      if (traits.wants_single_thread_groups()) return on_cpus(traits);
      return {{"group_size", {128, 256, 512, 1024}},
              {"vectors", {1, 2, 4}},
              {"groups", of_units(traits, {2, 4, 8, 16, 32})},
              {"groups_per_multiprocessor", {1, 2, 3, 4}}};
    case Algorithm::look_back:
      return {{"group_size", {288, 352, 416, 512}},
              {"vectors", {1, 2, 3, 4}},
              {"depth", {2, 3}},
              {"groups_per_multiprocessor", {1, 2, 3}}};
    case Algorithm::one_pass:
      return {{"group_size", {64, 128, 256}},
              {"vectors", {1, 2, 3, 4}},
              {"depth", {2, 3, 4, 5}},
              {"groups_per_multiprocessor", {4, 5, 6, 8}}};
    case Algorithm::count_scan_write:
      return {{"group_size", {128, 256, 512}}, {"vectors", {1, 2, 4}}};
    case Algorithm::group_kept: return {{"tile_rows", {1024, 2048, 4096, 8192}}, {"slots"}};
    case Algorithm::group_dense:
      return {{"group_size", {256, 512, 1024}},
              {"groups", of_units(traits, {1, 2, 4, 8})},
              {"vectors"},
              {"slots"}};
    case Algorithm::group_partitioned:
      return {{"group_size"}, {"vectors"}, {"groups"}, {"slots"}, {"partitions"}, {"counters"}};
    case Algorithm::group_local:
      return {{"group_size", {128, 256, 512}},
              {"groups_per_multiprocessor"},
              {"vectors"},
              {"slots"},
              {"limb_words"}};
    case Algorithm::group_global: return {{"group_size", {128, 256, 512}}, {"groups"}, {"slots"}};
    case Algorithm::group: break;
  }
  return {{"group_size"}, {"tile_rows"}, {"groups"}, {"slots"}};
}

// Sets numbers that follow from other ones.
void derive(const Variant& variant, const Traits& traits, Policy& policy) {
  switch (variant.algorithm) {
    case Algorithm::tile_private:
    case Algorithm::group_kept:
    case Algorithm::group:
    case Algorithm::group_partitioned: return;
    case Algorithm::look_back:
      policy.tile_rows = (policy.group_size - 32) * 4 * policy.vectors;
      policy.groups = traits.compute_units * policy.groups_per_multiprocessor;
      policy.compact.window = (policy.groups + 30) / 32;
      return;
    case Algorithm::one_pass:
      policy.tile_rows = policy.group_size * 4 * policy.vectors;
      policy.groups = traits.compute_units * policy.groups_per_multiprocessor;
      policy.compact.in_turn = false;  // other numbers may not fit the device at once
      policy.compact.window = one_pass_window(policy);
      return;
    case Algorithm::group_global: policy.tile_rows = policy.group_size * 8; return;
    case Algorithm::store:
    case Algorithm::reduce:
    case Algorithm::count_scan_write:
    case Algorithm::group_dense:
    case Algorithm::group_local: break;
  }
  if (!traits.wants_single_thread_groups())
    policy.tile_rows = policy.group_size * std::max(1u, policy.vectors) * 4;
}

}  // namespace

std::string_view family_of(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::compact: return "compact";
    case Epilogue::reduce: return "reduce";
    case Epilogue::group: break;
  }
  return "group";
}

PolicyNumbers numbers_of(const Variant& variant, const Traits& traits, const Policy& policy) {
  PolicyNumbers numbers;
  for (UsedNumber& used : used_numbers(variant, traits))
    numbers.push_back(
        {std::string(used.name), value_of(policy, used.name), std::move(used.choices)});
  return numbers;
}

Policy with_numbers(const Variant& variant, const Traits& traits, Policy policy,
                    const PolicyNumbers& numbers) {
  for (const NumberField& field : number_fields)
    field.of(policy) = kernel::number_of(numbers, field.name, field.of(policy));
  derive(variant, traits, policy);
  return policy;
}

bool fits_policy(const Variant& variant, const Traits& traits, const TileProgram& program,
                 const Policy& policy) {
  constexpr std::uint32_t max_threads_of_multiprocessor = 2048;
  const std::uint64_t threads = std::uint64_t{policy.group_size} * policy.groups_per_multiprocessor;
  if (policy.group_size == 0 || policy.tile_rows == 0 ||
      policy.group_size > traits.max_group_size || threads > max_threads_of_multiprocessor)
    return false;
  if (traits.wants_single_thread_groups()) return policy.group_size == 1;
  switch (variant.algorithm) {
    case Algorithm::look_back:
      return policy.group_size % 32 == 0 && policy.group_size > 32 && policy.vectors > 0 &&
             policy.compact.depth <= max_look_back_depth &&
             look_back_local_bytes(policy, program) * policy.groups_per_multiprocessor <=
                 traits.local_bytes;
    case Algorithm::one_pass:
      return std::has_single_bit(policy.group_size) && policy.vectors > 0 &&
             policy.compact.depth >= 2 &&
             one_pass_local_bytes(policy, program) <= traits.local_bytes;
    case Algorithm::group_local: return local_group_bytes(program, policy) <= traits.local_bytes;
    case Algorithm::store:
    case Algorithm::tile_private:
    case Algorithm::count_scan_write:
    case Algorithm::reduce:
    case Algorithm::group:
    case Algorithm::group_kept:
    case Algorithm::group_dense:
    case Algorithm::group_partitioned:
    case Algorithm::group_global: break;
  }
  return std::has_single_bit(policy.group_size);
}

Policy policy_of(const Variant& variant, const Traits& traits, const TileProgram& program) {
  const Policy standard = variant.policy(traits, program);
  const PolicyNumbers numbers = numbers_of(variant, traits, standard);
  const PolicyNumbers in_force = kernel::policy_in_force(
      traits, family_of(variant.epilogue), variant.name, numbers, [&](const PolicyNumbers& other) {
        return fits_policy(variant, traits, program,
                           with_numbers(variant, traits, standard, other));
      });
  return in_force == numbers ? standard : with_numbers(variant, traits, standard, in_force);
}

}  // namespace penstock::plan
