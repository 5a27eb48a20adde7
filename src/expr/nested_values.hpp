// Takes lists, structs and maps apart, and puts them together.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "column/nested/packed_bytes.hpp"
#include "penstock/expression.hpp"

namespace penstock::expr {

using Scalars = std::vector<Scalar>;

inline bool is_list(Type type) { return type.logical == LogicalType::list; }
inline bool is_struct(Type type) { return type.logical == LogicalType::structure; }
inline bool is_map(Type type) { return type.logical == LogicalType::map; }

// Appends a value that is not NULL as it stands within another one, and with its mark.
void put_value(std::string& to, Type type, const Scalar& value);
void put_part(std::string& to, Type type, const Scalar& value);
// Returns bytes that are equal for equal values, and in the order of the values.
std::string sort_bytes(const Scalar& value);

// Returns the elements of a list, or the entries of a map, which are structs. It is not NULL.
Scalars elements_of(const Scalar& list);
// Returns the fields of a struct. A struct that is NULL has fields that are NULL.
Scalars fields_of(const Scalar& value);
// The parts are of the type's own types, or NULL.
Scalar list_of_parts(Type list, std::span<const Scalar> parts);
Scalar struct_of_parts(Type type, std::span<const Scalar> fields);
// Returns nothing where a key is NULL or there twice.
std::optional<Scalar> map_of_parts(Type map, std::span<const Scalar> keys,
                                   std::span<const Scalar> values);
// The same of entries.
std::optional<Scalar> map_of_entries(Type map, std::span<const Scalar> entries);

}  // namespace penstock::expr
