// Prints each kind of operation, and the fragments that they share; emit_operation.cpp chooses
// among them.
#pragma once
#include <initializer_list>
#include <span>
#include <string>

#include "expr/emit.hpp"
#include "expr/emit_operation.hpp"
#include "expr/operation.hpp"

namespace penstock::expr {

// "function(a, b)"
std::string call(const std::string& function, std::initializer_list<std::string> arguments);
// An integer constant in a C type of ours.
std::string constant(Int128 value, const std::string& type);
inline std::string power_constant(int exponent) { return constant(power_of_ten(exponent), "i64"); }
// "(v3 < low || v3 > high)", only with the halves that values of `range` can meet; empty if none.
std::string outside(const std::string& value, const std::string& type, Range range, Range allowed);
// "(v3 == 2147483647 || v3 == -2147483647)", of a date or timestamp.
std::string is_infinite(const Operand& a);
std::string all_valid(std::span<const Operand> inputs);
// Returns the end of a function's name in operations.kc: "_i32".
inline std::string suffix(Type type) { return "_" + kernel_type(type); }
inline std::string math(std::string_view function, Type type) {
  return "MATH_" + std::string(function) + (type.kind == Kind::float32 ? "_F32" : "_F64");
}

// Returns the choice of two values of a type by a condition.
std::string choice(Type type, const std::string& condition, const std::string& then,
                   const std::string& otherwise);

// emit_wide.cpp: values of 128 bits. `number` makes the names of their statements unique.
std::string wide_constant(Int128 value);
std::string widened(const Operand& a);  // an integer, boolean or decimal as 128 bits
Printed print_wide_cast(const Operand& a, Type type, unsigned number);
Result<Printed> print_wide(const Graph& graph, const Node& node, std::span<const Operand> inputs,
                           unsigned number);
// emit_comparison.cpp
std::string compare_words(Op op, const std::string& a, const std::string& b);
// By the functions less_T and equal_T, of floats and of 128 bits.
std::string compare_by_functions(Op op, Type type, const std::string& a, const std::string& b);
Result<std::string> print_comparison(Op op, const Operand& a, const Operand& b);
// emit_cast.cpp
Printed print_cast(const Operand& a, Type type);
// emit_arithmetic.cpp
Printed print_binary(const Graph& graph, const Node& node, const Operand& a, const Operand& b);
Printed print_sign(const Node& node, const Operand& a);
std::string print_bits(Op op, Type type, const std::string& a, const std::string& b);
// emit_function.cpp: of one number, of a decimal, of a date or timestamp
std::string print_math(const Node& node, const Operand& a);
Printed print_rounding(const Node& node, const Operand& a);
Printed print_date_part(Op op, const Operand& a);
Printed print_date_start(Op op, const Operand& a);
Printed print_epoch(const Operand& a);
Printed print_requirement(const Operand& a);
// emit_choice.cpp: what is not strict, as it need not look at every input. `number` makes the names
// of its statements unique.
Printed print_connective(const Node& node, const Operand& a, const Operand& b);
Printed print_select(std::span<const Operand> inputs);
Printed print_coalesce(std::span<const Operand> inputs);
Printed print_extreme(const Node& node, std::span<const Operand> inputs, unsigned number);
Printed print_is_null(const Operand& a);

}  // namespace penstock::expr
