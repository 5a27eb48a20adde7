// Lays out the limbs of a slot. emit_limbs.cpp writes the statements for them.
#include <algorithm>

#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/kernels/group_sums_limits.h"
#include "fuse/program/accumulators.hpp"

namespace penstock::plan {

bool is_wide_extreme(const Accumulator& a) {
  return is_extreme(a) && a.type.kind != Kind::boolean && a.type.kind != Kind::string &&
         width_bytes(a.type) == 8;
}

bool has_wide_extremes(const TileProgram& program) {
  return std::ranges::any_of(program.accumulators, is_wide_extreme);
}

bool has_limbs(const TileProgram& program) {
  return std::ranges::none_of(program.accumulators, [](const Accumulator& a) {
    const bool is_too_wide = is_extreme(a) && a.type.kind != Kind::boolean &&
                             (a.type.kind == Kind::string || width_bytes(a.type) > 8);
    return row_of(a).limbs == 0 || is_too_wide;
  });
}

// Floats of a dense table have a lowest bit that suits them, so that one limb less is wide enough
// for narrow ones.
std::uint32_t limb_count(const Accumulator& a, bool is_dense) {
  if (is_wide_extreme(a)) return 2;
  const std::uint32_t limbs = std::max(row_of(a).limbs, 1u);
  return is_dense && is_rounded_sum(a) && a.type.kind == Kind::float32 ? limbs - 1 : limbs;
}

// If there are words of 64 bits, each begins at an even limb, and so does each slot.
LimbLayout limb_layout(const TileProgram& program, bool is_dense) {
  LimbLayout layout;
  layout.has_own_seen = is_dense;
  std::uint32_t limb = 0;
  for (const Accumulator& a : program.accumulators) {
    if (is_wide_extreme(a)) limb += limb % 2;
    if (layout.has_own_seen && a.kind == AccumulatorKind::count && a.argument < 0) {
      layout.has_own_seen = false;
      layout.seen = limb;
    }
    layout.firsts.push_back(limb);
    limb += limb_count(a, is_dense);
  }
  if (layout.has_own_seen) layout.seen = limb++;
  layout.count = std::max(1u, has_wide_extremes(program) ? limb + limb % 2 : limb);
  return layout;
}

std::uint32_t limb_count(const TileProgram& program, bool is_dense) {
  return limb_layout(program, is_dense).count;
}

std::uint32_t seen_limb(const TileProgram& program) { return limb_layout(program, true).seen; }

std::optional<std::uint64_t> maximum_limbs(const TileProgram& program) {
  const LimbLayout layout = limb_layout(program, true);
  std::uint64_t maxima = 0;
  if (layout.count > SUMS_MAX_LIMBS) return std::nullopt;
  for (std::size_t i = 0; i < program.accumulators.size(); i++)
    for (std::uint32_t limb = 0; limb < limb_count(program.accumulators[i], true); limb++)
      if (is_extreme(program.accumulators[i]))
        maxima |= std::uint64_t{1} << (layout.firsts[i] + limb);
  return maxima;
}

}  // namespace penstock::plan
