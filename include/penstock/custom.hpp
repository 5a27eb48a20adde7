// User-defined functions and reductions (UDFs) for traced lambdas. Each is given as Kernel C for
// the devices and as C++, which defines its meaning.
//
//     auto norm = custom_function<double(double, double)>(
//         "norm", {"x", "y"}, "return x * x + y * y;",
//         [](double x, double y) { return x * x + y * y; });
//     from(x, y).map([&](auto a, auto b) { return norm(a, b); })
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "penstock/detail/promotion.hpp"
#include "penstock/detail/traced_value.hpp"

namespace penstock {

template <class Signature> class CustomCall;
// Made by custom_function; called inside lambdas with traced values or scalars, which are converted
// to A....
template <class R, class... A> class CustomCall<R(A...)> {
 public:
  explicit CustomCall(std::shared_ptr<const CustomFunction> function)
      : function_(std::move(function)) {}

  template <class... T>
    requires(traced::Usable<T> && ...)
  auto operator()(const T&... inputs) const {
    static_assert(sizeof...(T) == sizeof...(A),
                  "a custom function takes as many inputs as its signature names");
    static_assert((traced::Traced<T> || ...), "a custom function needs a traced input");
    static_assert(
        (expr::is_castable(traced::type_v<T>, traced::type_of_value<traced::canonical_t<A>>()) &&
         ...),
        "a custom function's input has no conversion to the parameter's type");
    using Result_ = traced::with_opt<traced::canonical_t<R>, traced::any_nullable<T...>>;
    return Value<Result_>(traced::call(function_, {inputs...}, traced::is_opt<Result_>));
  }

 private:
  std::shared_ptr<const CustomFunction> function_;
};

namespace traced {

template <class T> T value_of(const Scalar& scalar) {
  using U = canonical_t<T>;
  if constexpr (std::same_as<U, date>)
    return date(static_cast<std::int32_t>(scalar.integer));
  else if constexpr (std::same_as<U, timestamp>)
    return timestamp(static_cast<std::int64_t>(scalar.integer));
  else if constexpr (is_decimal<U>)
    return U::of_count(static_cast<typename U::Count>(scalar.integer));
  else if constexpr (std::floating_point<U>)
    return static_cast<T>(scalar.real);
  else
    return static_cast<T>(scalar.integer);
}

template <class R, class... A, class Host, std::size_t... i>
Scalar call_host(const Host& host, std::span<const Scalar> inputs, std::type_identity<R(A...)>,
                 std::index_sequence<i...>) {
  return scalar_of(static_cast<R>(host(value_of<A>(inputs[i])...)));
}

template <class Signature> struct SignatureTypes;
template <class R, class... A> struct SignatureTypes<R(A...)> {
  static constexpr std::size_t arity = sizeof...(A);
  template <class T>
  static constexpr bool has_fixed_width =
      !std::is_void_v<canonical_t<T>> && !std::same_as<canonical_t<T>, str> &&
      !is_opt<canonical_t<T>>;
  static constexpr bool is_supported = (has_fixed_width<A> && ...) && has_fixed_width<R>;
  static std::vector<Type> parameters() { return {type_of_value<canonical_t<A>>()...}; }
  static constexpr Type result() { return type_of_value<canonical_t<R>>(); }
};

}  // namespace traced

// A scalar function as Kernel C (`body`: the function's body over the parameter names) and as C++
// (`host`: what it means).
//     auto haversine = custom_function<double(double, double)>("haversine", {"a", "b"},
//         "return sin(a) * sin(b);", host);
// Not called for a NULL input: the result is then NULL; nor for a row that a filter before it
// dropped. It is called on both sides of select() and of && and ||, whatever they take. In Kernel C
// a date is its day number, a decimal its count.
template <class Signature, std::size_t count, class Host>
CustomCall<Signature> custom_function(std::string name, const char* const (&parameter_names)[count],
                                      std::string body, Host host) {
  using Types = traced::SignatureTypes<Signature>;
  static_assert(Types::arity == count,
                "custom_function: as many parameter names as the signature has parameters");
  static_assert(
      Types::is_supported,
      "custom_function: parameters and result are fixed-width types, not str and not opt; "
      "a NULL input makes the result NULL");
  auto function = std::make_shared<CustomFunction>();
  function->name = std::move(name);
  function->parameter_names.assign(parameter_names, parameter_names + count);
  function->parameter_types = Types::parameters();
  function->result_type = Types::result();
  function->body = std::move(body);
  function->host = [host = std::move(host)](std::span<const Scalar> inputs) {
    return traced::call_host(host, inputs, std::type_identity<Signature>(),
                             std::make_index_sequence<count>());
  };
  return CustomCall<Signature>(std::move(function));
}

struct ReductionProperties {
  bool associative = false, commutative = false;
};

// A reduction of values of T: `combine(a, b)` as Kernel C and as C++, and the neutral element.
template <class T> struct TypedReduction {
  std::shared_ptr<const CustomReduction> reduction;
};
template <class T, class Host>
TypedReduction<traced::canonical_t<T>> custom_reduction(std::string name, T neutral,
                                                        std::string body, Host host,
                                                        ReductionProperties properties) {
  static_assert(!std::is_void_v<traced::canonical_t<T>> &&
                    !traced::is_opt<traced::canonical_t<T>> &&
                    !std::same_as<traced::canonical_t<T>, str>,
                "custom_reduction: the values are of a fixed-width type, not str and not opt");
  auto reduction = std::make_shared<CustomReduction>();
  reduction->name = std::move(name);
  reduction->neutral = traced::scalar_of(neutral);
  reduction->type = reduction->neutral.type;
  reduction->body = std::move(body);
  reduction->host = [host = std::move(host)](const Scalar& a, const Scalar& b) {
    return traced::scalar_of(static_cast<T>(host(traced::value_of<T>(a), traced::value_of<T>(b))));
  };
  reduction->associative = properties.associative;
  reduction->commutative = properties.commutative;
  return {std::move(reduction)};
}

}  // namespace penstock
