// The variants of the radix sort: rows of {name, fits, policy}, the first that fits runs.
#pragma once
#include <span>

#include "kernel/tuned_policies.hpp"
#include "primitive/radix_sort.hpp"

namespace penstock::primitive {

constexpr std::uint64_t sort_digits = 256;

// The numbers of a sort on one device. By chunks: the limits of keys in a chunk, and of chunks on a
// compute unit.
struct SortPolicy {
  std::uint32_t group_size = 1, keys_per_thread = 1, groups_per_multiprocessor = 1;
  bool by_masks = false;
  std::uint32_t histogram_group_size = 1, copies = 1;
  std::uint32_t chunk_keys = 1 << 14, chunks_per_compute_unit = 4;
};

struct SortVariant {
  std::string_view name;
  bool is_by_chunks = false;
  kernel::Fit (*fits)(const Traits& traits, SortShape shape) = nullptr;
  SortPolicy (*policy)(const Traits& traits, SortShape shape) = nullptr;
};
std::span<const SortVariant> sort_variants();
// Code::invalid if `asked`, or what PENSTOCK_VARIANT forces, does not fit.
Result<const SortVariant*> choose_sort(const Traits& traits, SortShape shape,
                                       std::string_view asked);
// The row's own policy, or the one that `penstock tune` found faster.
SortPolicy policy_of(const SortVariant& variant, const Traits& traits, SortShape shape);

}  // namespace penstock::primitive
