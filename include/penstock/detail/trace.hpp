// The operators and functions that traced lambdas can use over Values.
//
//     [=](auto r) { return r.price * 2 > floor && r.quantity > 3; }
//     [](auto r) { return select(r.quantity > 10, r.price * 0.9f, r.price); }
//
// Each operation is typed at compile time by the promotion table that Builder uses (promotion.hpp)
// and becomes a node at once. Literals and captured scalars become arguments of the kernel, so a
// new value never recompiles. As in C++, integers narrower than 32 bits are int32 in arithmetic;
// beyond that SQL's rules hold: integer overflow and division by zero end the query if the value
// reaches a result, uint32 with int32 is int64, && and || are Kleene logic and evaluate both sides.
#pragma once
#include <utility>

#include "penstock/custom.hpp"
#include "penstock/detail/traced_type.hpp"

namespace penstock {
namespace traced {

template <class A, class B>
inline constexpr bool has_string = type_v<A>.kind == Kind::string || type_v<B>.kind == Kind::string;
template <class A, class B>
inline constexpr bool has_boolean =
    type_v<A>.kind == Kind::boolean || type_v<B>.kind == Kind::boolean;
template <class A, class B>
inline constexpr bool has_wide = is_wide(type_v<A>) || is_wide(type_v<B>);
template <class A, class B>
inline constexpr bool needs_128_bits = is_integral(type_v<A>) && is_integral(type_v<B>) &&
                                       expr::meet(promoted(type_v<A>), promoted(type_v<B>),
                                                  expr::Meeting::arithmetic) == Type{Kind::int128};

template <class A, class B> consteval bool check_numbers() {
  static_assert(!has_string<A, B>, "a str is carried and compared with == and != only");
  static_assert(!has_boolean<A, B>,
                "a boolean takes no part in arithmetic; write select(condition, 1, 0)");
  static_assert(!needs_128_bits<A, B>,
                "a 64-bit unsigned and a signed integer need 128 bits; cast one side, or write 1u "
                "instead of 1");
  static_assert(!has_wide<A, B>,
                "a sum of integers or decimals is wider than arithmetic takes; write "
                "cast<std::int64_t>(x) or cast<double>(x)");
  return true;
}

template <Op op, class A, class B> auto arithmetic(const A& a, const B& b) {
  constexpr bool is_checked = check_numbers<A, B>();
  constexpr auto result = arithmetic_result(op, promoted(type_v<A>), promoted(type_v<B>));
  static_assert(!is_checked || result.has_value(),
                "these types do not meet in arithmetic; cast one side with cast<T>(x)");
  using R = value_type<code_or(result, Kind::float64), any_nullable<A, B>>;
  return Value<R>(combine(op, {a, b}, type_of_value<R>(), is_opt<R>));
}

template <Op op, class A, class B> auto bits(const A& a, const B& b) {
  constexpr bool is_checked = check_numbers<A, B>();
  constexpr auto result = bits_result(promoted(type_v<A>), promoted(type_v<B>));
  static_assert(!is_checked || result.has_value(), "bit operations take integers");
  using R = value_type<code_or(result, Kind::int32), any_nullable<A, B>>;
  return Value<R>(combine(op, {a, b}, type_of_value<R>(), is_opt<R>));
}

template <Op op, class A, class B> auto comparison(const A& a, const B& b) {
  constexpr bool is_ordering = op != Op::equal && op != Op::not_equal;
  static_assert(!is_ordering || !has_string<A, B>, "strings can be compared with == and != only");
  static_assert(!has_wide<A, B>,
                "a sum of integers or decimals is wider than a comparison takes; write "
                "cast<std::int64_t>(x) or cast<double>(x)");
  static_assert(is_comparable(type_v<A>, type_v<B>),
                "these types do not compare; cast one side with cast<T>(x)");
  using R = with_opt<bool, any_nullable<A, B>>;
  return Value<R>(combine(op, {a, b}, {Kind::boolean}, is_opt<R>));
}

template <Op op, class A, class B> auto logic(const A& a, const B& b) {
  static_assert(type_v<A>.kind == Kind::boolean && type_v<B>.kind == Kind::boolean,
                "&& and || take booleans; write a comparison");
  using R = with_opt<bool, any_nullable<A, B>>;
  return Value<R>(combine(op, {a, b}, {Kind::boolean}, is_opt<R>));
}

template <Op op, class T> auto function_of_float(const T& x) {
  static_assert(is_number(type_v<T>) && !is_wide(type_v<T>), "this function takes a number");
  using R =
      with_opt<std::conditional_t<type_v<T>.kind == Kind::float32, float, double>, nullable_v<T>>;
  return Value<R>(combine(op, {x}, type_of_value<R>(), is_opt<R>));
}

template <Op op, class T> auto rounding(const T& x) {
  constexpr Type type = type_v<T>;
  static_assert(is_number(type) && !is_wide(type), "this function takes a number");
  constexpr bool keeps_integers = op == Op::round || op == Op::truncate;
  constexpr Type result = type.kind == Kind::decimal             ? Type::decimal(type.precision, 0)
                          : is_integral(type) && !keeps_integers ? Type{Kind::float64}
                                                                 : type;
  using R = value_type<code_of(result), nullable_v<T>>;
  return Value<R>(combine(op, {x}, result, is_opt<R>));
}

template <Op op, class T> auto part(const T& x) {
  static_assert(is_moment(type_v<T>), "this function takes a date or a timestamp");
  using R = with_opt<std::int64_t, nullable_v<T>>;
  return Value<R>(combine(op, {x}, {Kind::int64}, is_opt<R>));
}

// Returns NULL only if every input is NULL.
template <Op op, class... T> auto pick(const T&... inputs) {
  constexpr auto result = branch_result({type_v<T>...});
  static_assert(((type_v<T>.kind != Kind::string) && ...),
                "a str is carried and compared with == and != only");
  static_assert(result.has_value(),
                "these types have no common type; cast one side with cast<T>(x)");
  using R = value_type<code_or(result, Kind::float64), (nullable_v<T> && ...)>;
  return Value<R>(combine(op, {inputs...}, type_of_value<R>(), is_opt<R>));
}

template <class A, class B>
concept Operands = (Traced<A> || Traced<B>) && Usable<A> && Usable<B>;

}  // namespace traced

#define PENSTOCK_TRACED_BINARY_(symbol, kind, op) \
  template <class A, class B>                     \
    requires traced::Operands<A, B>               \
  auto operator symbol(const A& a, const B& b) {  \
    return traced::kind<op>(a, b);                \
  }
PENSTOCK_TRACED_BINARY_(+, arithmetic, Op::add)
PENSTOCK_TRACED_BINARY_(-, arithmetic, Op::subtract)
PENSTOCK_TRACED_BINARY_(*, arithmetic, Op::multiply)
PENSTOCK_TRACED_BINARY_(%, arithmetic, Op::modulo)
PENSTOCK_TRACED_BINARY_(/, arithmetic,
                        Op::integer_divide)  // Builder divides floats and decimals as floats
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

template <traced::Traced T> auto operator!(const T& x) {
  static_assert(traced::type_v<T>.kind == Kind::boolean, "! takes a boolean; write a comparison");
  using R = traced::with_opt<bool, traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::not_, {x}, {Kind::boolean}, traced::nullable_v<T>));
}

template <traced::Traced T> auto operator~(const T& x) {
  constexpr Type type = traced::promoted(traced::type_v<T>);
  static_assert(traced::is_integral(type), "bit operations take integers");
  using R = traced::value_type<traced::code_of(type), traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::bit_not, {x}, type, traced::nullable_v<T>));
}

template <traced::Traced T> auto operator-(const T& x) {
  constexpr Type type = traced::promoted(traced::type_v<T>);
  static_assert(traced::is_number(type) && !traced::is_wide(type), "minus takes a number");
  static_assert(type.kind != Kind::uint32 && type.kind != Kind::uint64,
                "minus of an unsigned integer; write -cast<std::int64_t>(x)");
  using R = traced::value_type<traced::code_of(type), traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::negate, {x}, type, traced::nullable_v<T>));
}

template <traced::Traced T> auto abs(const T& x) {
  constexpr Type type = traced::promoted(traced::type_v<T>);
  static_assert(traced::is_number(type) && !traced::is_wide(type), "abs takes a number");
  using R = traced::value_type<traced::code_of(type), traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::absolute, {x}, type, traced::nullable_v<T>));
}
// Returns float for float, and double for any other number.
template <traced::Traced T> auto sqrt(const T& x) {
  return traced::function_of_float<Op::square_root>(x);
}
template <traced::Traced T> auto exp(const T& x) {
  return traced::function_of_float<Op::exponential>(x);
}
template <traced::Traced T> auto log(const T& x) {
  return traced::function_of_float<Op::logarithm>(x);
}
template <traced::Traced T> auto log10(const T& x) {
  return traced::function_of_float<Op::logarithm10>(x);
}
template <traced::Traced T> auto sin(const T& x) { return traced::function_of_float<Op::sine>(x); }
template <traced::Traced T> auto cos(const T& x) {
  return traced::function_of_float<Op::cosine>(x);
}
template <traced::Traced T> auto tan(const T& x) {
  return traced::function_of_float<Op::tangent>(x);
}
// Floats stay what they are, decimals lose their scale; floor and ceil of an integer are double,
// round and trunc the integer. round: half away from zero.
template <traced::Traced T> auto floor(const T& x) { return traced::rounding<Op::floor>(x); }
template <traced::Traced T> auto ceil(const T& x) { return traced::rounding<Op::ceiling>(x); }
template <traced::Traced T> auto round(const T& x) { return traced::rounding<Op::round>(x); }
template <traced::Traced T> auto trunc(const T& x) { return traced::rounding<Op::truncate>(x); }
// Return double for every type.
template <class A, class B>
  requires traced::Operands<A, B>
auto pow(const A& x, const B& y) {
  static_assert(traced::is_number(traced::type_v<A>) && traced::is_number(traced::type_v<B>),
                "pow takes numbers");
  using R = traced::with_opt<double, traced::any_nullable<A, B>>;
  return Value<R>(traced::combine(Op::power, {x, y}, {Kind::float64}, traced::is_opt<R>));
}

// Return a part of a date or a timestamp as int64. day_of_week counts Sunday as 0. An infinite
// date is a fault.
template <traced::Traced T> auto year(const T& x) { return traced::part<Op::year>(x); }
template <traced::Traced T> auto quarter(const T& x) { return traced::part<Op::quarter>(x); }
template <traced::Traced T> auto month(const T& x) { return traced::part<Op::month>(x); }
template <traced::Traced T> auto day(const T& x) { return traced::part<Op::day>(x); }
template <traced::Traced T> auto day_of_week(const T& x) {
  return traced::part<Op::day_of_week>(x);
}
template <traced::Traced T> auto day_of_year(const T& x) {
  return traced::part<Op::day_of_year>(x);
}
template <traced::Traced T> auto week(const T& x) { return traced::part<Op::week>(x); }
template <traced::Traced T> auto hour(const T& x) { return traced::part<Op::hour>(x); }
template <traced::Traced T> auto minute(const T& x) { return traced::part<Op::minute>(x); }
template <traced::Traced T> auto second(const T& x) { return traced::part<Op::second>(x); }

// Returns the timestamp at which the hour, the month or the like of a date or a timestamp begins:
// date_trunc<Op::start_of_month>(x).
template <Op start, traced::Traced T> auto date_trunc(const T& x) {
  static_assert(start >= Op::start_of_millennium && start <= Op::start_of_millisecond);
  static_assert(traced::is_moment(traced::type_v<T>), "date_trunc takes a date or a timestamp");
  using R = traced::with_opt<timestamp, traced::nullable_v<T>>;
  return Value<R>(traced::combine(start, {x}, {Kind::timestamp}, traced::is_opt<R>));
}

template <traced::Traced T> Value<bool> is_null(const T& x) {
  return Value<bool>(traced::combine(Op::is_null, {x}, {Kind::boolean}, false));
}
// Returns the first value that is not NULL.
template <class... T>
  requires(sizeof...(T) >= 2 && (traced::Traced<T> || ...) && (traced::Usable<T> && ...))
auto coalesce(const T&... inputs) {
  return traced::pick<Op::coalesce>(inputs...);
}
// Return the least or greatest of two or more values, without NULLs.
template <class... T>
  requires(sizeof...(T) >= 2 && (traced::Traced<T> || ...) && (traced::Usable<T> && ...))
auto min(const T&... inputs) {
  return traced::pick<Op::least>(inputs...);
}
template <class... T>
  requires(sizeof...(T) >= 2 && (traced::Traced<T> || ...) && (traced::Usable<T> && ...))
auto max(const T&... inputs) {
  return traced::pick<Op::greatest>(inputs...);
}

// Returns `condition ? then : otherwise` of traced values. A NULL condition takes the second.
template <class C, class A, class B>
  requires(traced::Usable<A> && traced::Usable<B>)
auto select(const C& condition, const A& then, const B& otherwise) {
  if constexpr (!traced::Traced<C>) {
    static_assert(traced::never<C>,
                  "select: the condition must be a traced boolean; for a plain bool write ?:");
    return Value<bool>();
  } else {
    static_assert(traced::type_v<C>.kind == Kind::boolean,
                  "select: the condition must be boolean; write a comparison");
    static_assert(!traced::has_string<A, B>,
                  "select: a str is carried and compared with == and != only");
    constexpr auto result = traced::branch_result({traced::type_v<A>, traced::type_v<B>});
    static_assert(traced::has_string<A, B> || result.has_value(),
                  "select: the branches have no common type; cast one with cast<T>(x)");
    using R =
        traced::value_type<traced::code_or(result, Kind::float64), traced::any_nullable<A, B>>;
    return Value<R>(traced::combine(Op::select, {condition, then, otherwise},
                                    traced::type_of_value<R>(), traced::is_opt<R>));
  }
}

// Casts to another type. Out of range is a fault; float to integer rounds half to even, decimal
// half away from zero.
template <class To, traced::Traced T> auto cast(const T& x) {
  using Wanted = traced::without_opt<traced::canonical_t<To>>;
  static_assert(!std::is_void_v<Wanted>, "cast: this type is not supported");
  constexpr Type from = traced::type_v<T>, to = traced::type_of_value<Wanted>();
  static_assert(!traced::is_wide(to) || from == to,
                "cast: to at most 64 bits, decimals to at most 18 digits");
  static_assert(expr::is_castable(from, to), "cast: there is no conversion between these types");
  using R = traced::with_opt<Wanted, traced::nullable_v<T>>;
  return Value<R>(traced::combine(Op::cast, {x}, to, traced::is_opt<R>));
}

template <class T> auto Value<T>::has_value() const { return !is_null(*this); }
template <class T> template <class U> auto Value<T>::value_or(const U& other) const {
  return coalesce(*this, other);
}

}  // namespace penstock
