// The host's half of aggregates: merges the accumulator words of groups and chunks, and reads
// results from them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/words.hpp"
#include "fuse/program/accumulator_row.hpp"

namespace penstock::plan {

void clear(const TileProgram& program, std::span<Partial> partials);
// Adds the words of a kernel's accumulators; the caller's order is the order of addition. Returns
// false where a sum overflows 128 bits.
bool merge(const TileProgram& program, std::span<Partial> into,
           std::span<const std::uint64_t> words);
bool merge(const TileProgram& program, std::span<Partial> into, std::span<const Partial> partials);
bool merge_partial(const Accumulator& a, Partial& into, Partial value);
// Adds a row: the values of the program's outputs. Extremes of strings are left to keep_string().
bool add_row(const TileProgram& program, std::span<Partial> into, std::span<const Scalar> values);
Scalar result_of(const TileProgram& program, const AggregateResult& result,
                 std::span<const Partial> partials);
// Code::overflow where a value of a shifted sum (ShiftedSum) did not fit its type.
Status check_shifted_sums(const TileProgram& program, std::span<const Partial> partials);
// Returns the average of values that an accumulator of this kind and type added up; to the last
// digit what DuckDB gives.
double average_of(const Accumulator& a, Partial sum, std::uint64_t count, bool of_rounded_sum);
// Returns whether it divides doubles, else floats of 64 bits and an exponent.
bool divides_doubles(const Accumulator& a);
Status sum_too_large();
// Merge two values of an accumulator that is no exact sum (AccumulatorRow::merge).
void merge_rounded(const Accumulator& a, Partial& into, Partial value);
void keep_least(const Accumulator& a, Partial& into, Partial value);
void keep_greatest(const Accumulator& a, Partial& into, Partial value);
void combine(const Accumulator& a, Partial& into, Partial value);
// Returns what a minimum, a maximum or a custom reduction is over no rows.
Scalar neutral_of(const Accumulator& a);
// Return how many words of 32 bits an accumulator has where threads add to it atomically
// (limb_layout.cpp), and all accumulators together, at least one. A dense table (dense_ranges.hpp)
// also has a limb that says whether a slot has a row.
std::uint32_t limb_count(const Accumulator& a, bool is_dense);
std::uint32_t limb_count(const TileProgram& program, bool is_dense);
// Returns the words of a slot of a narrow dense table (kernels/limbs_narrow.kc), and whether each
// sum can be one.
std::uint32_t narrow_words(const TileProgram& program);
bool has_narrow_sums(const TileProgram& program);
std::uint32_t seen_limb(const TileProgram& program);  // that one, of a dense table
// Returns a bit for each limb of a dense table that is a maximum; nullopt of more than 64 limbs.
std::optional<std::uint64_t> maximum_limbs(const TileProgram& program);
bool has_limbs(const TileProgram& program);  // whether each accumulator can be some
// Extremes of 64 bits take a device's atomics of 64 bits.
bool is_wide_extreme(const Accumulator& a);
bool has_wide_extremes(const TileProgram& program);
// Returns the limbs between copies of a table in local memory: they lie in different banks.
inline std::uint32_t copy_gap(const TileProgram& program) {
  return has_wide_extremes(program) ? 2 : 1;
}
inline bool is_string_extreme(const Accumulator& a) {
  return a.type.kind == Kind::string && is_extreme(a);
}
bool has_string_extremes(const TileProgram& program);
// Whether sums are the same in any order and by any variant.
bool adds_exactly(const TileProgram& program);
// Least and greatest strings are held by number, as a code of the pool; below 0 there is none yet.
// Keeps the string of a number where it is one, by an order of numbers: is_before(a, b).
template <class Order>
void keep_string(const TileProgram& program, std::span<Partial> into, Partial number,
                 const Order& is_before) {
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    if (!is_string_extreme(a)) continue;
    if (into[i] < 0 || (is_maximum(a) ? is_before(into[i], number) : is_before(number, into[i])))
      into[i] = number;
  }
}

}  // namespace penstock::plan
