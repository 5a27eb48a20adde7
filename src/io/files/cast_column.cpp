#include "io/files/cast_column.hpp"

#include <limits>
#include <vector>

#include "column/concatenate.hpp"
#include "expr/constant.hpp"
#include "expr/value.hpp"
#include "penstock/detail/promotion.hpp"

namespace penstock::io {
namespace {

// Rows that are cast by one, as scalars: each takes about 100 bytes.
constexpr std::uint64_t rows_at_once = 4096;

template <class To, class From> Column widened(const Column& column, Type to) {
  std::vector<To> values(column.row_count);
  const From* const from = column.values.as<From>();
  for (std::uint64_t row = 0; row < column.row_count; row++) values[row] = To(from[row]);
  Column wide = Column::from(std::move(values));
  wide.type = to;
  wide.validity = column.validity;
  return wide;
}

template <class To> std::optional<Column> widened_from(const Column& column, Type to) {
  const bool is_real = std::is_floating_point_v<To>;
  constexpr bool is_wide = sizeof(To) == 8;
  switch (column.type.kind) {
    case Kind::int8: return widened<To, std::int8_t>(column, to);
    case Kind::uint8: return widened<To, std::uint8_t>(column, to);
    case Kind::int16: return widened<To, std::int16_t>(column, to);
    case Kind::uint16: return widened<To, std::uint16_t>(column, to);
    case Kind::int32:
      return is_wide ? std::optional(widened<To, std::int32_t>(column, to)) : std::nullopt;
    case Kind::uint32:
      return is_wide ? std::optional(widened<To, std::uint32_t>(column, to)) : std::nullopt;
    case Kind::int64:
      return is_real ? std::optional(widened<To, std::int64_t>(column, to)) : std::nullopt;
    case Kind::float32:
      return is_real ? std::optional(widened<To, float>(column, to)) : std::nullopt;
    default: return std::nullopt;
  }
}

// Numbers of which every one fits: they need no check, and are as many as files have rows.
std::optional<Column> widened(const Column& column, Type to) {
  const bool is_unsigned = is_integer(column.type) && !is_signed(column.type);
  switch (to.kind) {
    case Kind::int64: return widened_from<std::int64_t>(column, to);
    case Kind::float64: return widened_from<double>(column, to);
    case Kind::int32: return widened_from<std::int32_t>(column, to);
    case Kind::uint64: return is_unsigned ? widened_from<std::uint64_t>(column, to) : std::nullopt;
    default: return std::nullopt;
  }
}

Status misfit(const Scalar& value, Type to) {
  const std::string text = text_of(value);
  const std::string shown = value.type.kind == Kind::string ? "'" + text + "'" : text;
  return {Code::invalid, "the value " + shown + " is no " + name_of(to)};
}

Result<Scalar> cast_scalar(const Scalar& value, Type to) {
  if (value.is_null) return Scalar::null_of(to);
  if (to.kind == Kind::string) return Scalar::of(text_of(value));
  if (value.type.kind == Kind::string) {
    const std::optional<Scalar> parsed = expr::parse_as(to, value.text);
    return parsed ? Result<Scalar>(*parsed) : misfit(value, to);
  }
  expr::EvaluatedScalar cast = expr::cast_value(value, to);
  return cast.fault == Code::ok ? Result<Scalar>(std::move(cast.value)) : misfit(value, to);
}

}  // namespace

std::optional<Type> met_type(Type a, Type b) {
  if (a == b) return a;
  if (a.kind == Kind::string || b.kind == Kind::string) return Type{Kind::string};
  if (a.kind == Kind::boolean && is_numeric(b)) return b;
  if (b.kind == Kind::boolean && is_numeric(a)) return a;
  const Result<Type> type = common_type(a, b);
  return type.ok() ? std::optional(*type) : std::nullopt;
}

bool is_castable(Type from, Type to) {
  return from == to || from.kind == Kind::string || to.kind == Kind::string ||
         expr::is_castable(from, to);
}

Result<Column> cast_column(const Column& column, Type to) {
  if (column.type == to) return column;
  PENSTOCK_ASSIGN(const Column plain, decoded(column));
  if (auto wide = widened(plain, to)) return std::move(*wide);
  std::vector<Column> parts;
  std::vector<Scalar> values;
  for (std::uint64_t row = 0; row < plain.row_count; row++) {
    PENSTOCK_ASSIGN(values.emplace_back(), cast_scalar(scalar_at(plain, row), to));
    if (values.size() < rows_at_once && row + 1 < plain.row_count) continue;
    parts.push_back(column_of(to, values));
    values.clear();
  }
  Column cast = parts.empty() ? column_of(to, values) : column::concatenate(to, parts);
  if (plain.validity.empty()) cast.validity = {};  // which strings always have
  return cast;
}

}  // namespace penstock::io
