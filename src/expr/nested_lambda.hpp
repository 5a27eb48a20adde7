// Calls of functions with lambdas: list_transform(list, lambda x: x + 1).
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "penstock/expression.hpp"

namespace penstock::expr {

// transform: a list of the lambda's values. filter: the elements for which it is TRUE. reduce: the
// lambda's value of the value so far and the next element, which begins with the first element;
// reduce_from: with an initial value.
enum class LambdaKind : unsigned char { transform, filter, reduce, reduce_from };

// An expression over the lambda's parameters, the last one first, then what it captures. The last
// parameter that a kind needs may be followed by one more: the element's place, from 1.
struct Lambda {
  LambdaKind kind = LambdaKind::transform;
  std::size_t parameters = 1;
  std::shared_ptr<const Graph> graph;
  NodeId root = 0;
};

// Returns the types of the parameters, the last one first.
std::vector<Type> types_of_parameters(LambdaKind kind, std::size_t parameters, Type element,
                                      Type value);
// `inputs`: the list, the initial value of reduce_from, then what the lambda captures.
Result<NodeId> call_lambda(Builder& builder, const Lambda& lambda, std::vector<NodeId> inputs,
                           Type result);

}  // namespace penstock::expr
