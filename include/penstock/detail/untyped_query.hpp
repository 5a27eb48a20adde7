// The common base of queries of any shape: the steps that yield their rows, and running them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/detail/traced_row.hpp"
#include "penstock/run.hpp"

namespace penstock {

// A query without its types: the base of Rows and Answer.
class Query {
 public:
  // Runs the query and returns its rows and the report.
  Result<QueryResult> result(const RunOptions& options = {}) const;
  Result<std::string> explain(const RunOptions& options = {}) const;
  Result<std::string> source(Target target) const;
  // Returns the first error of building the query. run() and the others return it too.
  const Status& status() const { return status_; }
  const Query& finished() const { return *this; }  // ready to run: see Rows::finished

 protected:
  // The steps that lead to this query's rows. The last one yields them. None if there is no table.
  Plan plan() const;
  static Query of(Result<std::shared_ptr<TableSource>> source);
  std::shared_ptr<Trace> begin(const char* step, const char* file, int line) const;
  Query with_filter(const std::shared_ptr<Trace>& trace, const traced::Operand& predicate) const;
  Query with_map(const std::shared_ptr<Trace>& trace,
                 const std::vector<traced::Output>& outputs) const;
  // Adds the map, unless every column would stay where it is.
  Query with_projection(const std::shared_ptr<Trace>& trace,
                        const std::vector<traced::Output>& outputs) const;
  Query with_reduce(const std::shared_ptr<Trace>& trace,
                    const std::vector<traced::AggregateOutput>& aggregates) const;
  Query with_groups(const std::shared_ptr<Trace>& trace, const std::vector<traced::Output>& keys,
                    const std::vector<traced::AggregateOutput>& aggregates) const;
  Query with_order(const std::shared_ptr<Trace>& trace,
                   const std::vector<TracedSortKey>& keys) const;
  Query with_limit(std::uint64_t count, std::uint64_t offset) const;
  // Returns this query, with the trace's error if it has one.
  Query checked(const std::shared_ptr<Trace>& trace) const;
  Query failed(Status status) const;

 private:
  // A step and those before it. Immutable, so that queries of several threads may continue from
  // one.
  struct Link;

  template <class Add> Query add(const std::shared_ptr<Trace>& trace, Add add_step) const;
  friend Result<std::vector<QueryResult>> run_finished(const std::vector<Query>& queries,
                                                       const RunOptions& options);

  std::shared_ptr<const Link> last_;  // null if there is no table
  Status status_;
};

// Runs queries that are finished(). See run_together().
Result<std::vector<QueryResult>> run_finished(const std::vector<Query>& queries,
                                              const RunOptions& options);

namespace traced {

Result<std::shared_ptr<TableSource>> source_of_columns(std::vector<Column> columns);
// Drops validity bitmaps that mark every row valid, so that the columns count as never NULL.
Result<std::shared_ptr<TableSource>> source_of_table(Result<Table> table);

}  // namespace traced

}  // namespace penstock
