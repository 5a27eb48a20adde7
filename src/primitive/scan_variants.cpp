#include "primitive/scan_variants.hpp"

#include <algorithm>

#include "primitive/choose_variant.hpp"

namespace penstock::primitive {
namespace {

using kernel::Fit;
using kernel::PolicyNumbers;

constexpr const char* scan_family = "scan";

std::uint64_t tiles_bytes(const ScanPolicy& policy, ScanShape shape) {
  const std::uint64_t tile = std::uint64_t{4} * policy.vectors * policy.group_size,
                      entries = policy.vectors * policy.group_size + 64;
  const std::uint64_t begun =
      shape.is_segmented ? std::uint64_t{4} * policy.group_size * (policy.depth + 1) : 0;
  const std::uint64_t flags = shape.is_segmented ? 2 : 1;  // a sum with its flag takes two
  return (tile * (policy.depth + 1) + (entries + policy.group_size + 64) * flags) *
             bytes_of(shape.sum) +
         begun + 64;
}

// On an H200, GB/s read and written (copy 4275, 4262 for 64 bits), 2^30 values of 32 bits: 384
// threads with 5 vectors 3931 (4 vectors 3868), 512 with 4 3843, 1024 with 4 3888, a tile that
// waits one turn 3640. 64 bits, 2^28 values: 512 with 2 3521, 256 with 4 3106. 32 bits into 64: 256
// with 4 2798, 512 with 2 2736. Smaller ones follow for devices with less local memory.
ScanPolicy large_tiles(const Traits&, ScanShape shape) {
  if (bytes_of(shape.sum) == 4) return {384, 5, 2, 2};
  return bytes_of(shape.value) == 8 ? ScanPolicy{512, 2, 2, 2} : ScanPolicy{256, 4, 2, 2};
}
// 224 and 192 threads: of 48 KiB of local memory, and whole sub-groups of 32 (docs/lab/scan.md).
ScanPolicy medium_tiles(const Traits& traits, ScanShape shape) {
  if (traits.subgroup_size == 32)
    return bytes_of(shape.sum) == 4 ? ScanPolicy{224, 4, 2, 4} : ScanPolicy{192, 2, 2, 4};
  return bytes_of(shape.sum) == 4 ? ScanPolicy{256, 4, 1, 4} : ScanPolicy{256, 2, 1, 4};
}
ScanPolicy small_tiles(const Traits&, ScanShape shape) {
  return bytes_of(shape.sum) == 4 ? ScanPolicy{128, 4, 1, 4} : ScanPolicy{128, 2, 1, 4};
}
ScanPolicy smallest_tiles(const Traits& traits, ScanShape) {
  return {std::min(32u, traits.max_group_size), 1, 1, 1};
}
ScanPolicy by_chunks(const Traits&, ScanShape) { return {}; }

Fit fits_tiles_of(const Traits& traits, ScanShape shape, const ScanPolicy& policy) {
  return both(kernel::fits_groups(traits),
              both(kernel::fits_group_size(traits, policy.group_size),
                   kernel::fits_local_memory(traits, tiles_bytes(policy, shape))));
}
template <ScanPolicy (*policy)(const Traits&, ScanShape)>
Fit fits_by(const Traits& traits, ScanShape shape) {
  return fits_tiles_of(traits, shape, policy(traits, shape));
}

constexpr ScanVariant rows_of_scan[] = {
    {"scan_chunks", true,
     [](const Traits& traits, ScanShape) { return kernel::fits_single_threads(traits); },
     by_chunks},
    {"scan_tiles_large", false, fits_by<large_tiles>, large_tiles},
    {"scan_tiles_medium", false, fits_by<medium_tiles>, medium_tiles},
    {"scan_tiles_small", false, fits_by<small_tiles>, small_tiles},
    {"scan_tiles_least", false,
     [](const Traits& traits, ScanShape) { return kernel::fits_groups(traits); }, smallest_tiles}};

PolicyNumbers scan_numbers(const ScanVariant& variant, ScanShape shape, const ScanPolicy& policy) {
  PolicyNumbers numbers;
  if (variant.is_by_chunks)
    numbers = {{"chunk_values", policy.chunk_values, {1 << 12, 1 << 14, 1 << 16, 1 << 18}},
               {"chunks_per_compute_unit", policy.chunks_per_compute_unit, {1, 2, 4, 8, 16}}};
  else
    numbers = {{"group_size", policy.group_size, {128, 192, 224, 256, 384, 512, 768, 1024}},
               {"vectors", policy.vectors, {1, 2, 3, 4, 5, 6}},
               {"depth", policy.depth, {1, 2, 3}},
               {"groups_per_multiprocessor", policy.groups_per_multiprocessor, {1, 2, 3, 4}}};
  numbers.push_back({"value_bytes", bytes_of(shape.value)});
  numbers.push_back({"sum_bytes", bytes_of(shape.sum)});
  numbers.push_back({"is_segmented", shape.is_segmented ? 1u : 0u});
  return numbers;
}

ScanPolicy scan_with_numbers(ScanPolicy policy, const PolicyNumbers& numbers) {
  const auto set = [&](std::uint32_t& value, std::string_view name) {
    value = kernel::number_of(numbers, name, value);
  };
  set(policy.group_size, "group_size");
  set(policy.vectors, "vectors");
  set(policy.depth, "depth");
  set(policy.groups_per_multiprocessor, "groups_per_multiprocessor");
  set(policy.chunk_values, "chunk_values");
  set(policy.chunks_per_compute_unit, "chunks_per_compute_unit");
  return policy;
}

bool fits_scan_policy(const ScanVariant& variant, const Traits& traits, ScanShape shape,
                      const ScanPolicy& policy) {
  constexpr std::uint32_t max_threads_of_multiprocessor = 2048;
  if (variant.is_by_chunks) return policy.chunk_values > 0 && policy.chunks_per_compute_unit > 0;
  return policy.group_size > 0 && policy.vectors > 0 && policy.depth > 0 &&
         policy.groups_per_multiprocessor > 0 &&
         std::uint64_t{policy.group_size} * policy.groups_per_multiprocessor <=
             max_threads_of_multiprocessor &&
         fits_tiles_of(traits, shape, policy);
}

std::vector<kernel::VariantCase> view_of_scans(const Traits& traits) {
  struct TypicalScan {
    const char* use;
    ScanShape shape;
  };
  constexpr TypicalScan typical[] = {
      {"32 bits", {Number::u32, Number::u32}},
      {"32 bits as 64", {Number::u32, Number::u64}},
      {"64 bits", {Number::u64, Number::u64}},
      {"64 bits in segments", {Number::u64, Number::u64, false, true}}};
  std::vector<kernel::VariantCase> cases;
  for (const TypicalScan& scan : typical) {
    kernel::VariantCase each{scan_family, scan.use, {}};
    for (const ScanVariant& variant : rows_of_scan) {
      kernel::VariantRow row{std::string(variant.name), variant.fits(traits, scan.shape)};
      if (row.fit)
        row.policy = scan_numbers(variant, scan.shape, policy_of(variant, traits, scan.shape));
      each.rows.push_back(std::move(row));
    }
    cases.push_back(std::move(each));
  }
  return cases;
}
const kernel::VariantTable table_of_scans(view_of_scans);

}  // namespace

std::span<const ScanVariant> scan_variants() { return rows_of_scan; }

Result<const ScanVariant*> choose_scan(const Traits& traits, ScanShape shape,
                                       std::string_view asked) {
  return choose_variant(std::span<const ScanVariant>(rows_of_scan), scan_family, traits, shape,
                        asked);
}

ScanPolicy policy_of(const ScanVariant& variant, const Traits& traits, ScanShape shape) {
  const ScanPolicy standard = variant.policy(traits, shape);
  const PolicyNumbers numbers = scan_numbers(variant, shape, standard);
  return scan_with_numbers(
      standard, kernel::policy_in_force(
                    traits, scan_family, variant.name, numbers, [&](const PolicyNumbers& other) {
                      return fits_scan_policy(variant, traits, shape,
                                              scan_with_numbers(standard, other));
                    }));
}

}  // namespace penstock::primitive
