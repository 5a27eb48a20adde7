// Statements of an accumulator in a thread's registers. A row of accumulator_rows.cpp names the
// function that makes its statements.
#pragma once
#include <string>

#include "fuse/program/accumulator_row.hpp"

namespace penstock::plan {

// The names that an accumulator's statements read: itself, another one of its kind, a row's value,
// and whether the row counts. `name` is that of its own functions.
struct RegisterOperands {
  std::string name, mine, other, value, keep;
};
// `add` has no branch, so that a CPU's compiler vectorises it. `add_kept`, where it is not empty,
// is for rows that count: a GPU has a condition for every instruction. `store` and `load` are made
// by the row's type and number of words.
struct RegisterStatements {
  std::string clear, add, merge, store, load, add_kept;
};

RegisterStatements count_in_registers(const Accumulator& a, const RegisterOperands& o);
RegisterStatements sum_in_registers(const Accumulator& a, const RegisterOperands& o);
RegisterStatements wide_sum_in_registers(const Accumulator& a, const RegisterOperands& o);
RegisterStatements extreme_in_registers(const Accumulator& a, const RegisterOperands& o);
// By the functions that emit_accumulators.cpp makes of a user's reduction.
RegisterStatements custom_in_registers(const Accumulator& a, const RegisterOperands& o);

}  // namespace penstock::plan
