// Casts of dates, times and instants: those that Builder's own cast does not have.
#pragma once
#include "expr/time_zone.hpp"
#include "penstock/expression.hpp"

namespace penstock::expr {

// The same count as another type of its kind: at no cost, in kernels too.
NodeId retyped(Builder& builder, NodeId node, Type type);
// An instant as the clocks of a zone show it, and the instant at which they do. In UTC both are
// free.
Result<NodeId> local_in(Builder& builder, NodeId instant, const TimeZone& zone);
Result<NodeId> instant_in(Builder& builder, NodeId timestamp, const TimeZone& zone);
// The same in the zone of the session.
Result<NodeId> local_of_instant(Builder& builder, NodeId instant);
Result<NodeId> instant_of_local(Builder& builder, NodeId timestamp);

// Casts a value, also between instants, timestamps, dates and times.
Result<NodeId> cast_value_to(Builder& builder, NodeId value, Type type);
// Returns the type in which two values are compared; an instant beside a date or a timestamp is
// one.
std::optional<Type> met_in_comparison(Type a, Type b);
// Casts dates and timestamps beside an instant to instants.
Status align_moments(Builder& builder, std::span<NodeId> values);

}  // namespace penstock::expr
