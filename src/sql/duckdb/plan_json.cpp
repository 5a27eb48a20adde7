#include "sql/duckdb/plan_json.hpp"

#include <limits>

namespace penstock::sql {
namespace {

struct NamedKind {
  std::string_view name;
  Kind kind;
};
constexpr NamedKind kinds[] = {
    {"BOOLEAN", Kind::boolean},     {"TINYINT", Kind::int8},    {"SMALLINT", Kind::int16},
    {"INTEGER", Kind::int32},       {"BIGINT", Kind::int64},    {"UTINYINT", Kind::uint8},
    {"USMALLINT", Kind::uint16},    {"UINTEGER", Kind::uint32}, {"UBIGINT", Kind::uint64},
    {"FLOAT", Kind::float32},       {"DOUBLE", Kind::float64},  {"DATE", Kind::date32},
    {"TIMESTAMP", Kind::timestamp}, {"VARCHAR", Kind::string},  {"HUGEINT", Kind::int128}};

// A number of more than 64 bits is written in two halves.
Int128 integer_of(const Tree& value) {
  if (!value["lower"])
    return value.is_unsigned() ? Int128(value.unsigned_integer()) : Int128(value.integer());
  return Int128(value["upper"].integer()) * (Int128(1) << 64) +
         Int128(value["lower"].unsigned_integer());
}

// Numbers that JSON has no word for are texts.
double real_of(const Tree& value) {
  const std::string_view text = value.text();
  if (text.empty()) return value.real();
  if (lower(text).ends_with("nan")) return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -infinity : infinity;
}

}  // namespace

std::string_view function_name(const Tree& expression) {
  const Tree path = expression["qname"]["path"];
  return path.size() > 0 ? path.at(path.size() - 1).text() : expression["name"].text();
}

std::optional<Type> type_of_json(const Tree& type) {
  const std::string_view id = type["id"].text();
  if (id == "DECIMAL")
    return Type::decimal(static_cast<int>(type["type_info"]["width"].integer()),
                         static_cast<int>(type["type_info"]["scale"].integer()));
  for (const NamedKind& row : kinds)
    if (row.name == id) return Type{row.kind};
  return std::nullopt;
}

std::string type_name(const Tree& type) {
  const std::optional<Type> known = type_of_json(type);
  return known ? name_of(*known) : std::string(type["id"].text());
}

std::optional<Type> stated_type(const Tree& expression) {
  return type_of_json(expression["return_type"]);
}

std::optional<Scalar> value_of_json(const Tree& value) {
  const std::optional<Type> type = type_of_json(value["type"]);
  if (!type) return std::nullopt;
  if (value["is_null"].boolean() || !value["value"]) return Scalar::null_of(*type);
  if (type->kind == Kind::string) return Scalar::of(std::string(value["value"].text()));
  if (is_float(*type)) return Scalar::of(*type, real_of(value["value"]));
  if (type->kind == Kind::boolean) return Scalar::of(value["value"].boolean());
  return Scalar::of(*type, integer_of(value["value"]));
}

std::int64_t place_of(const Tree& expression) {
  const Tree place = expression["query_location"];
  const bool is_known = place && place.unsigned_integer() < std::uint64_t{1} << 32;
  return is_known ? place.integer() : -1;
}

bool is_cast(const Tree& expression) { return expression["type"].text() == "OPERATOR_CAST"; }

bool is_try_cast(const Tree& expression) {
  return expression["try_cast"].boolean() || expression["function_data"]["try_cast"].boolean();
}

std::vector<Tree> inputs_of(const Tree& expression) {
  std::vector<Tree> inputs;
  for (const char* const field : {"child", "left", "right", "input", "lower", "upper"})
    if (expression[field] && expression[field]["expression_class"])
      inputs.push_back(expression[field]);
  const Tree children = expression["children"];
  for (std::size_t i = 0; i < children.size(); i++) inputs.push_back(children.at(i));
  return inputs;
}

}  // namespace penstock::sql
