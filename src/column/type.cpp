#include <algorithm>
#include <deque>
#include <mutex>

#include "column/keywords.hpp"
#include "penstock/column.hpp"

namespace penstock {
namespace {

struct KindTraits {
  const char* name;
  std::uint8_t width_bytes;
};
// In Kind's order; the names are DuckDB's.
constexpr KindTraits kind_traits[] = {
    {"BOOLEAN", 1},   {"TINYINT", 1},  {"SMALLINT", 2},  {"INTEGER", 4},
    {"BIGINT", 8},    {"UTINYINT", 1}, {"USMALLINT", 2}, {"UINTEGER", 4},
    {"UBIGINT", 8},   {"FLOAT", 4},    {"DOUBLE", 8},    {"DATE", 4},
    {"TIMESTAMP", 8}, {"DECIMAL", 8},  {"VARCHAR", 4},   {"HUGEINT", 16},
};
static_assert(std::size(kind_traits) == static_cast<std::size_t>(Kind::int128) + 1);

const KindTraits& traits_of(Type type) { return kind_traits[static_cast<std::size_t>(type.kind)]; }

// In LogicalType's order.
constexpr const char* logical_names[] = {
    "", "TIME", "TIMESTAMP WITH TIME ZONE", "BLOB", "UUID", "INTERVAL", "", "STRUCT", "MAP"};
static_assert(std::size(logical_names) == static_cast<std::size_t>(LogicalType::map) + 1);

// Returns the one NestedType of these parts. They are kept for ever: a process has few.
const NestedType* made_once(NestedType parts) {
  static std::mutex mutex;
  static std::deque<NestedType> all;
  const std::scoped_lock lock(mutex);
  for (const NestedType& known : all)
    if (known.names == parts.names && known.types == parts.types) return &known;
  return &all.emplace_back(std::move(parts));
}

std::string nested_name(Type type) {
  const NestedType& nested = *type.nested;
  if (type.logical == LogicalType::list) return name_of(nested.types[0]) + "[]";
  const bool has_names =
      std::ranges::any_of(nested.names, [](const std::string& name) { return !name.empty(); });
  std::string text;
  for (std::size_t i = 0; i < nested.types.size(); i++)
    text += (i == 0 ? "" : ", ") + (has_names ? column::quoted_name(nested.names[i]) + " " : "") +
            name_of(nested.types[i]);
  const std::string word = type.logical == LogicalType::map ? "MAP"
                           : has_names                      ? "STRUCT"
                                                            : "TUPLE";
  return word + "(" + text + ")";
}

Type packed(LogicalType logical, NestedType parts) {
  Type type{Kind::string};
  type.logical = logical;
  type.nested = made_once(std::move(parts));
  return type;
}

}  // namespace

Type list_of(Type element) { return packed(LogicalType::list, {{}, {element}}); }
Type struct_of(std::vector<std::string> names, std::vector<Type> types) {
  return packed(LogicalType::structure, {std::move(names), std::move(types)});
}
Type map_of(Type key, Type value) { return packed(LogicalType::map, {{}, {key, value}}); }
bool is_nested(Type type) { return type.nested != nullptr; }

std::string name_of(Type type) {
  if (is_nested(type)) return nested_name(type);
  if (type.logical != LogicalType::none)
    return logical_names[static_cast<std::size_t>(type.logical)];
  if (type.kind != Kind::decimal) return traits_of(type).name;
  return "DECIMAL(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
}

std::uint32_t width_bytes(Type type) {
  return type.kind == Kind::decimal && type.precision > 18 ? 16 : traits_of(type).width_bytes;
}

bool is_text(Type type) { return type.kind == Kind::string && type.logical == LogicalType::none; }
bool is_date_or_timestamp(Type type) {
  return type.logical == LogicalType::none &&
         (type.kind == Kind::date32 || type.kind == Kind::timestamp);
}
bool is_integer(Type type) { return type.kind >= Kind::int8 && type.kind <= Kind::uint64; }
bool is_signed(Type type) {
  return is_numeric(type) && !(type.kind >= Kind::uint8 && type.kind <= Kind::uint64);
}
bool is_float(Type type) { return type.kind == Kind::float32 || type.kind == Kind::float64; }
bool is_numeric(Type type) {
  return is_integer(type) || is_float(type) || type.kind == Kind::decimal ||
         type.kind == Kind::int128;
}

}  // namespace penstock
