#include "expr/nested_lambda.hpp"

#include "expr/nested_functions.hpp"
#include "expr/nested_values.hpp"

namespace penstock::expr {
namespace {

constexpr std::string_view lambda_names[] = {"list_transform", "list_filter", "list_reduce",
                                             "list_reduce"};

bool is_reduction(LambdaKind kind) {
  return kind == LambdaKind::reduce || kind == LambdaKind::reduce_from;
}

// Computes a lambda for the elements of one list.
class LambdaRun {
 public:
  LambdaRun(const Lambda& lambda, std::span<const Scalar> captured)
      : lambda_(lambda), captured_(captured) {}

  // Returns nothing where the lambda has a fault.
  std::optional<Scalar> value(const Scalar* so_far, const Scalar& element,
                              std::size_t place) const {
    const bool has_place = lambda_.parameters > (so_far ? 2 : 1);
    Scalars row;
    if (has_place) row.push_back(Scalar::of(static_cast<std::int64_t>(place)));
    row.push_back(element);
    if (so_far) row.push_back(*so_far);
    row.insert(row.end(), captured_.begin(), captured_.end());
    Evaluated result = evaluate(*lambda_.graph, std::span(&lambda_.root, 1), row)[0];
    return result.fault == Code::ok ? std::optional(std::move(result.value)) : std::nullopt;
  }

 private:
  const Lambda& lambda_;
  const std::span<const Scalar> captured_;
};

Scalar mapped(const LambdaRun& run, LambdaKind kind, const Scalar& list, Type result) {
  const Scalars elements = elements_of(list);
  Scalars kept;
  for (std::size_t i = 0; i < elements.size(); i++) {
    auto value = run.value(nullptr, elements[i], i + 1);
    if (!value) return Scalar::null_of(result);
    if (kind == LambdaKind::transform)
      kept.push_back(*std::move(value));
    else if (!value->is_null && value->integer != 0)
      kept.push_back(elements[i]);
  }
  return list_of_parts(result, kept);
}

// `initial`: nothing for a list's own first element. The first lambda's place is that of its
// element.
std::optional<Scalar> reduced(const LambdaRun& run, const Scalar& list, const Scalar* initial) {
  const Scalars elements = elements_of(list);
  if (!initial && elements.empty()) return std::nullopt;
  Scalar so_far = initial ? *initial : elements[0];
  for (std::size_t i = initial ? 0 : 1; i < elements.size(); i++) {
    auto value = run.value(&so_far, elements[i], i + (initial ? 1 : 0));
    if (!value) return std::nullopt;
    so_far = *std::move(value);
  }
  return so_far;
}

// A reduction may be NULL, so that it is in a struct of one field.
NestedHost host_of_lambda(const Lambda& lambda, Type result) {
  return [lambda, result](std::span<const Scalar> in) {
    const std::size_t first = lambda.kind == LambdaKind::reduce_from ? 2 : 1;
    const LambdaRun run(lambda, in.subspan(first));
    if (!is_reduction(lambda.kind)) return mapped(run, lambda.kind, in[0], result);
    const auto value = reduced(run, in[0], first == 2 ? &in[1] : nullptr);
    return value ? struct_of_parts(result, Scalars{*value}) : Scalar::null_of(result);
  };
}

}  // namespace

std::vector<Type> types_of_parameters(LambdaKind kind, std::size_t parameters, Type element,
                                      Type value) {
  std::vector<Type> types;
  const std::size_t own = is_reduction(kind) ? 2 : 1;
  if (parameters > own) types.push_back(Type{Kind::int64});
  types.push_back(element);
  if (own == 2) types.push_back(value);
  return types;
}

namespace {

// A name that tells one lambda from another.
std::string name_with(const Lambda& lambda) {
  Schema schema;
  for (NodeId id = 0; id < lambda.graph->size(); id++)
    if (const Node& node = lambda.graph->at(id); node.op == Op::column)
      while (schema.size() <= node.payload)
        schema.push_back({"#" + std::to_string(schema.size()), node.type, true});
  return std::string(lambda_names[static_cast<std::size_t>(lambda.kind)]) + " by " +
         text_of(*lambda.graph, lambda.root, schema);
}

}  // namespace

// The list is not NULL where the lambda is asked.
Result<NodeId> call_lambda(Builder& builder, const Lambda& lambda, std::vector<NodeId> inputs,
                           Type result) {
  const bool is_boxed = is_reduction(lambda.kind);
  NestedCallee callee{
      .name = name_with(lambda),
      .boxed_from = 1,
      .fault =
          "a lambda fails for an element, or list_reduce() has a list without elements and no "
          "first value",
      .is_shared = false};
  for (const NodeId input : inputs) callee.signature.inputs.push_back(builder.type(input));
  callee.signature.result = is_boxed ? struct_of({"value"}, {result}) : result;
  callee.host = host_of_lambda(lambda, callee.signature.result);
  PENSTOCK_ASSIGN(const NodeId value, call_host(builder, callee, std::move(inputs)));
  if (!is_boxed) return value;
  PENSTOCK_ASSIGN(
      const auto field,
      call_nested(builder, "struct_extract",
                  {value, builder.literal(Scalar::of(std::string("value")))}, std::nullopt));
  return *field;
}

}  // namespace penstock::expr
