// The types by which joins compare keys.
#pragma once
#include "penstock/plan.hpp"

namespace penstock::plan {

// Returns the type that both sides of a key are compared as.
Result<Type> join_key_type(JoinKind kind, const Field& left, const Field& right);
Result<NodeId> cast_join_key(Builder& rows, std::uint32_t column, Type type);

}  // namespace penstock::plan
