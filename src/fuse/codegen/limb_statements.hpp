// Statements of an accumulator in limbs, to which threads add atomically. A row of
// accumulator_rows.cpp names the function that makes its statements.
#pragma once
#include <string>

#include "fuse/program/accumulator_row.hpp"

namespace penstock::plan {

// The names that an accumulator's statements read.
struct LimbOperands {
  const Accumulator& a;
  std::string count, first;  // its limbs, and the number of the first one in a slot
  // That limb in local memory, in wide ones, in wide ones to which they move, in registers; and its
  // word in a narrow slot.
  std::string at, wide_at, wide_to, limbs, narrow_at;
  std::string mine, lowest, value;  // in registers; the lowest bit of a float; a row's value
  bool is_only_seen = false;        // a count that only says whether there is a value
};

// Add a row's value to limbs at `at`; add limbs at `at` to those in registers at `limbs`; move
// these to the wide ones at `to`; read the accumulator from them. The first two again, of wide
// limbs.
struct LimbStatements {
  std::string add, take, move, collect, add_wide, take_wide;
  std::string add_narrow;  // to the word at `at`, and to wide limbs at `to` what it does not hold
};

LimbStatements count_in_limbs(const LimbOperands& o);
LimbStatements sum_in_limbs(const LimbOperands& o);
LimbStatements wide_sum_in_limbs(const LimbOperands& o);
LimbStatements rounded_sum_in_limbs(const LimbOperands& o);
LimbStatements extreme_in_limbs(const LimbOperands& o);

}  // namespace penstock::plan
