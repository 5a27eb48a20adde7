#include <algorithm>

#include "device/resident_groups.hpp"
#include "fuse/variants/policies.hpp"

namespace penstock::plan {
namespace {

// Look-back: two groups per multiprocessor, so that one computes while the other waits at its
// barrier. Each has 384 threads that compute and a warp that finds output positions. Three tiles of
// kept rows wait in local memory, with four rows of 4 bytes by four per thread. 480 threads with
// two tiles waiting are level (1 % better if few rows pass, 1 % worse at half); 416 lose 10 %, 512
// spill once rows are wider.
constexpr std::uint32_t look_back_threads = 384;

std::uint64_t staged_bytes(const TileProgram& program) {
  std::uint64_t bytes = 0;
  for (const ColumnBuffer& buffer : output_buffers(program)) bytes += buffer.element_bytes();
  return bytes;
}

std::uint32_t one_pass_threads(const Traits& traits) {
  return std::min(128u, traits.max_group_size / 16 * 16);
}

kernel::Fit fits_row_bytes(const TileProgram& program) {
  return kernel::fits_if(input_bytes_per_row(program) <= 48, "a row has more than 48 bytes");
}

}  // namespace

std::uint64_t look_back_local_bytes(const Policy& policy, const TileProgram& program) {
  return (std::uint64_t{policy.compact.depth} + 1) * policy.tile_rows * staged_bytes(program) +
         1024;
}

std::uint64_t one_pass_local_bytes(const Policy& policy, const TileProgram& program) {
  return std::uint64_t{policy.compact.depth} * policy.tile_rows * staged_bytes(program) +
         std::uint64_t{policy.group_size} * 12 + 1536;
}

Policy look_back_policy(const Traits& traits, const TileProgram& program) {
  Policy policy;
  policy.group_size = look_back_threads + 32;
  policy.vectors = vectors_for(std::max(input_bytes_per_row(program), staged_bytes(program)));
  policy.tile_rows = look_back_threads * 4 * policy.vectors;
  const std::uint64_t tile_bytes = look_back_local_bytes(policy, program);
  policy.groups_per_multiprocessor = 2 * tile_bytes <= traits.local_bytes ? 2 : 1;
  policy.groups = traits.compute_units * policy.groups_per_multiprocessor;
  policy.compact.window = (policy.groups + 30) / 32;
  return policy;
}

kernel::Fit can_look_back(const Traits& traits, const TileProgram& program) {
  const kernel::Fit has_copies = kernel::fits_if(
      device::accepts_ptx(traits, 90) && traits.forward_progress,
      "it is for NVIDIA's GPUs from sm_90 on through CUDA, whose groups may wait for one another");
  return both(
      fits_any_row(program),
      both(has_copies, both(kernel::fits_group_size(traits, look_back_threads + 32),
                            both(fits_row_bytes(program),
                                 kernel::fits_local_memory(
                                     traits, look_back_local_bytes(
                                                 look_back_policy(traits, program), program))))));
}

// Tickets may give a slow group's next tile more neighbours than there are groups. The sums of 32
// lanes count fewer than 1024 tiles (compact_scan.kc); tiles beyond a window are counted again.
std::uint32_t one_pass_window(const Policy& policy) {
  constexpr std::uint32_t max_window = 31;
  const std::uint32_t tiles =
      policy.compact.in_turn ? policy.groups : policy.groups + policy.groups / 4;
  return std::min((tiles + policy.group_size - 1) / policy.group_size, max_window);
}

// A group that does not fit slows its neighbours down (find_window()), so registers have to be
// bounded. SYCL does not bound them; programs of few columns were seen to need 72, of 102 that fit.
bool fits_at_once(const Policy& policy, const Traits& traits, const TileProgram& program) {
  return (traits.has_launch_bounds || device::has_nvvm(traits)) &&
         device::groups_by_local_memory(traits, one_pass_local_bytes(policy, program)) >=
             policy.groups_per_multiprocessor;
}

// One pass: 128 threads with 16 rows of 4 bytes each, and room for five whole tiles that wait to be
// written. The more tiles wait, the less a group waits for others. If fewer groups fit a
// multiprocessor, the rest find no ticket left when they begin.
Policy one_pass_policy(const Traits& traits, const TileProgram& program) {
  Policy policy;
  policy.group_size = one_pass_threads(traits);
  policy.groups_per_multiprocessor = 5;
  const std::uint32_t max_vectors =
      vectors_for(std::max(input_bytes_per_row(program), staged_bytes(program)));
  for (policy.vectors = max_vectors;; policy.vectors--) {
    policy.tile_rows = policy.group_size * 4 * policy.vectors;
    policy.compact.depth = 5;
    while (policy.compact.depth > 2 && one_pass_local_bytes(policy, program) > traits.local_bytes)
      policy.compact.depth--;
    if (policy.vectors == 1 || one_pass_local_bytes(policy, program) <= traits.local_bytes) break;
  }
  policy.groups = traits.compute_units * policy.groups_per_multiprocessor;
  policy.compact.in_turn = fits_at_once(policy, traits, program);
  policy.compact.window = one_pass_window(policy);
  return policy;
}

kernel::Fit can_pass_once(const Traits& traits, const TileProgram& program) {
  if (kernel::Fit groups = kernel::fits_groups(traits); !groups) return groups;
  return both(
      fits_any_row(program),
      both(kernel::fits_if(traits.max_group_size >= 32, "it needs groups of 32 threads"),
           both(fits_row_bytes(program),
                kernel::fits_local_memory(
                    traits, one_pass_local_bytes(one_pass_policy(traits, program), program)))));
}

}  // namespace penstock::plan
