// The work of `penstock bench portability` on every device: cases of other benches, by family.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/bench_measures.hpp"

namespace penstock::bench {

// The efficiency by which a family with a goal is judged: the share of the device's own copy, or,
// for work that no copy bounds, the share of the fastest backend on the same hardware.
enum class Efficiency : unsigned char { of_copy, of_best };

// The goals of a family: for its harmonic mean, and for every device.
constexpr double min_portability = 0.85, min_efficiency = 0.75;
struct PortableFamily {
  std::string_view name;
  Efficiency judged_by = Efficiency::of_copy;
  bool has_goal = false;
};
std::span<const PortableFamily> portable_families();

struct PortableCase {
  std::string family;
  std::string work;                 // as its bench calls it
  std::string variant_family = {};  // the table of its variants; none if there is only one
};
// Cases of one bench, which share its data and its number of rows.
struct PortableBench {
  Measure measure = nullptr;
  std::uint64_t rows_of_gpu = 0, rows_of_cpu = 0;
  std::vector<PortableCase> cases;
  std::uint64_t max_repeats = 1000;  // of long runs
};
const std::vector<PortableBench>& portable_benches();

// A step that one variant takes and another variant of the same work does not: its gain is the
// ratio of their times.
struct VariantStep {
  std::string_view what, work, without, with;
};
std::span<const VariantStep> variant_steps();

}  // namespace penstock::bench
