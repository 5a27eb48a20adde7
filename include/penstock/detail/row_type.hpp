// Defines queries by the shape of their rows: Rows<R>, and Answer<T> for one value of all rows.
// Included by query.hpp.
#pragma once
#include <concepts>
#include <tuple>
#include <utility>

#include "penstock/detail/typed_result.hpp"
#include "penstock/detail/untyped_query.hpp"

namespace penstock {

namespace traced {

// Calls a lambda with a row, or with a tuple's values one by one if it has so many parameters.
template <class F, class R> auto apply_to_row(F& lambda, const R& row) {
  if constexpr (requires { std::tuple_size<R>::value; }) {
    if constexpr (std::tuple_size_v<R> != 1 && !std::invocable<F&, R>)
      return std::apply(lambda, row);
    else
      return lambda(row);
  } else {
    return lambda(row);
  }
}

inline std::vector<TracedSortKey> sort_keys(TracedSortKey key) { return {std::move(key)}; }
template <Traced X> std::vector<TracedSortKey> sort_keys(const X& x) { return {ascending(x)}; }
template <class... K> std::vector<TracedSortKey> sort_keys(const std::tuple<K...>& keys) {
  return std::apply(
      [](const K&... key) { return std::vector<TracedSortKey>{sort_keys(key)[0]...}; }, keys);
}

}  // namespace traced

// A query that yields one value of the whole input. Without rows, sum is 0, reduce its neutral
// element, and the rest are std::nullopt.
template <class T> class Answer : public Query {
 public:
  Answer(Query query, T over_no_rows)
      : Query(std::move(query)), over_no_rows_(std::move(over_no_rows)) {}
  // `report`, when given, gets the device and what the run took.
  Result<T> run(const RunOptions& options = {}, RunReport* report = nullptr) const {
    PENSTOCK_ASSIGN(QueryResult result, Query::result(options));
    if (report) *report = std::move(result.report);
    const Table& table = result.table;
    if (table.row_count != 1 || table.columns.size() != 1)
      return Status(Code::internal, "a reduce gave more or less than one value");
    if (!table.columns[0].is_valid(0)) return over_no_rows_;
    return T(traced::read<traced::without_opt<traced::canonical_t<T>>>(table.columns[0], 0));
  }

 private:
  T over_no_rows_;
};

template <class R, class Keys> class Grouped;

// A query that yields rows of the shape R (traced_row.hpp).
template <class R> class Rows : public Query {
  using Shape = traced::Shape<R>;

 public:
  explicit Rows(Query query) : Query(std::move(query)) {}
  static Rows over(Result<std::shared_ptr<TableSource>> source, const char* file, int line) {
    return Rows(Query::of(std::move(source))).template bound<R>("from", file, line);
  }

  template <class F>
  Rows filter(F predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    const auto trace = begin("filter", file, line);
    const auto keeps = traced::apply_to_row(predicate, Shape::bind(trace));
    constexpr bool is_boolean = is_boolean_value<decltype(keeps)>();
    static_assert(is_boolean, "filter: the predicate must be boolean; write a comparison");
    if constexpr (is_boolean)
      return Rows(with_filter(trace, keeps));
    else
      return *this;
  }

  // The lambda returns a value, a std::tuple of values, record(field<"name">(x), ...), or a struct
  // of Cols.
  template <class F>
  auto map(F function, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    const auto trace = begin("map", file, line);
    const auto result = traced::apply_to_row(function, Shape::bind(trace));
    using X = std::decay_t<decltype(result)>;
    constexpr bool is_row =
        traced::Usable<X> ||
        (std::is_class_v<X> && std::default_initializable<X> && !traced::IsAggregates<X>);
    static_assert(is_row,
                  "map: return a value, a std::tuple of values, record(field<\"name\">(x), ...) or "
                  "a struct of Col");
    if constexpr (is_row) {
      using Result_ = traced::Shape<X>;
      return Rows<typename Result_::Row>(with_map(trace, Result_::outputs(result)));
    } else {
      return *this;
    }
  }

  // Returns the same rows as a struct of Cols, which are found by their names.
  template <class Struct>
  Rows<Struct> as(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return bound<Struct>("as", file, line);
  }

  // ---- one value ----
  Answer<std::int64_t> count() const {
    return {with_reduce(begin("count", "", 0),
                        {{"count", Aggregate::count_rows, std::nullopt, nullptr}}),
            0};
  }
  // Returns 0 of no rows. Sums of integers have 128 bits, of decimals 38 digits; both are exact.
  auto sum() const { return answer<Aggregate::sum, false>(); }
  auto min() const { return answer<Aggregate::minimum, true>(); }
  auto max() const { return answer<Aggregate::maximum, true>(); }
  auto avg() const { return answer<Aggregate::average, true>(); }
  template <class T> Answer<T> reduce(const TypedReduction<T>& reduction) const {
    const auto trace = begin("reduce", "", 0);
    const auto result = penstock::reduce(reduction, single_value(trace));
    return {
        with_reduce(trace, traced::AggregateShape<std::decay_t<decltype(result)>>::outputs(result)),
        traced::value_of<T>(reduction.reduction->neutral)};
  }

  // ---- several aggregates in one pass: the lambda returns sum(x), a std::tuple of such, or a
  // record of them. One row ----
  template <class F>
  auto aggregate(F function, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) const {
    const auto trace = begin("aggregate", file, line);
    const auto result = traced::apply_to_row(function, Shape::bind(trace));
    using A = std::decay_t<decltype(result)>;
    static_assert(
        traced::IsAggregates<A>,
        "aggregate: return aggregates: sum(x), count(), min(x), max(x), avg(x) or reduce(r, x)");
    if constexpr (traced::IsAggregates<A>)
      return Rows<typename traced::AggregateShape<A>::Row>(
          with_reduce(trace, traced::AggregateShape<A>::outputs(result)));
    else
      return *this;
  }
  // The keys are a value, a tuple or a record; .aggregate(...) must follow. Rows come sorted by the
  // keys.
  template <class F>
  auto group_by(F keys, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    const auto trace = begin("group_by", file, line);
    const auto row = Shape::bind(trace);
    const auto result = traced::apply_to_row(keys, row);
    using X = std::decay_t<decltype(result)>;
    static_assert(!traced::Shape<X>::is_struct,
                  "group_by: return a value, a std::tuple or a record of keys");
    return Grouped<R, X>(*this, trace, row, traced::Shape<X>::outputs(result));
  }

  // The lambda returns a value, ascending(x), descending(x), nulls_first(...), or a std::tuple of
  // these. Stable; NULLs last.
  template <class F>
  Rows order_by(F keys, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    const Rows input = finished();
    const auto trace = input.begin("order_by", file, line);
    return Rows(
        input.with_order(trace, traced::sort_keys(traced::apply_to_row(keys, Shape::bind(trace)))));
  }
  Rows limit(std::uint64_t count, std::uint64_t offset = 0) const {
    return Rows(finished().with_limit(count, offset));
  }

  // Rows of a struct may stand for a table with more columns: only the struct's are results.
  Rows finished() const {
    if constexpr (!Shape::is_struct) return *this;
    const auto trace = begin("map", "", 0);
    return Rows(with_projection(trace, Shape::outputs(Shape::bind(trace))));
  }

  // ---- results ----
  Result<QueryResult> result(const RunOptions& options = {}) const { return run(options); }
  Result<QueryResult> run(const RunOptions& options = {}) const {
    return finished().Query::result(options);
  }
  Result<std::string> explain(const RunOptions& options = {}) const {
    return finished().Query::explain(options);
  }
  Result<std::string> source(Target target) const { return finished().Query::source(target); }
  Result<Table> collect(const RunOptions& options = {}) const {
    PENSTOCK_ASSIGN(QueryResult result, run(options));
    return std::move(result.table);
  }
  // Returns a std::vector of the values or of tuples. opt<T> becomes std::optional<T>, str
  // std::string.
  auto values(const RunOptions& options = {}, RunReport* report = nullptr) const {
    static_assert(
        !Shape::is_struct,
        "values: a struct of Cols has no typed result; choose columns with map, or take collect()");
    if constexpr (!Shape::is_struct) {
      using Types = typename Shape::Types;
      return read_all<typename traced::RowElement<Types>::type>(run(options), report, Types());
    }
  }
  // Returns the only row of a query that aggregates.
  auto one(const RunOptions& options = {}, RunReport* report = nullptr) const {
    auto rows = values(options, report);
    using Element = typename decltype(rows)::Value::value_type;
    if (!rows.ok()) return Result<Element>(rows.status());
    if (rows->size() != 1)
      return Result<Element>(Status(
          Code::invalid, "the result has " + std::to_string(rows->size()) + " rows, not one"));
    return Result<Element>(Element(std::move((*rows)[0])));
  }

 private:
  template <class> friend class Rows;
  template <class, class> friend class Grouped;

  template <class X> static consteval bool is_boolean_value() {
    if constexpr (traced::Usable<X>)
      return traced::type_v<X>.kind == Kind::boolean;
    else
      return false;
  }
  template <class Struct> Rows<Struct> bound(const char* step, const char* file, int line) const {
    const auto trace = begin(step, file, line);
    traced::Shape<Struct>::bind(trace);
    return Rows<Struct>(checked(trace));
  }
  static auto single_value_of(const R& row) {
    static_assert(
        traced::Traced<R>,
        "sum, min, max, avg and reduce take rows of one value; map to it first, or use aggregate");
    return row;
  }
  auto single_value(const std::shared_ptr<Trace>& trace) const {
    return single_value_of(Shape::bind(trace));
  }
  template <Aggregate function, bool keeps_null> auto answer() const {
    const auto trace = begin(function == Aggregate::sum ? "sum" : "aggregate", "", 0);
    const auto result = traced::aggregated<function>(single_value(trace));
    using A = std::decay_t<decltype(result)>;
    using T = typename A::aggregate_type;
    using Type_ = traced::element_t<std::conditional_t<keeps_null, T, traced::without_opt<T>>>;
    return Answer<Type_>(with_reduce(trace, traced::AggregateShape<A>::outputs(result)), Type_());
  }
  template <class Element, class... T>
  static Result<std::vector<Element>> read_all(Result<QueryResult> result, RunReport* report,
                                               traced::Parts<T...> types) {
    PENSTOCK_TRY(result.status());
    if (report) *report = result->report;
    const Table& table = result->table;
    if (table.columns.size() != sizeof...(T))
      return Status(Code::internal, "the result has other columns than the query");
    std::vector<Element> rows;
    rows.reserve(table.row_count);
    for (std::uint64_t row = 0; row < table.row_count; row++)
      rows.push_back(traced::read_row(table, row, types, std::index_sequence_for<T...>()));
    return rows;
  }
};

template <class R, class Keys> class Grouped {
 public:
  Grouped(Rows<R> input, std::shared_ptr<Trace> trace, typename traced::Shape<R>::Row row,
          std::vector<traced::Output> keys)
      : input_(std::move(input)),
        trace_(std::move(trace)),
        row_(std::move(row)),
        keys_(std::move(keys)) {}

  // Returns rows of the keys and the aggregates: a record if both lambdas returned records,
  // otherwise a tuple.
  template <class F> auto aggregate(F function) const {
    const auto result = traced::apply_to_row(function, row_);
    using A = std::decay_t<decltype(result)>;
    static_assert(
        traced::IsAggregates<A>,
        "aggregate: return aggregates: sum(x), count(), min(x), max(x), avg(x) or reduce(r, x)");
    if constexpr (traced::IsAggregates<A>) {
      using Row = typename traced::Joined<typename traced::Shape<Keys>::Row,
                                          typename traced::AggregateShape<A>::Row>::Row;
      return Rows<Row>(
          input_.with_groups(trace_, keys_, traced::AggregateShape<A>::outputs(result)));
    } else {
      return input_;
    }
  }

 private:
  Rows<R> input_;
  std::shared_ptr<Trace> trace_;
  typename traced::Shape<R>::Row row_;
  std::vector<traced::Output> keys_;
};

}  // namespace penstock
