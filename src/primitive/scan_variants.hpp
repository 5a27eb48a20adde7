// The variants of prefix sums: rows of {name, fits, policy}, the first that fits runs.
#pragma once
#include <span>

#include "kernel/tuned_policies.hpp"
#include "primitive/scan.hpp"

namespace penstock::primitive {

// The numbers of a scan on one device: threads of a group, vectors of four values of a thread,
// turns that a tile waits, groups of a multiprocessor. By chunks: the limits of values in a chunk,
// and of chunks on a compute unit.
struct ScanPolicy {
  std::uint32_t group_size = 1, vectors = 1, depth = 1, groups_per_multiprocessor = 1;
  std::uint32_t chunk_values = 1 << 12, chunks_per_compute_unit = 4;
};

struct ScanVariant {
  std::string_view name;
  bool is_by_chunks = false;
  kernel::Fit (*fits)(const Traits& traits, ScanShape shape) = nullptr;
  ScanPolicy (*policy)(const Traits& traits, ScanShape shape) = nullptr;
};
std::span<const ScanVariant> scan_variants();
// Code::invalid if `asked`, or what PENSTOCK_VARIANT forces, does not fit.
Result<const ScanVariant*> choose_scan(const Traits& traits, ScanShape shape,
                                       std::string_view asked);
// The row's own policy, or the one that `penstock tune` found faster.
ScanPolicy policy_of(const ScanVariant& variant, const Traits& traits, ScanShape shape);

}  // namespace penstock::primitive
