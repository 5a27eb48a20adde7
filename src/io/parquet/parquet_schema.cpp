#include <algorithm>

#include <parquet/schema.h>
#include <parquet/types.h>

#include "io/parquet/parquet_file.hpp"

namespace penstock::io {
namespace {

using parquet::LogicalType;
using Physical = parquet::Type;

struct Mapping {
  Type type;
  Conversion conversion = Conversion::none;
};

std::optional<Mapping> integer(const LogicalType& logical, Physical::type physical) {
  const auto& of = static_cast<const parquet::IntLogicalType&>(logical);
  const bool is_signed = of.is_signed();
  if (of.bit_width() == 64) {
    if (physical != Physical::INT64) return std::nullopt;
    return Mapping{{is_signed ? Kind::int64 : Kind::uint64}};
  }
  if (physical != Physical::INT32) return std::nullopt;
  switch (of.bit_width()) {
    case 8: return Mapping{{is_signed ? Kind::int8 : Kind::uint8}, Conversion::narrow};
    case 16: return Mapping{{is_signed ? Kind::int16 : Kind::uint16}, Conversion::narrow};
    case 32: return Mapping{{is_signed ? Kind::int32 : Kind::uint32}};
    default: return std::nullopt;
  }
}

std::optional<Mapping> decimal(const LogicalType& logical, Physical::type physical) {
  const auto& of = static_cast<const parquet::DecimalLogicalType&>(logical);
  const bool is_wide = of.precision() > 18;
  if (of.precision() < 1 || of.precision() > 38 || of.scale() < 0 || of.scale() > of.precision())
    return std::nullopt;
  const Type type = Type::decimal(of.precision(), of.scale());
  if (is_wide && (physical == Physical::INT32 || physical == Physical::INT64)) return std::nullopt;
  switch (physical) {
    case Physical::INT32: return Mapping{type, Conversion::widen};
    case Physical::INT64: return Mapping{type};
    case Physical::FIXED_LEN_BYTE_ARRAY: return Mapping{type, Conversion::big_endian_fixed};
    case Physical::BYTE_ARRAY: return Mapping{type, Conversion::big_endian};
    default: return std::nullopt;
  }
}

Type moment(penstock::LogicalType logical) { return {.kind = Kind::timestamp, .logical = logical}; }
Type bytes_of(penstock::LogicalType logical) { return {.kind = Kind::string, .logical = logical}; }

std::optional<Mapping> timestamp(const LogicalType& logical, Physical::type physical) {
  const auto& of = static_cast<const parquet::TimestampLogicalType&>(logical);
  if (physical != Physical::INT64) return std::nullopt;
  // An instant is another type than a date and time without zone. The older annotation did not say
  // which it meant; DuckDB reads it as without zone, and so do we.
  const bool is_instant = of.is_adjusted_to_utc() && !of.is_from_converted_type();
  const Type type =
      moment(is_instant ? penstock::LogicalType::timestamp_tz : penstock::LogicalType::none);
  switch (of.time_unit()) {
    case LogicalType::TimeUnit::MILLIS: return Mapping{type, Conversion::milliseconds};
    case LogicalType::TimeUnit::MICROS: return Mapping{type};
    case LogicalType::TimeUnit::NANOS: return Mapping{type, Conversion::nanoseconds};
    default: return std::nullopt;
  }
}

std::optional<Mapping> time(const LogicalType& logical, Physical::type physical) {
  const Type type = moment(penstock::LogicalType::time);
  const auto unit = static_cast<const parquet::TimeLogicalType&>(logical).time_unit();
  if (unit == LogicalType::TimeUnit::MILLIS)
    return physical == Physical::INT32 ? std::optional(Mapping{type, Conversion::time_milliseconds})
                                       : std::nullopt;
  if (physical != Physical::INT64) return std::nullopt;
  return unit == LogicalType::TimeUnit::MICROS ? std::optional(Mapping{type})
         : unit == LogicalType::TimeUnit::NANOS
             ? std::optional(Mapping{type, Conversion::nanoseconds})
             : std::nullopt;
}

std::optional<Mapping> plain(Physical::type physical) {
  switch (physical) {
    case Physical::BOOLEAN: return Mapping{{Kind::boolean}, Conversion::boolean};
    case Physical::INT32: return Mapping{{Kind::int32}};
    case Physical::INT64: return Mapping{{Kind::int64}};
    case Physical::INT96: return Mapping{{Kind::timestamp}, Conversion::int96};
    case Physical::FLOAT: return Mapping{{Kind::float32}};
    case Physical::DOUBLE: return Mapping{{Kind::float64}};
    case Physical::BYTE_ARRAY:
      return Mapping{bytes_of(penstock::LogicalType::blob), Conversion::string};
    case Physical::FIXED_LEN_BYTE_ARRAY:
      return Mapping{bytes_of(penstock::LogicalType::blob), Conversion::fixed_bytes};
    default: return std::nullopt;
  }
}

std::optional<Mapping> mapping_of(const LogicalType& logical, Physical::type physical) {
  switch (logical.type()) {
    case LogicalType::Type::NONE: return plain(physical);
    case LogicalType::Type::INT: return integer(logical, physical);
    case LogicalType::Type::DECIMAL: return decimal(logical, physical);
    case LogicalType::Type::TIMESTAMP: return timestamp(logical, physical);
    case LogicalType::Type::TIME: return time(logical, physical);
    case LogicalType::Type::UUID:
      if (physical != Physical::FIXED_LEN_BYTE_ARRAY) return std::nullopt;
      return Mapping{bytes_of(penstock::LogicalType::uuid), Conversion::fixed_bytes};
    case LogicalType::Type::INTERVAL:
      if (physical != Physical::FIXED_LEN_BYTE_ARRAY) return std::nullopt;
      return Mapping{bytes_of(penstock::LogicalType::interval), Conversion::months_days};
    case LogicalType::Type::BSON:
      return Mapping{bytes_of(penstock::LogicalType::blob), Conversion::string};
    case LogicalType::Type::DATE:
      if (physical != Physical::INT32) return std::nullopt;
      return Mapping{{Kind::date32}};
    case LogicalType::Type::STRING:
    case LogicalType::Type::ENUM:
    case LogicalType::Type::JSON:
      if (physical != Physical::BYTE_ARRAY) return std::nullopt;
      return Mapping{{Kind::string}, Conversion::string};
    default: return std::nullopt;
  }
}

// SQL's name of a type that is not read.
std::string name_of_type(const LogicalType& logical, Physical::type physical) {
  if (logical.is_decimal()) {
    const auto& decimal = static_cast<const parquet::DecimalLogicalType&>(logical);
    return "DECIMAL(" + std::to_string(decimal.precision()) + "," +
           std::to_string(decimal.scale()) + ")";
  }
  return logical.is_none() ? parquet::TypeToString(physical) : logical.ToString();
}

// A time whose zone is UTC is DuckDB's TIME WITH TIME ZONE. Arrow has no such type, and before its
// release 21 wrote every TIME so.
bool is_zoned_time(const LogicalType& logical, bool is_by_arrow) {
  return logical.is_time() && !is_by_arrow &&
         static_cast<const parquet::TimeLogicalType&>(logical).is_adjusted_to_utc();
}

}  // namespace

std::string refused_annotation(const parquet::schema::Node& node, bool is_by_arrow) {
  const LogicalType& logical = *node.logical_type();
  if (is_zoned_time(logical, is_by_arrow)) return "TIME WITH TIME ZONE";
  if (!node.is_group()) return "";
  if (logical.ToString().starts_with("Variant")) return "VARIANT";  // older Arrow has no is_variant
  const auto& group = static_cast<const parquet::schema::GroupNode&>(node);
  for (int i = 0; i < group.field_count(); i++)
    if (std::string found = refused_annotation(*group.field(i), is_by_arrow); !found.empty())
      return found;
  return "";
}

ParquetColumn column_of(const parquet::schema::Node& node) {
  ParquetColumn column;
  column.field.name = node.name();
  column.field.nullable = !node.is_required();
  column.is_optional = node.is_optional();
  if (node.is_group() || node.is_repeated()) {
    column.conversion = Conversion::nested;  // ParquetFile finds the type
    return column;
  }
  const auto& leaf = static_cast<const parquet::schema::PrimitiveNode&>(node);
  const auto mapping = mapping_of(*leaf.logical_type(), leaf.physical_type());
  if (!mapping) {
    column.field.unsupported = name_of_type(*leaf.logical_type(), leaf.physical_type());
    return column;
  }
  column.field.type = mapping->type;
  column.conversion = mapping->conversion;
  return column;
}

}  // namespace penstock::io
