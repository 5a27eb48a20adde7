// Functions of strings, and of numbers and dates that are no operation: one table for SQL's
// binder, the builder and the host.
//
// The host computes functions of strings, once for each distinct string where a column has a
// dictionary. They reach a kernel as a column of their results (fuse/program/derived_columns.hpp):
// a CustomFunction without a body. Functions of numbers with a body run in kernels, those without
// it row by row on the host. To add one, add a row to a list of string_rows.hpp; docs/sql.md lists
// their names.
//
// Characters are Unicode code points. lower and upper map case one code point to one, by
// utf8proc's tables, as DuckDB does. Bytes that are not UTF-8 count as characters and are kept.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "expr/string_operations.hpp"
#include "penstock/expression.hpp"

namespace penstock::expr {

struct StringFunction {
  std::string_view name;                    // in plans and messages
  std::vector<std::string_view> sql_names;  // what SQL calls it by, operators included
  std::vector<Type> inputs;
  std::size_t required_inputs = 0;  // the others may be left out
  Type result;
  std::string_view doc;  // what it returns, of the first input
  Scalar (*host)(std::span<const Scalar>) = nullptr;
  // Refuses constants. All inputs but the first are constants then; a first one that is none is
  // NULL here.
  Status (*check)(std::span<const Scalar>) = nullptr;
  std::string_view body = {};  // of numbers: Kernel C over input1, input2...; "": the host computes
  // Returns whether the function has a value of these inputs; otherwise the call is this fault, or
  // NULL where there is none. `host` is asked for inputs that do not fit as well.
  bool (*fits)(std::span<const Scalar>) = nullptr;
  std::string_view fault = {};
};
const std::vector<StringFunction>& string_functions();
// Returns the row that SQL calls by this name or operator ("lcase", "||"); null when there is none.
const StringFunction* find_string_function(std::string_view sql_name);
// Returns the row of that name which takes inputs of these types: the row with exactly these types,
// or else the first with strings where strings are given. Null when there is none.
const StringFunction* find_string_function(std::string_view sql_name, std::span<const Type> inputs);
// Returns whether a function takes a type for one of its inputs. Any number or moment is cast to
// another, text is text, and a logical type is taken as it is.
bool takes_type(Type parameter, Type given);
// "substring(VARCHAR, BIGINT[, BIGINT]) -> VARCHAR"
std::string signature_of(const StringFunction& function);

// Returns the function of a row, by its `name`, for a number of inputs; null when there is none.
std::shared_ptr<const CustomFunction> string_function(std::string_view name,
                                                      std::size_t input_count);
// Returns the function that tells whether a row's function has a value; null where it always has.
std::shared_ptr<const CustomFunction> string_function_fits(std::string_view name);
// Compares two strings by their bytes; `op` is less, less_equal, greater or greater_equal.
std::shared_ptr<const CustomFunction> string_comparison(Op op);
// Tells whether the first input equals one of the others, which are constants of any number.
std::shared_ptr<const CustomFunction> string_any_of();
// TRUE of every string: what is left of a column of which only its NULLs count.
std::shared_ptr<const CustomFunction> string_is_present();
// The place of a string among all strings of its column, in their order by bytes. It has no value
// of one string alone: scans that number a column's strings know it.
std::shared_ptr<const CustomFunction> string_rank();
Status no_string_column();  // why a call is refused
// Returns whether the roots need a function of strings that the interpreter computes row by row:
// one of anything but a column of strings, or of one such call, and constants.
bool needs_string_rows(const Graph& graph, std::span<const NodeId> roots);
inline bool is_string_function(const CustomFunction& function) { return function.body.empty(); }

}  // namespace penstock::expr
