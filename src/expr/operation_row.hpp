// The table of operations: all that is particular to one of them, as far as its kind does not say
// it.
#pragma once
#include <cstdint>
#include <string_view>

#include "expr/value.hpp"
#include "penstock/expression.hpp"

namespace penstock::expr {

// The kind of an operation: it tells the types, and the code that checks, computes and prints it.
enum class OperationKind : unsigned char {
  arithmetic,  // of two numbers or dates
  sign,        // of one number
  bits,        // of two integers
  shift,
  complement,
  comparison,
  connective,
  negation,
  null_test,
  selection,
  list,  // of two or more values of one type
  cast,
  function,  // of a float
  rounding,  // of a float or a decimal
  power,
  date_part,
  date_start,  // of what a timestamp lies in
  epoch,
  requirement,
  half,  // of 128 bits
  leaf,
  custom
};

// The same function of both float types.
template <class F, class N> struct FloatFunctions {
  F of_f64 = nullptr;
  N of_f32 = nullptr;
};
using UnaryFloat = FloatFunctions<double (*)(double), float (*)(float)>;
using BinaryFloat = FloatFunctions<double (*)(double, double), float (*)(float, float)>;

struct OperationRow {
  Op op = Op::column;
  std::string_view name = {};  // in plans
  // SQL's spelling between two inputs ("+", "AND"); "" for what prints as a function.
  std::string_view symbol = {};
  std::string_view verb = {};  // of messages: "cannot add ..."
  OperationKind kind = OperationKind::leaf;
  // On the host, as far as the kind does not compute it.
  UnaryFloat of_float = {};
  BinaryFloat of_floats = {};
  EvaluatedScalar (*of_integers)(Type type, Int128 a, Int128 b) = nullptr;
  Int128 (*of_decimal)(Int128 count, Int128 unit) = nullptr;
  std::int64_t (*of_date)(std::int64_t days, std::int64_t microseconds) = nullptr;
  // The length of what a start within a day begins. For longer ones of_date gives the first day.
  std::int64_t step_microseconds = 0;
  // In Kernel C, for floats: an operator, or X of MATH_X_F32 and MATH_X_F64
  // (kernel/common.prelude).
  std::string_view float_word = {};
  // For integers: an operator of bits, or a function of operations.kc without the type that ends
  // its name. For decimals: a function of count and unit. For dates: an expression of DAYS or TIME.
  std::string_view integer_word = {};
  bool is_approximate = false;  // devices may round it differently
};

const OperationRow& row_of(Op op);

}  // namespace penstock::expr
