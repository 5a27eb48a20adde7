// The lists of rows that make the table of string functions, and what their functions share.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/string_functions.hpp"

namespace penstock::expr {

std::vector<StringFunction> basic_string_rows();
std::vector<StringFunction> pattern_rows();
std::vector<StringFunction> string_change_rows();
std::vector<StringFunction> number_rows();
std::vector<StringFunction> date_rows();
std::vector<StringFunction> interval_rows();
std::vector<StringFunction> zone_rows();      // instants in a zone, and times
std::vector<StringFunction> distance_rows();  // how far two strings are apart
std::vector<StringFunction> text_rows();      // digests, encodings, formats
std::vector<StringFunction> blob_rows();

namespace string_rows {

using Inputs = std::span<const Scalar>;
constexpr Type string_type{Kind::string};

// A row whose inputs all have to be given.
inline StringFunction function_row(std::string_view name, std::vector<std::string_view> sql_names,
                                   std::vector<Type> inputs, Type result, std::string_view doc,
                                   Scalar (*host)(Inputs)) {
  return {.name = name,
          .sql_names = std::move(sql_names),
          .inputs = inputs,
          .required_inputs = inputs.size(),
          .result = result,
          .doc = doc,
          .host = host};
}

inline Scalar truth(bool value) { return Scalar::of(Type{Kind::boolean}, Int128{value}); }
inline Scalar number(std::int64_t value) { return Scalar::of(Type{Kind::int64}, Int128{value}); }
inline Scalar string(std::string_view value) { return Scalar::of(std::string(value)); }
inline Scalar real(double value) { return Scalar::of(Type{Kind::float64}, value); }
inline std::int64_t integer(const Scalar& value) {
  return static_cast<std::int64_t>(value.integer);
}

}  // namespace string_rows
}  // namespace penstock::expr
