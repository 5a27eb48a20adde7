// Queries written as C++, over plan.hpp.
//
//     struct Row { Col<"price", float> price; Col<"quantity", opt<std::int32_t>> quantity; };
//     float floor = 1000;
//     auto total = from<Row>(open_table("sales.parquet"))
//                      .filter([=](auto r) { return r.price * 2 > floor && r.quantity > 3; })
//                      .map([](auto r) { return select(r.quantity > 10, 0.9f * r.price, 0.0f); })
//                      .sum();                                   // nothing has run
//     Result<double> answer = total.run({.device = "cuda:0"});
//     total.explain();  total.source(Target::metal);             // no device needed
//
// A lambda runs once, when its step is added, and leaves a graph (trace.hpp). The compiler reports
// errors of types. Errors that depend on the table (a missing column, another type) are a Status
// that run(), explain() and source() return. Queries are values: several may continue from one, in
// several threads too.
#pragma once
#include "penstock/detail/row_type.hpp"

namespace penstock {

// ---- sources of rows ----

template <class Row>
Rows<Row> from(Result<std::shared_ptr<TableSource>> source, const char* file = __builtin_FILE(),
               int line = __builtin_LINE()) {
  return Rows<Row>::over(std::move(source), file, line);
}
template <class Row>
Rows<Row> from(std::shared_ptr<TableSource> source, const char* file = __builtin_FILE(),
               int line = __builtin_LINE()) {
  return Rows<Row>::over(Result<std::shared_ptr<TableSource>>(std::move(source)), file, line);
}
template <class Row>
Rows<Row> from(Table table, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return Rows<Row>::over(traced::source_of_table(std::move(table)), file, line);
}
template <class Row>
Rows<Row> from(Result<Table> table, const char* file = __builtin_FILE(),
               int line = __builtin_LINE()) {
  return Rows<Row>::over(traced::source_of_table(std::move(table)), file, line);
}
// Rows of vectors of one length: a row is the value, or a tuple with one value of each.
template <class... T> auto from(std::vector<T>... columns) {
  using Row =
      std::conditional_t<sizeof...(T) == 1,
                         std::tuple_element_t<0, std::tuple<Value<traced::canonical_t<T>>...>>,
                         std::tuple<Value<traced::canonical_t<T>>...>>;
  return Rows<Row>::over(
      traced::source_of_columns({traced::column_of_vector(std::move(columns))...}), "", 0);
}

// Returns results in the order of the queries, which all continue from one from(): the steps they
// share run once.
template <std::derived_from<Query>... Q>
Result<std::vector<QueryResult>> run_together(const RunOptions& options, const Q&... queries) {
  return run_finished({queries.finished()...}, options);
}

}  // namespace penstock
