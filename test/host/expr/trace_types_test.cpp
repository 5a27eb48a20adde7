// The static types of lambdas against Builder, over every pair of types: Builder inserts the casts,
// so if the two disagree, a lambda's kernel would compute in a type that its program does not know
// of.
#include <gtest/gtest.h>

#include <tuple>

#include "expr/trace_step.hpp"
#include "penstock/detail/trace.hpp"

namespace penstock {
namespace {

using All = std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                       std::uint16_t, std::uint32_t, std::uint64_t, float, double, date, timestamp,
                       decimal<1, 0>, decimal<4, 4>, decimal<9, 4>, decimal<15, 2>, decimal<18, 0>,
                       decimal<18, 12>, decimal<18, 18>, str>;

template <std::size_t... i> Schema schema_of_all(std::index_sequence<i...>) {
  return {
      {"c" + std::to_string(i), traced::type_of_value<std::tuple_element_t<i, All>>(), true}...};
}
Schema schema_of_all() { return schema_of_all(std::make_index_sequence<std::tuple_size_v<All>>()); }

constexpr Op arithmetic_ops[] = {Op::add, Op::subtract, Op::multiply, Op::integer_divide,
                                 Op::modulo};

std::string text(Op op, Type a, Type b) {
  return std::string(name_of(op)) + " of " + name_of(a) + " and " + name_of(b);
}
std::string text(std::optional<Type> type) { return type ? name_of(*type) : "refused"; }

// The type that Builder gives two columns; nothing if it refuses. Narrow integers are promoted as
// in traces.
std::optional<Type> built(Op op, std::uint32_t a, std::uint32_t b, bool promotes) {
  Builder builder(schema_of_all());
  NodeId inputs[] = {builder.column(a), builder.column(b)};
  if (promotes)
    for (NodeId& input : inputs)
      input = *builder.cast(input, traced::promoted(builder.type(input)));
  Result<NodeId> node = Status(Code::internal, "");
  if (op == Op::select) {
    const NodeId condition = builder.column(0u);
    node = builder.select(condition, inputs[0], inputs[1]);
  } else if (op == Op::coalesce) {
    node = builder.variadic(op, {inputs[0], inputs[1]});
  } else {
    node = builder.binary(op, inputs[0], inputs[1]);
  }
  return node.ok() ? std::optional<Type>(builder.type(*node)) : std::nullopt;
}

template <class Check> void for_each_pair(Check check) {
  const Schema schema = schema_of_all();
  for (std::uint32_t a = 0; a < schema.size(); a++)
    for (std::uint32_t b = 0; b < schema.size(); b++) check(a, b, schema[a].type, schema[b].type);
}

TEST(StaticTypes, OfArithmeticAreBuilders) {
  for_each_pair([](std::uint32_t i, std::uint32_t j, Type a, Type b) {
    for (Op op : arithmetic_ops)
      EXPECT_EQ(text(traced::arithmetic_result(op, traced::promoted(a), traced::promoted(b))),
                text(built(op, i, j, true)))
          << text(op, a, b);
  });
}

TEST(StaticTypes, OfBitOperationsAreBuilders) {
  for_each_pair([](std::uint32_t i, std::uint32_t j, Type a, Type b) {
    EXPECT_EQ(text(traced::bits_result(traced::promoted(a), traced::promoted(b))),
              text(built(Op::bit_xor, i, j, true)))
        << text(Op::bit_xor, a, b);
  });
}

TEST(StaticTypes, ComparisonsAreThoseOfBuilder) {
  for_each_pair([](std::uint32_t i, std::uint32_t j, Type a, Type b) {
    EXPECT_EQ(traced::is_comparable(a, b), built(Op::equal, i, j, false).has_value())
        << text(Op::equal, a, b);
  });
}

TEST(StaticTypes, OfBranchesAreBuilders) {
  for_each_pair([](std::uint32_t i, std::uint32_t j, Type a, Type b) {
    if (a.kind == Kind::string && b.kind == Kind::string)
      return;  // chosen in SQL, not yet in lambdas
    EXPECT_EQ(text(traced::branch_result({a, b})), text(built(Op::select, i, j, false)))
        << text(Op::select, a, b);
    EXPECT_EQ(text(traced::branch_result({a, b})), text(built(Op::coalesce, i, j, false)))
        << text(Op::coalesce, a, b);
  });
}

TEST(StaticTypes, CastsAreThoseOfBuilder) {
  for_each_pair([](std::uint32_t i, std::uint32_t, Type a, Type b) {
    Builder builder(schema_of_all());
    EXPECT_EQ(expr::is_castable(a, b), builder.cast(builder.column(i), b).ok())
        << name_of(a) << " to " << name_of(b);
  });
}

// The types above are only used if each operator asks for its own rule: Trace compares the node
// with the promise.
template <class T, class F> void expect_promise_kept(const char* what, F operation) {
  auto trace = std::make_shared<Trace>(Schema{{"x", traced::type_of_value<T>(), true}}, "map");
  const Value<opt<T>> x(trace->column(0, traced::type_of_value<T>(), true));
  operation(x);
  EXPECT_TRUE(trace->status().ok())
      << what << " of " << name_of(traced::type_of_value<T>()) << ": " << trace->status().text();
}

template <class T> void sweep_functions() {
  constexpr Type type = traced::type_of_value<T>();
  if constexpr (traced::is_number(type)) {
    expect_promise_kept<T>("abs", [](auto x) { return abs(x); });
    expect_promise_kept<T>("sqrt", [](auto x) { return sqrt(x); });
    expect_promise_kept<T>("log10", [](auto x) { return log10(x); });
    expect_promise_kept<T>("floor", [](auto x) { return floor(x); });
    expect_promise_kept<T>("ceil", [](auto x) { return ceil(x); });
    expect_promise_kept<T>("round", [](auto x) { return round(x); });
    expect_promise_kept<T>("trunc", [](auto x) { return trunc(x); });
    expect_promise_kept<T>("pow", [](auto x) { return pow(x, 2); });
    expect_promise_kept<T>("max", [](auto x) { return max(x, 1.0f, x); });
    if constexpr (!std::is_unsigned_v<T>)
      expect_promise_kept<T>("minus", [](auto x) { return -x; });
  }
  if constexpr (traced::is_integral(type)) {
    expect_promise_kept<T>("~", [](auto x) { return ~x; });
    expect_promise_kept<T>("<<", [](auto x) { return x << x; });
  }
  if constexpr (traced::is_moment(type)) {
    expect_promise_kept<T>("year",
                           [](auto x) { return year(x) + hour(x) + day_of_week(x) + week(x); });
    expect_promise_kept<T>("date_trunc", [](auto x) { return date_trunc<Op::start_of_week>(x); });
  }
  expect_promise_kept<T>("is_null", [](auto x) { return is_null(x) || !x.has_value(); });
  expect_promise_kept<T>("==", [](auto x) { return x == x; });
}

TEST(StaticTypes, EveryFunctionKeepsItsPromise) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (sweep_functions<std::tuple_element_t<i, All>>(), ...);
  }(std::make_index_sequence<std::tuple_size_v<All>>());
}

struct Narrow {
  Col<"a", std::int8_t> a;
  Col<"b", opt<std::uint16_t>> b;
  Col<"p", float> p;
  Col<"u", std::uint32_t> u;
};
template <class T, class V> constexpr bool is = std::same_as<Value<T>, std::decay_t<V>>;

TEST(StaticTypes, NarrowIntegersAreIntInArithmeticAsInCpp) {
  Narrow r;
  static_assert(is<std::int32_t, decltype(r.a * r.a)>);
  static_assert(is<opt<std::int32_t>, decltype(r.a + r.b)>);
  static_assert(is<std::int8_t, decltype(select(r.a > 3, r.a, r.a))>,
                "no arithmetic, no promotion");
  static_assert(is<std::int64_t, decltype(r.u - 1)>,
                "uint32 with int32 is by value, not modulo 2^32");
  static_assert(is<float, decltype(r.p * 2)>);
  static_assert(is<double, decltype(r.p * 2.0)>);
  static_assert(is<float, decltype(sqrt(r.p))>);
  static_assert(is<double, decltype(sqrt(r.u))>);
  static_assert(is<std::int64_t, decltype(r.u + 1LL)>, "long long and int64_t are one type");
  SUCCEED();
}

TEST(StaticTypes, NullFollowsTheOperation) {
  Narrow r;
  static_assert(is<bool, decltype(is_null(r.b))>);
  static_assert(is<std::int32_t, decltype(coalesce(r.b, 0))>);
  static_assert(is<opt<bool>, decltype(r.b > 1 && r.a > 1)>);
  static_assert(is<std::int8_t, decltype(select(r.b > 1, r.a, r.a))>,
                "a NULL condition takes the second branch");
  static_assert(is<std::int32_t, decltype(min(r.b, 1))>, "NULLs are skipped");
  SUCCEED();
}

}  // namespace
}  // namespace penstock
