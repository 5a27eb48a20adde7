// Tuning of fsst_find_candidates.kc for a device.
#pragma once
#include <string>

#include "codec/fsst/kernels/fsst_limits.h"
#include "kernel/variant_table.hpp"
#include "penstock/device.hpp"

namespace penstock::fsst {

constexpr std::uint64_t candidate_codes = FSST_BLOCK_CODES;

// `threads` per group, `blocks` of codes that a thread loads at once, and, as powers of two, the
// number of copies of the filter and the bytes from one code's copies to the next code's.
struct CandidatePolicy {
  std::uint32_t threads = 1, blocks = 4, copy_bits = 0, entry_bits = 2,
                groups_per_multiprocessor = 8;
  std::uint64_t local_bytes() const {
    return (std::uint64_t{256} << entry_bits) + 4 * 2048 + 64;
  }  // sizeof FindTile
};
CandidatePolicy candidate_policy(const Traits& traits);
kernel::PolicyNumbers candidate_numbers(const Traits& traits);
std::string candidate_definitions(const CandidatePolicy& policy,
                                  const Traits& traits);  // #defines for the kernels

}  // namespace penstock::fsst
