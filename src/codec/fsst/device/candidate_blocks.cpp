#include "codec/fsst/device/candidate_blocks.hpp"

#include <algorithm>
#include <bit>

#include "primitive/primitive_source.hpp"

namespace penstock::fsst {

// Gives each of the 32 banks a copy of the filter where local memory allows. Four million addresses
// on an H200, LIKE '%google%': through CUDA with groups of 512, two per multiprocessor, two blocks
// at once take 0.096 ms, one 0.103 (three groups), four 0.105; 1024 threads 0.108; four groups
// without a byte permutation's stride 0.116. Through OpenCL with 48 KiB for a group one or two
// blocks were level; without copies an earlier version took a fifth longer.
CandidatePolicy candidate_policy(const Traits& traits) {
  constexpr CandidatePolicy for_bounded_registers = {512, 2, 5, 8, 2}, for_gpus = {512, 2, 5, 7, 4};
  if (traits.wants_single_thread_groups()) return {};
  const auto fits = [&](const CandidatePolicy& policy) {
    return traits.max_group_size >= policy.threads && traits.local_bytes >= policy.local_bytes();
  };
  if (traits.has_launch_bounds && fits(for_bounded_registers)) return for_bounded_registers;
  if (fits(for_gpus)) return for_gpus;
  return {std::bit_floor(std::min(256u, traits.max_group_size)), 2, 0, 2, 8};
}

kernel::PolicyNumbers candidate_numbers(const Traits& traits) {
  const CandidatePolicy policy = candidate_policy(traits);
  return {{"group_size", policy.threads},
          {"blocks", policy.blocks},
          {"copy_bits", policy.copy_bits},
          {"entry_bits", policy.entry_bits},
          {"groups_per_multiprocessor", policy.groups_per_multiprocessor}};
}

std::string candidate_definitions(const CandidatePolicy& policy, const Traits& traits) {
  const std::string all = primitive::define("MATCH_BLOCKS", policy.blocks) +
                          primitive::define("MATCH_COPY_BITS", policy.copy_bits) +
                          primitive::define("MATCH_ENTRY_BITS", policy.entry_bits);
  return traits.has_launch_bounds
             ? all + primitive::groups_per_multiprocessor(policy.groups_per_multiprocessor)
             : all;
}

}  // namespace penstock::fsst
