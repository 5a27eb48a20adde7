#include "sql/duckdb/plan_json.hpp"

#include <limits>

#include "column/nested/packed_bytes.hpp"
#include "expr/intervals.hpp"
#include "expr/nested_casts.hpp"
#include "expr/nested_values.hpp"

namespace penstock::sql {
namespace {

struct NamedKind {
  std::string_view name;
  Kind kind;
  LogicalType logical = LogicalType::none;
};
constexpr NamedKind kinds[] = {
    {"BOOLEAN", Kind::boolean},
    {"TINYINT", Kind::int8},
    {"SMALLINT", Kind::int16},
    {"INTEGER", Kind::int32},
    {"BIGINT", Kind::int64},
    {"UTINYINT", Kind::uint8},
    {"USMALLINT", Kind::uint16},
    {"UINTEGER", Kind::uint32},
    {"UBIGINT", Kind::uint64},
    {"FLOAT", Kind::float32},
    {"DOUBLE", Kind::float64},
    {"DATE", Kind::date32},
    {"TIMESTAMP", Kind::timestamp},
    {"VARCHAR", Kind::string},
    {"HUGEINT", Kind::int128},
    {"TIME", Kind::timestamp, LogicalType::time},
    {"TIMESTAMP WITH TIME ZONE", Kind::timestamp, LogicalType::timestamp_tz},
    {"BLOB", Kind::string, LogicalType::blob},
    {"UUID", Kind::string, LogicalType::uuid},
    {"INTERVAL", Kind::string, LogicalType::interval}};

// Types within types are read to this depth.
constexpr int max_depth = 32;

std::optional<Type> type_at(const Tree& type, int depth);

std::optional<Type> struct_type(const Tree& fields, int depth) {
  std::vector<std::string> names;
  std::vector<Type> types;
  for (std::size_t i = 0; i < fields.size(); i++) {
    const std::optional<Type> type = type_at(fields.at(i)["second"], depth + 1);
    if (!type) return std::nullopt;
    names.emplace_back(fields.at(i)["first"].text());
    types.push_back(*type);
  }
  return types.empty() ? std::nullopt
                       : std::optional(struct_of(std::move(names), std::move(types)));
}

// A map is a list of structs of a key and a value.
std::optional<Type> nested_type(std::string_view id, const Tree& info, int depth) {
  if (depth > max_depth) return std::nullopt;
  if (id == "STRUCT" || id == "TUPLE") return struct_type(info["child_types"], depth);
  const std::optional<Type> child = type_at(info["child_type"], depth + 1);
  if (!child) return std::nullopt;
  if (id == "LIST" || id == "ARRAY") return list_of(*child);
  const bool is_entry =
      child->logical == LogicalType::structure && child->nested->types.size() == 2;
  return is_entry ? std::optional(map_of(child->nested->types[0], child->nested->types[1]))
                  : std::nullopt;
}

std::optional<Type> type_at(const Tree& type, int depth) {
  const std::string_view id = type["id"].text();
  if (id == "DECIMAL")
    return Type::decimal(static_cast<int>(type["type_info"]["width"].integer()),
                         static_cast<int>(type["type_info"]["scale"].integer()));
  if (id == "LIST" || id == "ARRAY" || id == "STRUCT" || id == "TUPLE" || id == "MAP")
    return nested_type(id, type["type_info"], depth);
  // Elements of no type, as of an empty list.
  if (depth > 0 && (id == "NULL" || id == "SQLNULL")) return Type{Kind::int32};
  for (const NamedKind& row : kinds)
    if (row.name == id) return Type{.kind = row.kind, .logical = row.logical};
  return std::nullopt;
}

// A number of more than 64 bits is written in two halves.
Int128 integer_of(const Tree& value) {
  if (!value["lower"])
    return value.is_unsigned() ? Int128(value.unsigned_integer()) : Int128(value.integer());
  return Int128(value["upper"].integer()) * (Int128(1) << 64) +
         Int128(value["lower"].unsigned_integer());
}

std::optional<Scalar> interval_of(const Tree& value) {
  const auto interval = expr::interval_of_parts(value["months"].integer(), value["days"].integer(),
                                                value["micros"].integer());
  return interval ? std::optional(expr::interval_scalar(*interval)) : std::nullopt;
}

// Numbers that JSON has no word for are texts.
double real_of(const Tree& value) {
  const std::string_view text = value.text();
  if (text.empty()) return value.real();
  if (lower(text).ends_with("nan")) return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -infinity : infinity;
}

// A UUID is a number, of which the top bit is inverted.
Scalar uuid_of(Type type, const Tree& value) {
  std::string packed;
  column::put_integer(packed, Type{Kind::int128}, integer_of(value));
  return Scalar::of(type, std::move(packed));
}

std::optional<Scalar> constant_at(Type type, const Tree& constant);

// The parts of a list, a struct or a map stand as children, without their types.
std::optional<Scalar> nested_constant(Type type, const Tree& children) {
  const bool is_struct = expr::is_struct(type);
  expr::Scalars parts;
  for (std::size_t i = 0; i < children.size(); i++) {
    if (is_struct && i >= type.nested->types.size()) return std::nullopt;
    const Type part = is_struct ? type.nested->types[i] : column::element_of(type);
    auto value = constant_at(part, children.at(i));
    if (!value) return std::nullopt;
    parts.push_back(*std::move(value));
  }
  if (is_struct && parts.size() != type.nested->types.size()) return std::nullopt;
  return is_struct ? expr::struct_of_parts(type, parts) : expr::list_of_parts(type, parts);
}

std::optional<Scalar> constant_at(Type type, const Tree& constant) {
  const Tree value = constant["value"];
  if (constant["is_null"].boolean() || !value) return Scalar::null_of(type);
  if (is_nested(type)) return nested_constant(type, value["children"]);
  switch (type.logical) {
    case LogicalType::blob: return expr::parse_value(type, value.text());
    case LogicalType::uuid: return uuid_of(type, value);
    case LogicalType::interval: return interval_of(value);
    default: break;
  }
  if (type.kind == Kind::string) return Scalar::of(std::string(value.text()));
  if (is_float(type)) return Scalar::of(type, real_of(value));
  if (type.kind == Kind::boolean) return Scalar::of(value.boolean());
  return Scalar::of(type, integer_of(value));
}

}  // namespace

std::string_view function_name(const Tree& expression) {
  const Tree path = expression["qname"]["path"];
  return path.size() > 0 ? path.at(path.size() - 1).text() : expression["name"].text();
}

std::optional<Type> type_of_json(const Tree& type) { return type_at(type, 0); }

std::string type_name(const Tree& type) {
  const std::optional<Type> known = type_of_json(type);
  return known ? name_of(*known) : std::string(type["id"].text());
}

std::optional<Type> stated_type(const Tree& expression) {
  return type_of_json(expression["return_type"]);
}

std::optional<Scalar> value_of_json(const Tree& value) {
  const std::optional<Type> type = type_of_json(value["type"]);
  return type ? constant_at(*type, value) : std::nullopt;
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

std::optional<std::string> separator_of(const Tree& call) {
  const std::vector<Tree> inputs = inputs_of(call);
  const Tree fact = call["function_data"]["separator"];
  if (inputs.size() < 2) return fact ? std::string(fact.text()) : std::string(",");
  const std::optional<Scalar> separator = value_of_json(inputs[1]["value"]);
  if (!separator || separator->is_null) return std::nullopt;
  return separator->text;
}

}  // namespace penstock::sql
