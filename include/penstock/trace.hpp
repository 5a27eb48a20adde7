// What can be written in a traced lambda: operators and functions over Values.
//
//     [=](auto r) { return r.price * 2 > floor && r.quantity > 3; }
//     [](auto r) { return select(r.quantity > 10, r.price * 0.9f, r.price); }
//
// Each operation is typed at compile time by the promotion table that Builder uses (promotion.hpp) and becomes a node at once.
// Literals and captured scalars become arguments of the kernel, so a new value never recompiles. As in C++, integers narrower
// than 32 bits are int32 in arithmetic; beyond that SQL's rules hold: integer overflow and division by zero end the query if
// the value reaches a result, uint32 with int32 is int64, && and || are Kleene logic and evaluate both sides.
#pragma once
#include <array>
#include <functional>
#include <tuple>
#include <utility>

#include "penstock/promotion.hpp"
#include "penstock/traced_value.hpp"

namespace penstock {
namespace traced {

// ---- static result types; each mirrors one function of Builder, and a test compares them over all pairs ----

// Where there is no result an error has been said; `instead` keeps it the only one.
constexpr unsigned code_or(std::optional<Type> result, Kind instead) { return code_of(result.value_or(Type{instead})); }

constexpr bool is_wide(Type t) { return t.kind == Kind::int128 || (t.kind == Kind::decimal && t.precision > 18); }
constexpr bool is_integral(Type t) { return expr::promotion::holds(expr::promotion::integers, t.kind); }
constexpr bool is_moment(Type t) { return t.kind == Kind::date32 || t.kind == Kind::timestamp; }
constexpr bool is_real(Type t) { return t.kind == Kind::float32 || t.kind == Kind::float64; }
constexpr bool is_number(Type t) { return is_integral(t) || is_real(t) || t.kind == Kind::decimal; }

constexpr Type promoted(Type t) {
  const bool narrow = t.kind == Kind::int8 || t.kind == Kind::int16 || t.kind == Kind::uint8 || t.kind == Kind::uint16;
  return narrow ? Type{Kind::int32} : t;
}

constexpr std::optional<Type> decimal_result(Op op, Type a, Type b, Type met) {
  if (op == Op::multiply) {
    const Type x = expr::as_decimal(a), y = expr::as_decimal(b);
    const int scale = x.scale + y.scale;
    if (scale > 18) return std::nullopt;
    return Type::decimal(std::min(std::min<int>(x.precision, 18) + std::min<int>(y.precision, 18), 18), scale);
  }
  return Type::decimal(std::min(met.precision + (op == Op::modulo ? 0 : 1), 18), met.scale);
}

// Of add, subtract, multiply, divide, integer_divide, modulo on promoted types.
constexpr std::optional<Type> arithmetic_result(Op op, Type a, Type b) {
  if (is_moment(a) || is_moment(b)) {
    if (op == Op::add && b.kind == Kind::date32) std::swap(a, b);
    if (a.kind != Kind::date32 || (op != Op::add && op != Op::subtract)) return std::nullopt;
    if (op == Op::subtract && b.kind == Kind::date32) return Type{Kind::int64};
    return b.kind == Kind::int32 ? std::optional<Type>(a) : std::nullopt;
  }
  if (!is_number(a) || !is_number(b) || is_wide(a) || is_wide(b)) return std::nullopt;
  const std::optional<Type> met = expr::meet(a, b, expr::Meeting::arithmetic);
  if (!met) return std::nullopt;
  if (is_real(*met)) return met;
  if (op == Op::divide || (op == Op::integer_divide && !(is_integral(a) && is_integral(b)))) return Type{Kind::float64};
  if (met->kind == Kind::int128) return std::nullopt;
  return met->kind == Kind::decimal ? decimal_result(op, a, b, *met) : met;
}

constexpr std::optional<Type> bits_result(Type a, Type b) {
  if (!is_integral(a) || !is_integral(b)) return std::nullopt;
  const Type met = expr::meet(a, b, expr::Meeting::arithmetic).value_or(a);
  return met.kind == Kind::int128 ? std::nullopt : std::optional<Type>(met);
}

constexpr bool is_comparable(Type a, Type b) {
  const auto counts_as_number = [](Type t, Type other) { return t.kind == Kind::boolean && (is_real(other) || other.kind == Kind::decimal); };
  if (counts_as_number(a, b) || counts_as_number(b, a)) return !is_wide(a) && !is_wide(b);
  return !is_wide(a) && !is_wide(b) && expr::meet(a, b, expr::Meeting::comparison).has_value();
}

// Of select's branches, and of the inputs of coalesce, least, greatest.
constexpr std::optional<Type> branch_result(std::initializer_list<Type> types) {
  Type type = *types.begin();
  for (Type other : types) {
    const std::optional<Type> met = expr::meet(type, other, expr::Meeting::comparison);
    if (!met || met->kind == Kind::int128 || is_wide(other)) return std::nullopt;
    type = *met;
  }
  if (type.kind == Kind::string) return std::nullopt;
  return type.kind == Kind::decimal && type.precision > 18 ? Type::decimal(18, type.scale) : type;
}

template <class A, class B> inline constexpr bool has_string = type_v<A>.kind == Kind::string || type_v<B>.kind == Kind::string;
template <class A, class B> inline constexpr bool has_boolean = type_v<A>.kind == Kind::boolean || type_v<B>.kind == Kind::boolean;
template <class A, class B> inline constexpr bool has_wide = is_wide(type_v<A>) || is_wide(type_v<B>);
template <class A, class B>
inline constexpr bool needs_128_bits = is_integral(type_v<A>) && is_integral(type_v<B>) &&
                                       expr::meet(promoted(type_v<A>), promoted(type_v<B>), expr::Meeting::arithmetic) == Type{Kind::int128};
template <class... T> inline constexpr bool any_nullable = (nullable_v<T> || ...);

template <class A, class B>
consteval bool check_numbers() {
  static_assert(!has_string<A, B>, "a str is carried and compared with == and != only");
  static_assert(!has_boolean<A, B>, "a boolean takes no part in arithmetic; write select(condition, 1, 0)");
  static_assert(!needs_128_bits<A, B>, "a 64-bit unsigned and a signed integer need 128 bits; cast one side, or write 1u instead of 1");
  static_assert(!has_wide<A, B>, "a sum of integers or decimals is wider than arithmetic takes; write cast<std::int64_t>(x) or cast<double>(x)");
  return true;
}

template <Op op, class A, class B>
auto arithmetic(const A& a, const B& b) {
  constexpr bool is_checked = check_numbers<A, B>();
  constexpr auto result = arithmetic_result(op, promoted(type_v<A>), promoted(type_v<B>));
  static_assert(!is_checked || result.has_value(), "these types do not meet in arithmetic; cast one side with cast<T>(x)");
  using R = value_type<code_or(result, Kind::float64), any_nullable<A, B>>;
  return Value<R>(combine(op, {a, b}, type_of_value<R>(), is_opt<R>));
}

template <Op op, class A, class B>
auto bits(const A& a, const B& b) {
  constexpr bool is_checked = check_numbers<A, B>();
  constexpr auto result = bits_result(promoted(type_v<A>), promoted(type_v<B>));
  static_assert(!is_checked || result.has_value(), "bit operations take integers");
  using R = value_type<code_or(result, Kind::int32), any_nullable<A, B>>;
  return Value<R>(combine(op, {a, b}, type_of_value<R>(), is_opt<R>));
}

template <Op op, class A, class B>
auto comparison(const A& a, const B& b) {
  constexpr bool is_ordering = op != Op::equal && op != Op::not_equal;
  static_assert(!is_ordering || !has_string<A, B>, "strings can be compared with == and != only");
  static_assert(!has_wide<A, B>, "a sum of integers or decimals is wider than a comparison takes; write cast<std::int64_t>(x) or cast<double>(x)");
  static_assert(is_comparable(type_v<A>, type_v<B>), "these types do not compare; cast one side with cast<T>(x)");
  using R = with_opt<bool, any_nullable<A, B>>;
  return Value<R>(combine(op, {a, b}, {Kind::boolean}, is_opt<R>));
}

template <Op op, class A, class B>
auto logic(const A& a, const B& b) {
  static_assert(type_v<A>.kind == Kind::boolean && type_v<B>.kind == Kind::boolean,
                "&& and || take booleans; write a comparison");
  using R = with_opt<bool, any_nullable<A, B>>;
  return Value<R>(combine(op, {a, b}, {Kind::boolean}, is_opt<R>));
}

template <Op op, class T>
auto function_of_float(const T& x) {
  static_assert(is_number(type_v<T>) && !is_wide(type_v<T>), "this function takes a number");
  using R = with_opt<std::conditional_t<type_v<T>.kind == Kind::float32, float, double>, nullable_v<T>>;
  return Value<R>(combine(op, {x}, type_of_value<R>(), is_opt<R>));
}

template <Op op, class T>
auto rounding(const T& x) {
  constexpr Type type = type_v<T>;
  static_assert(is_number(type) && !is_wide(type), "this function takes a number");
  constexpr bool keeps_integers = op == Op::round || op == Op::truncate;
  constexpr Type result = type.kind == Kind::decimal                    ? Type::decimal(type.precision, 0)
                          : is_integral(type) && !keeps_integers ? Type{Kind::float64}
                                                                        : type;
  using R = value_type<code_of(result), nullable_v<T>>;
  return Value<R>(combine(op, {x}, result, is_opt<R>));
}

template <Op op, class T>
auto part(const T& x) {
  static_assert(is_moment(type_v<T>), "this function takes a date or a timestamp");
  using R = with_opt<std::int64_t, nullable_v<T>>;
  return Value<R>(combine(op, {x}, {Kind::int64}, is_opt<R>));
}

// NULL only if every input is.
template <Op op, class... T>
auto pick(const T&... inputs) {
  constexpr auto result = branch_result({type_v<T>...});
  static_assert(((type_v<T>.kind != Kind::string) && ...), "a str is carried and compared with == and != only");
  static_assert(result.has_value(), "these types have no common type; cast one side with cast<T>(x)");
  using R = value_type<code_or(result, Kind::float64), (nullable_v<T> && ...)>;
  return Value<R>(combine(op, {inputs...}, type_of_value<R>(), is_opt<R>));
}

template <class A, class B>
concept Operands = (Traced<A> || Traced<B>) && Usable<A> && Usable<B>;

}  // namespace traced

#define PENSTOCK_TRACED_BINARY_(symbol, kind, op)                          \
  template <class A, class B>                                              \
    requires traced::Operands<A, B>                                        \
  auto operator symbol(const A& a, const B& b) { return traced::kind<op>(a, b); }
PENSTOCK_TRACED_BINARY_(+, arithmetic, Op::add)
PENSTOCK_TRACED_BINARY_(-, arithmetic, Op::subtract)
PENSTOCK_TRACED_BINARY_(*, arithmetic, Op::multiply)
PENSTOCK_TRACED_BINARY_(%, arithmetic, Op::modulo)
PENSTOCK_TRACED_BINARY_(/, arithmetic, Op::integer_divide)   // Builder divides floats and decimals as floats
PENSTOCK_TRACED_BINARY_(&, bits, Op::bit_and)
PENSTOCK_TRACED_BINARY_(|, bits, Op::bit_or)
PENSTOCK_TRACED_BINARY_(^, bits, Op::bit_xor)
PENSTOCK_TRACED_BINARY_(<<, bits, Op::shift_left)
PENSTOCK_TRACED_BINARY_(>>, bits, Op::shift_right)
PENSTOCK_TRACED_BINARY_(==, comparison, Op::equal)
PENSTOCK_TRACED_BINARY_(!=, comparison, Op::not_equal)
PENSTOCK_TRACED_BINARY_(<, comparison, Op::less)
PENSTOCK_TRACED_BINARY_(<=, comparison, Op::less_equal)
PENSTOCK_TRACED_BINARY_(>, comparison, Op::greater)
PENSTOCK_TRACED_BINARY_(>=, comparison, Op::greater_equal)
PENSTOCK_TRACED_BINARY_(&&, logic, Op::and_)
PENSTOCK_TRACED_BINARY_(||, logic, Op::or_)
#undef PENSTOCK_TRACED_BINARY_

template <traced::Traced T>
auto operator!(const T& x) {
  static_assert(traced::type_v<T>.kind == Kind::boolean, "! takes a boolean; write a comparison");
  using R = traced::with_opt<bool, traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::not_, {x}, {Kind::boolean}, traced::nullable_v<T>));
}

template <traced::Traced T>
auto operator~(const T& x) {
  constexpr Type type = traced::promoted(traced::type_v<T>);
  static_assert(traced::is_integral(type), "bit operations take integers");
  using R = traced::value_type<traced::code_of(type), traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::bit_not, {x}, type, traced::nullable_v<T>));
}

template <traced::Traced T>
auto operator-(const T& x) {
  constexpr Type type = traced::promoted(traced::type_v<T>);
  static_assert(traced::is_number(type) && !traced::is_wide(type), "minus takes a number");
  static_assert(type.kind != Kind::uint32 && type.kind != Kind::uint64, "minus of an unsigned integer; write -cast<std::int64_t>(x)");
  using R = traced::value_type<traced::code_of(type), traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::negate, {x}, type, traced::nullable_v<T>));
}

template <traced::Traced T> auto abs(const T& x) {
  constexpr Type type = traced::promoted(traced::type_v<T>);
  static_assert(traced::is_number(type) && !traced::is_wide(type), "abs takes a number");
  using R = traced::value_type<traced::code_of(type), traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::absolute, {x}, type, traced::nullable_v<T>));
}
// float stays float, any other number gives double.
template <traced::Traced T> auto sqrt(const T& x) { return traced::function_of_float<Op::square_root>(x); }
template <traced::Traced T> auto exp(const T& x) { return traced::function_of_float<Op::exponential>(x); }
template <traced::Traced T> auto log(const T& x) { return traced::function_of_float<Op::logarithm>(x); }
template <traced::Traced T> auto log10(const T& x) { return traced::function_of_float<Op::logarithm10>(x); }
template <traced::Traced T> auto sin(const T& x) { return traced::function_of_float<Op::sine>(x); }
template <traced::Traced T> auto cos(const T& x) { return traced::function_of_float<Op::cosine>(x); }
template <traced::Traced T> auto tan(const T& x) { return traced::function_of_float<Op::tangent>(x); }
// Floats stay what they are, decimals lose their scale; floor and ceil of an integer are double, round and trunc the integer.
// round: half away from zero.
template <traced::Traced T> auto floor(const T& x) { return traced::rounding<Op::floor>(x); }
template <traced::Traced T> auto ceil(const T& x) { return traced::rounding<Op::ceiling>(x); }
template <traced::Traced T> auto round(const T& x) { return traced::rounding<Op::round>(x); }
template <traced::Traced T> auto trunc(const T& x) { return traced::rounding<Op::truncate>(x); }
// Always double.
template <class A, class B>
  requires traced::Operands<A, B>
auto pow(const A& x, const B& y) {
  static_assert(traced::is_number(traced::type_v<A>) && traced::is_number(traced::type_v<B>), "pow takes numbers");
  using R = traced::with_opt<double, traced::any_nullable<A, B>>;
  return Value<R>(traced::combine(Op::power, {x, y}, {Kind::float64}, traced::is_opt<R>));
}

// Parts of a date or a timestamp, as int64. day_of_week: Sunday is 0.
template <traced::Traced T> auto year(const T& x) { return traced::part<Op::year>(x); }
template <traced::Traced T> auto quarter(const T& x) { return traced::part<Op::quarter>(x); }
template <traced::Traced T> auto month(const T& x) { return traced::part<Op::month>(x); }
template <traced::Traced T> auto day(const T& x) { return traced::part<Op::day>(x); }
template <traced::Traced T> auto day_of_week(const T& x) { return traced::part<Op::day_of_week>(x); }
template <traced::Traced T> auto day_of_year(const T& x) { return traced::part<Op::day_of_year>(x); }
template <traced::Traced T> auto hour(const T& x) { return traced::part<Op::hour>(x); }
template <traced::Traced T> auto minute(const T& x) { return traced::part<Op::minute>(x); }
template <traced::Traced T> auto second(const T& x) { return traced::part<Op::second>(x); }

template <traced::Traced T> Value<bool> is_null(const T& x) {
  return Value<bool>(traced::combine(Op::is_null, {x}, {Kind::boolean}, false));
}
// The first that is not NULL.
template <class... T>
  requires(sizeof...(T) >= 2 && (traced::Traced<T> || ...) && (traced::Usable<T> && ...))
auto coalesce(const T&... inputs) { return traced::pick<Op::coalesce>(inputs...); }
// The least and greatest of two or more values; NULLs are skipped.
template <class... T>
  requires(sizeof...(T) >= 2 && (traced::Traced<T> || ...) && (traced::Usable<T> && ...))
auto min(const T&... inputs) { return traced::pick<Op::least>(inputs...); }
template <class... T>
  requires(sizeof...(T) >= 2 && (traced::Traced<T> || ...) && (traced::Usable<T> && ...))
auto max(const T&... inputs) { return traced::pick<Op::greatest>(inputs...); }

// `condition ? then : otherwise` for traced values. A NULL condition takes the second.
template <class C, class A, class B>
  requires(traced::Usable<A> && traced::Usable<B>)
auto select(const C& condition, const A& then, const B& otherwise) {
  if constexpr (!traced::Traced<C>) {
    static_assert(traced::never<C>, "select: the condition must be a traced boolean; for a plain bool write ?:");
    return Value<bool>();
  } else {
    static_assert(traced::type_v<C>.kind == Kind::boolean, "select: the condition must be boolean; write a comparison");
    static_assert(!traced::has_string<A, B>, "select: a str is carried and compared with == and != only");
    constexpr auto result = traced::branch_result({traced::type_v<A>, traced::type_v<B>});
    static_assert(traced::has_string<A, B> || result.has_value(), "select: the branches have no common type; cast one with cast<T>(x)");
    using R = traced::value_type<traced::code_or(result, Kind::float64), traced::any_nullable<A, B>>;
    return Value<R>(traced::combine(Op::select, {condition, then, otherwise}, traced::type_of_value<R>(), traced::is_opt<R>));
  }
}

// To another type. Out of range is a fault; float to integer rounds half to even, decimal half away from zero.
template <class To, traced::Traced T>
auto cast(const T& x) {
  using Wanted = traced::without_opt<traced::canonical_t<To>>;
  static_assert(!std::is_void_v<Wanted>, "cast: this type is not supported");
  constexpr Type from = traced::type_v<T>, to = traced::type_of_value<Wanted>();
  static_assert(!traced::is_wide(to) || from == to, "cast: to at most 64 bits, decimals to at most 18 digits");
  static_assert(expr::is_castable(from, to), "cast: there is no conversion between these types");
  using R = traced::with_opt<Wanted, traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::cast, {x}, to, traced::is_opt<R>));
}

template <class T> auto Value<T>::has_value() const { return !is_null(*this); }
template <class T> template <class U> auto Value<T>::value_or(const U& other) const { return coalesce(*this, other); }

// ---- the user's own scalar function ----

template <class Signature> class CustomCall;
// Made by custom_function; called inside lambdas with traced values or scalars, which are converted to A....
template <class R, class... A>
class CustomCall<R(A...)> {
 public:
  explicit CustomCall(std::shared_ptr<const CustomFunction> function) : function_(std::move(function)) {}

  template <class... T>
    requires(traced::Usable<T> && ...)
  auto operator()(const T&... inputs) const {
    static_assert(sizeof...(T) == sizeof...(A), "a custom function takes as many inputs as its signature names");
    static_assert((traced::Traced<T> || ...), "a custom function needs a traced input");
    static_assert((expr::is_castable(traced::type_v<T>, traced::type_of_value<traced::canonical_t<A>>()) && ...),
                  "a custom function's input has no conversion to the parameter's type");
    using Result_ = traced::with_opt<traced::canonical_t<R>, traced::any_nullable<T...>>;
    return Value<Result_>(traced::call(function_, {inputs...}, traced::is_opt<Result_>));
  }

 private:
  std::shared_ptr<const CustomFunction> function_;
};

namespace traced {

template <class T>
T value_of(const Scalar& scalar) {
  using U = canonical_t<T>;
  if constexpr (std::same_as<U, date>) return date(static_cast<std::int32_t>(scalar.integer));
  else if constexpr (std::same_as<U, timestamp>) return timestamp(static_cast<std::int64_t>(scalar.integer));
  else if constexpr (is_decimal<U>) return U::of_count(static_cast<typename U::Count>(scalar.integer));
  else if constexpr (std::floating_point<U>) return static_cast<T>(scalar.real);
  else return static_cast<T>(scalar.integer);
}

template <class R, class... A, class Host, std::size_t... i>
Scalar call_host(const Host& host, std::span<const Scalar> inputs, std::type_identity<R(A...)>, std::index_sequence<i...>) {
  return scalar_of(static_cast<R>(host(value_of<A>(inputs[i])...)));
}

template <class Signature> struct SignatureTypes;
template <class R, class... A> struct SignatureTypes<R(A...)> {
  static constexpr std::size_t arity = sizeof...(A);
  static constexpr bool is_supported = ((!std::is_void_v<canonical_t<A>> && !std::same_as<canonical_t<A>, str> && !is_opt<canonical_t<A>>) && ...) &&
                                       !std::is_void_v<canonical_t<R>> && !std::same_as<canonical_t<R>, str> && !is_opt<canonical_t<R>>;
  static std::vector<Type> parameters() { return {type_of_value<canonical_t<A>>()...}; }
  static constexpr Type result() { return type_of_value<canonical_t<R>>(); }
};

}  // namespace traced

// A scalar function as Kernel C (`body`: the function's body over the parameter names) and as C++ (`host`: what it means).
//     auto haversine = custom_function<double(double, double)>("haversine", {"a", "b"}, "return sin(a) * sin(b);", host);
// Not called for a NULL input: the result is then NULL. In Kernel C a date is its day number, a decimal its count.
template <class Signature, std::size_t count, class Host>
CustomCall<Signature> custom_function(std::string name, const char* const (&parameter_names)[count], std::string body, Host host) {
  using Types = traced::SignatureTypes<Signature>;
  static_assert(Types::arity == count, "custom_function: as many parameter names as the signature has parameters");
  static_assert(Types::is_supported, "custom_function: parameters and result are fixed-width types, not str and not opt; "
                                     "a NULL input makes the result NULL");
  auto function = std::make_shared<CustomFunction>();
  function->name = std::move(name);
  function->parameter_names.assign(parameter_names, parameter_names + count);
  function->parameter_types = Types::parameters();
  function->result_type = Types::result();
  function->body = std::move(body);
  function->host = [host = std::move(host)](std::span<const Scalar> inputs) {
    return traced::call_host(host, inputs, std::type_identity<Signature>(), std::make_index_sequence<count>());
  };
  return CustomCall<Signature>(std::move(function));
}

struct ReductionProperties { bool associative = false, commutative = false; };

// A reduction of values of T: `combine(a, b)` as Kernel C and as C++, and the neutral element.
template <class T>
struct TypedReduction { std::shared_ptr<const CustomReduction> reduction; };
template <class T, class Host>
TypedReduction<traced::canonical_t<T>> custom_reduction(std::string name, T neutral, std::string body, Host host, ReductionProperties properties) {
  static_assert(!std::is_void_v<traced::canonical_t<T>> && !traced::is_opt<traced::canonical_t<T>> && !std::same_as<traced::canonical_t<T>, str>,
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
