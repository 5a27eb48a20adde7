// Rows in and out of traced lambdas, and the aggregates over them.
//
// A lambda is given one row and returns what becomes of it. A row is one Value, a std::tuple of
// Values, a Record of named Values, or a struct whose members are Cols. Tuples may also be taken
// apart by the lambda's parameters: [](auto price, auto quantity).
//
//     .map([](auto r) { return record(field<"total">(r.price * r.quantity),
//         field<"year">(year(r.shipped))); })
//     .map([](auto r) { return get<"total">(r); })
//     .aggregate([](auto r) { return std::tuple(sum(r.price), count(), avg(r.quantity)); })
#pragma once
#include <tuple>
#include <utility>
#include <vector>

#include "penstock/detail/trace.hpp"
#include "penstock/plan.hpp"

namespace penstock {

template <FixedString given, class X> struct FieldValue {
  static constexpr auto name = given;
  using Held = X;
  X value;
};
template <class... F> struct Record {
  std::tuple<F...> fields;
};

template <FixedString name, class X> FieldValue<name, X> field(X value) {
  return {std::move(value)};
}
template <FixedString... names, class... X>
Record<FieldValue<names, X>...> record(FieldValue<names, X>... fields) {
  return {{std::move(fields)...}};
}

namespace traced {

// An aggregate over the rows; T is the type of its result, opt if no rows give NULL.
template <class T> struct Aggregated {
  using aggregate_type = T;
  Aggregate function = Aggregate::count_rows;
  std::optional<TracedNode> argument;
  std::shared_ptr<const CustomReduction> custom;
  bool of_distinct = false;
};
template <class X>
concept IsAggregated = requires { typename std::decay_t<X>::aggregate_type; };

// One output of an aggregating lambda. The name is empty if the lambda gave none.
struct AggregateOutput {
  std::string name;
  Aggregate function;
  std::optional<TracedNode> argument;
  std::shared_ptr<const CustomReduction> custom;
  bool of_distinct = false;
};

// ---- shapes of rows ----

template <class... T> struct Parts {
  static constexpr std::size_t count = sizeof...(T);
};  // canonical types

template <class R> struct Shape {  // a struct of Cols, known by name only
  static constexpr bool is_struct = true;
  using Row = R;
  static R bind(const std::shared_ptr<Trace>& trace) {
    BindingRow binding(trace);
    return R{};
  }
  static std::vector<Output> outputs(const R& row) {
    ListingColumns listing;
    [[maybe_unused]] const R copy = row;
    return std::move(listing.columns);
  }
};

template <class X>
  requires(Usable<X> && !IsAggregated<X>)
struct Shape<X> {
  static constexpr bool is_struct = false;
  using T = type_behind<X>;
  using Row = Value<T>;
  using Types = Parts<T>;
  static Row bind(const std::shared_ptr<Trace>& trace) {
    return Row(column_at(trace, 0, type_of_value<T>(), is_opt<T>));
  }
  static std::vector<Output> outputs(const X& value) { return {{"", value}}; }
};

template <class... T, std::size_t... i>
std::tuple<Value<T>...> bind_values(const std::shared_ptr<Trace>& trace, Parts<T...>,
                                    std::index_sequence<i...>) {
  return {Value<T>(column_at(trace, i, type_of_value<T>(), is_opt<T>))...};
}

template <class... X> struct Shape<std::tuple<X...>> {
  static constexpr bool is_struct = false;
  static_assert((Usable<X> && ...),
                "a row is made of traced values and scalars of supported types");
  using Row = std::tuple<Value<type_behind<X>>...>;
  using Types = Parts<type_behind<X>...>;
  static Row bind(const std::shared_ptr<Trace>& trace) {
    return bind_values(trace, Types(), std::index_sequence_for<X...>());
  }
  static std::vector<Output> outputs(const std::tuple<X...>& row) {
    return std::apply([](const X&... values) { return std::vector<Output>{{"", values}...}; }, row);
  }
};

template <class... F> struct Shape<Record<F...>> {
  static constexpr bool is_struct = false;
  static_assert((Usable<typename F::Held> && ...),
                "a record is made of traced values and scalars of supported types");
  using Row = Record<FieldValue<F::name, Value<type_behind<typename F::Held>>>...>;
  using Types = Parts<type_behind<typename F::Held>...>;
  static Row bind(const std::shared_ptr<Trace>& trace) {
    return std::apply(
        [](auto... values) { return Row{{FieldValue<F::name, decltype(values)>{values}...}}; },
        bind_values(trace, Types(), std::index_sequence_for<F...>()));
  }
  static std::vector<Output> outputs(const Record<F...>& row) {
    return std::apply(
        [](const F&... fields) {
          return std::vector<Output>{{std::string(F::name.view()), fields.value}...};
        },
        row.fields);
  }
};

// Describes what an aggregating lambda may return: one aggregate, a tuple or a record of them.
template <class A> struct AggregateShape;
template <IsAggregated A> struct AggregateShape<A> {
  using Row = Value<typename A::aggregate_type>;
  static std::vector<AggregateOutput> outputs(const A& a) {
    return {{"", a.function, a.argument, a.custom, a.of_distinct}};
  }
};
template <class... A>
  requires(IsAggregated<A> && ...)
struct AggregateShape<std::tuple<A...>> {
  using Row = std::tuple<Value<typename A::aggregate_type>...>;
  static std::vector<AggregateOutput> outputs(const std::tuple<A...>& all) {
    return std::apply(
        [](const A&... a) {
          return std::vector<AggregateOutput>{
              {"", a.function, a.argument, a.custom, a.of_distinct}...};
        },
        all);
  }
};
template <class... F>
  requires(IsAggregated<typename F::Held> && ...)
struct AggregateShape<Record<F...>> {
  using Row = Record<FieldValue<F::name, Value<typename F::Held::aggregate_type>>...>;
  static std::vector<AggregateOutput> outputs(const Record<F...>& all) {
    return std::apply(
        [](const F&... f) {
          return std::vector<AggregateOutput>{{std::string(F::name.view()), f.value.function,
                                               f.value.argument, f.value.custom,
                                               f.value.of_distinct}...};
        },
        all.fields);
  }
};
template <class A>
concept IsAggregates = requires { typename AggregateShape<A>::Row; };

// Joins keys and aggregates: a record if both are records, otherwise a tuple.
template <class T> std::tuple<Value<T>> as_tuple(std::type_identity<Value<T>>);
template <class... T> std::tuple<T...> as_tuple(std::type_identity<std::tuple<T...>>);
template <class... F> std::tuple<typename F::Held...> as_tuple(std::type_identity<Record<F...>>);
template <class Keys, class Aggregates> struct Joined {
  using Row = decltype(std::tuple_cat(as_tuple(std::type_identity<Keys>()),
                                      as_tuple(std::type_identity<Aggregates>())));
};
template <class... K, class... A> struct Joined<Record<K...>, Record<A...>> {
  using Row = Record<K..., A...>;
};

template <class T, Aggregate function>
consteval auto aggregate_type() {  // plan.cpp's aggregate_type, for canonical types
  constexpr Type type = type_of_value<T>();
  using U = without_opt<T>;
  if constexpr (function == Aggregate::count_rows || function == Aggregate::count)
    return std::type_identity<std::int64_t>();
  else if constexpr (function == Aggregate::average ||
                     (function == Aggregate::sum && is_real(type)))
    return std::type_identity<opt<double>>();
  else if constexpr (function == Aggregate::sum && type.kind == Kind::decimal)
    return std::type_identity<opt<decimal<38, type.scale>>>();
  else if constexpr (function == Aggregate::sum)
    return std::type_identity<opt<Int128>>();
  else
    return std::type_identity<opt<U>>();
}

template <Aggregate function, class X> auto aggregated(const X& x) {
  constexpr Type type = type_v<X>;
  constexpr bool adds = function == Aggregate::sum || function == Aggregate::average;
  static_assert(!adds || is_number(type) || type.kind == Kind::boolean, "sum and avg take numbers");
  static_assert(!is_wide(type) || !adds,
                "a sum is wider than sum and avg take; write cast<double>(x)");
  static_assert(function == Aggregate::count || type.kind != Kind::string,
                "strings can be counted and grouped by; min and max of them are not supported");
  return Aggregated<typename decltype(aggregate_type<type_behind<X>, function>())::type>{
      function, TracedNode(x), nullptr};
}

}  // namespace traced

// Returns a field of a record by its name.
template <FixedString wanted, class... F> auto get(const Record<F...>& record) {
  constexpr std::size_t index = [] {
    std::size_t at = 0, found = sizeof...(F);
    ((found = F::name.view() == wanted.view() ? at : found, at++), ...);
    return found;
  }();
  static_assert(index < sizeof...(F), "get: the record has no field of this name");
  if constexpr (index < sizeof...(F)) return std::get<index>(record.fields).value;
}

// ---- aggregates, in the lambda of aggregate() ----
// Results as SQL's: NULLs are skipped, and over no rows all but the counts are NULL. A sum of
// integers is 128 bits wide, of decimal<P, S> a decimal<38, S>, both exact; of floats a double.

inline traced::Aggregated<std::int64_t> count() { return {}; }
template <traced::Traced X> auto count(const X& x) {
  return traced::aggregated<Aggregate::count>(x);
}
template <traced::Traced X> auto sum(const X& x) { return traced::aggregated<Aggregate::sum>(x); }
template <traced::Traced X> auto min(const X& x) {
  return traced::aggregated<Aggregate::minimum>(x);
}
template <traced::Traced X> auto max(const X& x) {
  return traced::aggregated<Aggregate::maximum>(x);
}
template <traced::Traced X> auto avg(const X& x) {
  return traced::aggregated<Aggregate::average>(x);
}
// Returns the aggregate of distinct values: distinct(count(r.user)).
template <class T> traced::Aggregated<T> distinct(traced::Aggregated<T> aggregate) {
  aggregate.of_distinct = true;
  return aggregate;
}
template <class T, traced::Traced X> auto reduce(const TypedReduction<T>& reduction, const X& x) {
  static_assert(traced::type_of_value<T>() == traced::type_v<X>,
                "reduce: the value has another type than the reduction; write cast<T>(x)");
  return traced::Aggregated<opt<T>>{Aggregate::custom, TracedNode(x), reduction.reduction};
}

// ---- sort keys, in the lambda of order_by() ----

struct TracedSortKey {
  traced::Operand value;
  bool is_descending = false, has_nulls_first = false;
};
template <traced::Traced X> TracedSortKey ascending(const X& x) { return {x}; }
template <traced::Traced X> TracedSortKey descending(const X& x) { return {x, true}; }
inline TracedSortKey nulls_first(TracedSortKey key) {
  key.has_nulls_first = true;
  return key;
}
template <traced::Traced X> TracedSortKey nulls_first(const X& x) { return {x, false, true}; }

}  // namespace penstock
