// Types and literals of Substrait's plans.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/expression.hpp"
#include "sql/parse/syntax.hpp"
#include "sql/parse/tree.hpp"

namespace penstock::sql {

// A column of a relation, and the type that the plan states of it. A decimal may have fewer digits
// in the relation; nullopt: none is stated that expressions compute.
struct SubstraitColumn {
  std::uint32_t place = 0;
  std::optional<Type> type = {};
};

// An expression, and the type that the plan states of it.
struct TypedSyntax {
  SyntaxPtr syntax;
  std::optional<Type> type = {};
};

// Returns a number, which protobuf's JSON may have as a text.
std::int64_t number_of(const Tree& value);
double real_number_of(const Tree& value);
// "hashJoin" is "hash join".
std::string words_of(std::string_view name);

// `is_datafusion`: integers of variation 1 are unsigned.
std::optional<Type> type_of_substrait(const Tree& type, bool is_datafusion);
std::string name_of_substrait(const Tree& type);
// Returns how many digits hold all values of a numeric type.
int digits_of(Type type);
// Returns an expression without inputs.
std::shared_ptr<Syntax> new_syntax(SyntaxKind kind, std::string name);
// Returns nothing for a literal that is not supported.
std::optional<TypedSyntax> literal_of(const Tree& literal, bool is_datafusion);

}  // namespace penstock::sql
