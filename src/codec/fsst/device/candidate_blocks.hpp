// How fsst_find_pieces.kc is tuned for a device.
#pragma once
#include <string>

#include "penstock/device.hpp"

namespace penstock::fsst {

constexpr std::uint64_t candidate_codes = 16;  // fsst_find_pieces.kc

// Groups of so many items, pieces that one loads at once, and, as powers of two, copies of the
// filter and bytes of a code's copies.
struct CandidatePolicy {
  std::uint32_t threads = 1, pieces = 4, copy_bits = 0, entry_bits = 2, groups_per_unit = 8;
  std::uint64_t local_bytes() const {
    return (std::uint64_t{256} << entry_bits) + 4 * 2048 + 64;
  }  // FindTile
};
CandidatePolicy candidate_policy(const Traits& traits);
std::string candidate_definitions(const CandidatePolicy& policy,
                                  const Traits& traits);  // lines of text in front of the kernels

}  // namespace penstock::fsst
