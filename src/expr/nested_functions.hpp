// Functions of lists, structs and maps. The type of a result depends on the types of the inputs, so
// that a row of the table has a function that finds it.
//
// The host computes them: of one column and constants once for each distinct value, else row by
// row, as it does functions of strings. To add one, add a row to a list of nested_rows.hpp.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/expression.hpp"

namespace penstock::expr {

// A call as it is bound: the types of its inputs, the values of those that are constant (else
// null), and the type of the result where a planner has stated one.
struct NestedCall {
  std::span<const Type> types;
  std::span<const Scalar* const> constants;
  std::optional<Type> stated;
};

// The types that inputs are cast to, and that of the result.
struct NestedSignature {
  std::vector<Type> inputs;
  Type result;
};

struct NestedFunction {
  std::vector<std::string_view> sql_names;
  // Returns nothing where the function does not take such inputs.
  std::optional<NestedSignature> (*signature)(const NestedCall& call) = nullptr;
  Scalar (*host)(std::span<const Scalar> inputs, Type result) = nullptr;
  bool takes_nulls = false;  // otherwise the result of a NULL is NULL
  bool yields_null = false;  // also of other inputs
  // The result of inputs for which the host returns NULL is this error.
  std::string_view fault = {};
};
const std::vector<NestedFunction>& nested_functions();

// Returns whether a row has this name.
bool is_nested_function(std::string_view sql_name);
// Calls the function of that name; nullopt if none takes inputs of these types. A NULL that is a
// literal takes any type.
Result<std::optional<NodeId>> call_nested(Builder& builder, std::string_view sql_name,
                                          std::vector<NodeId> inputs, std::optional<Type> stated);

using NestedHost = std::function<Scalar(std::span<const Scalar>)>;
// A function that is made once for its name and types, so that equal calls are one node.
std::shared_ptr<const CustomFunction> nested_custom(const std::string& name,
                                                    const NestedSignature& signature,
                                                    NestedHost host);
// A function and how it is called; see NestedFunction.
struct NestedCallee {
  static constexpr std::size_t none = ~std::size_t{0};
  std::string name = {};
  NestedSignature signature = {};
  std::size_t boxed_from = none;  // inputs from this one on come to the host with their NULLs
  bool yields_null = false;
  std::string_view fault = {};
  NestedHost host = {};
  bool is_shared = true;  // made once for its name and types
};
Result<NodeId> call_host(Builder& builder, const NestedCallee& callee, std::vector<NodeId> inputs);

// Puts a value of any type, NULL too, into a struct of one field, which is never NULL.
Result<NodeId> boxed(Builder& builder, NodeId input);
// Returns the bytes of a value, NULL too, as it stands within a list, as a VARCHAR that is not
// NULL; and the list of such bytes, one value behind another.
Result<NodeId> list_part(Builder& builder, NodeId input);
Result<NodeId> list_of_joined_parts(Builder& builder, NodeId parts, Type list);

}  // namespace penstock::expr
