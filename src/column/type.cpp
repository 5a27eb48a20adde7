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

}  // namespace

std::string name_of(Type type) {
  if (type.kind != Kind::decimal) return traits_of(type).name;
  return "DECIMAL(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
}

std::uint32_t width_bytes(Type type) {
  return type.kind == Kind::decimal && type.precision > 18 ? 16 : traits_of(type).width_bytes;
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
