// Computes operations on single values: the reference that emitted kernels are compared with.
#pragma once
#include <optional>
#include <span>

#include "penstock/expression.hpp"

namespace penstock::expr {

// A value, and the fault of the operation itself. A faulted value is zero.
struct EvaluatedScalar {
  Scalar value;
  Code fault = Code::ok;
};

// `value` is neither NULL nor faulted, and castable to `type`.
EvaluatedScalar cast_value(const Scalar& value, Type type);
// A strict operation (not select, coalesce, least, greatest, and_, or_, is_null) on present values;
// custom included.
EvaluatedScalar apply(const Graph& graph, const Node& node, std::span<const Scalar> inputs);
// -1, 0, 1: the total order of two values of one type, or of int64 with uint64, or of decimals and
// int64 of any scales.
int compare(const Scalar& a, const Scalar& b);
// The same of two floats: NaN is above every number and equal to itself.
int order_of_floats(double a, double b);
// Returns whether a comparison holds of two values that are ordered so.
bool holds(Op comparison, int order);

}  // namespace penstock::expr
