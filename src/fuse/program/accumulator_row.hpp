// The table of accumulators: what kernels keep of values, and how host and kernels merge it. Its
// rows are in codegen/accumulator_rows.cpp.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "expr/operation.hpp"
#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

// One accumulator on the host, of all chunks. Integers have 128 bits, floats are their bits.
using Partial = Int128;

enum class Merging : unsigned char {
  adds_exactly,  // in any order
  adds_rounded,
  keeps_least,
  keeps_greatest,
  combines  // by a function of the user's
};

struct RegisterOperands;
struct RegisterStatements;
struct LimbOperands;
struct LimbStatements;

struct AccumulatorRow {
  AccumulatorKind kind = AccumulatorKind::count;
  std::string_view text;  // of its words, for who reads a kernel
  std::optional<Type> value =
      {};  // in registers, and stored in words; nullopt: the argument's type
  std::uint32_t words = 1;
  // Words of 32 bits where threads add atomically; 0: they cannot. limb_count() knows exceptions.
  std::uint32_t limbs = 0;
  Merging merging = Merging::adds_exactly;
  // Merges on the host; null where it adds integers.
  void (*merge)(const Accumulator& a, Partial& into, Partial value) = nullptr;
  // For kernels that merge tables (kernels/merge_operations.h), of extremes that of BIGINT; nullopt
  // where only the host merges.
  std::optional<std::uint32_t> merge_operation = {};
  // The emitted Kernel C: registers of a thread, and limbs that threads share.
  RegisterStatements (*in_registers)(const Accumulator& a, const RegisterOperands& o) = nullptr;
  LimbStatements (*in_limbs)(const LimbOperands& o) = nullptr;
};

// In the order of AccumulatorKind. The host asks for each value that it merges, hence inline.
extern const AccumulatorRow accumulator_rows[];
inline const AccumulatorRow& row_of(const Accumulator& a) {
  return accumulator_rows[static_cast<std::size_t>(a.kind)];
}

inline bool is_exact_sum(const Accumulator& a) {
  return row_of(a).merging == Merging::adds_exactly;
}
inline bool is_rounded_sum(const Accumulator& a) {
  return row_of(a).merging == Merging::adds_rounded;
}
inline bool is_custom(const Accumulator& a) { return row_of(a).merging == Merging::combines; }
inline bool is_maximum(const Accumulator& a) {
  return row_of(a).merging == Merging::keeps_greatest;
}
inline bool is_extreme(const Accumulator& a) {
  return row_of(a).merging == Merging::keeps_least || is_maximum(a);
}
// Returns the type of its value in registers and in words.
inline Type value_type(const Accumulator& a) { return row_of(a).value.value_or(a.type); }
inline std::uint32_t word_count(const Accumulator& a) {
  return expr::is_wide(value_type(a)) ? 2 : row_of(a).words;
}

}  // namespace penstock::plan
