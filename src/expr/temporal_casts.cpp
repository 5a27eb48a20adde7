#include "expr/temporal_casts.hpp"

#include <algorithm>

#include "expr/construction.hpp"
#include "expr/intervals.hpp"

namespace penstock::expr {
namespace {

NodeId text_literal(Builder& builder, const std::string& text) {
  return builder.literal(Scalar::of(text));
}

bool is_instant(Type type) { return type == instant_type; }

}  // namespace

NodeId retyped(Builder& builder, NodeId node, Type type) {
  return Construction(*builder.graph()).cast(node, type);
}

Result<NodeId> local_in(Builder& builder, NodeId instant, const TimeZone& zone) {
  if (zone.is_utc()) return retyped(builder, instant, timestamp_type);
  return builder.string_function("local_timestamp", {instant, text_literal(builder, zone.name())});
}

Result<NodeId> instant_in(Builder& builder, NodeId timestamp, const TimeZone& zone) {
  PENSTOCK_ASSIGN(const NodeId moment, builder.cast(timestamp, timestamp_type));
  if (zone.is_utc()) return retyped(builder, moment, instant_type);
  return builder.string_function("instant_of_local", {moment, text_literal(builder, zone.name())});
}

Result<NodeId> local_of_instant(Builder& builder, NodeId instant) {
  PENSTOCK_ASSIGN(const TimeZone* const zone, session_time_zone());
  return local_in(builder, instant, *zone);
}

Result<NodeId> instant_of_local(Builder& builder, NodeId timestamp) {
  PENSTOCK_ASSIGN(const TimeZone* const zone, session_time_zone());
  return instant_in(builder, timestamp, *zone);
}

Result<NodeId> cast_value_to(Builder& builder, NodeId value, Type type) {
  const Type from = builder.type(value);
  if (is_instant(from) && is_date_or_timestamp(type)) {
    PENSTOCK_ASSIGN(const NodeId local, local_of_instant(builder, value));
    return builder.cast(local, type);
  }
  if (is_date_or_timestamp(from) && is_instant(type)) return instant_of_local(builder, value);
  if (from == timestamp_type && type == time_type)
    return builder.string_function("time_of_timestamp", {value});
  return builder.cast(value, type);
}

std::optional<Type> met_in_comparison(Type a, Type b) {
  if ((is_instant(a) && is_date_or_timestamp(b)) || (is_instant(b) && is_date_or_timestamp(a)))
    return instant_type;
  return meet(a, b, Meeting::comparison);
}

Status align_moments(Builder& builder, std::span<NodeId> values) {
  if (std::ranges::none_of(values, [&](NodeId id) { return is_instant(builder.type(id)); }))
    return {};
  for (NodeId& value : values) {
    if (!is_date_or_timestamp(builder.type(value))) continue;
    PENSTOCK_ASSIGN(value, instant_of_local(builder, value));
  }
  return {};
}

}  // namespace penstock::expr
