// A statement: a text or rows to ingest, with values of its parameters.
#pragma once
#include <atomic>

#include "session/adbc/connection.hpp"
#include "session/adbc/ingest.hpp"

namespace penstock::adbc {

class Statement {
 public:
  explicit Statement(std::shared_ptr<Database> database) : database_(std::move(database)) {}

  Outcome set_option(const std::string& key, const OptionText& value);
  OptionText option(const std::string& key) const;
  // Sets SQL, or a plan of Substrait or DuckDB; nothing is bound then, and nothing ingested.
  void set_text(std::string text);
  // Sets the rows of the next execution: values of parameters, or what is ingested.
  void bind(std::shared_ptr<TableSource> rows);

  Outcome prepare();
  // Fills `out` and `row_count` unless they are null.
  Outcome execute(ArrowArrayStream* out, std::int64_t* row_count);
  Outcome execute_schema(ArrowSchema* out);
  Outcome parameter_schema(ArrowSchema* out);
  // Ends what is running now with an error. Called from any thread.
  void cancel() { is_cancelled_ = true; }

 private:
  struct Inputs {
    std::string text;
    std::shared_ptr<TableSource> rows;
    IngestTarget target;
    bool binds_by_name = false;
  };
  Inputs inputs(bool takes_rows);
  Outcome execute_ingest(const Inputs& inputs, ArrowArrayStream* out, std::int64_t* row_count);
  // Runs a text without parameters, and keeps its rows in `tables` if that is not null.
  Outcome run(const std::string& text, std::vector<Table>* tables, std::int64_t& row_count);
  Outcome run_each_row(const Inputs& inputs, std::vector<Table>* tables, std::int64_t& row_count);

  const std::shared_ptr<Database> database_;
  mutable std::mutex mutex_;  // of what follows
  std::string text_;
  std::shared_ptr<TableSource> rows_;
  IngestTarget target_;
  bool binds_by_name_ = false;
  std::atomic<bool> is_cancelled_{false};
  std::atomic<std::uint64_t> rows_done_{0}, rows_total_{0};
};

AdbcStatusCode statement_new(AdbcConnection* connection, AdbcStatement* statement,
                             AdbcError* error);
AdbcStatusCode statement_release(AdbcStatement* statement, AdbcError* error);
AdbcStatusCode statement_set_sql_query(AdbcStatement* statement, const char* query,
                                       AdbcError* error);
AdbcStatusCode statement_set_substrait_plan(AdbcStatement* statement, const std::uint8_t* plan,
                                            std::size_t length, AdbcError* error);
AdbcStatusCode statement_bind(AdbcStatement* statement, ArrowArray* values, ArrowSchema* schema,
                              AdbcError* error);
AdbcStatusCode statement_bind_stream(AdbcStatement* statement, ArrowArrayStream* stream,
                                     AdbcError* error);
AdbcStatusCode statement_prepare(AdbcStatement* statement, AdbcError* error);
AdbcStatusCode statement_execute_query(AdbcStatement* statement, ArrowArrayStream* out,
                                       std::int64_t* row_count, AdbcError* error);
AdbcStatusCode statement_execute_schema(AdbcStatement* statement, ArrowSchema* out,
                                        AdbcError* error);
AdbcStatusCode statement_execute_partitions(AdbcStatement* statement, ArrowSchema* schema,
                                            AdbcPartitions* partitions, std::int64_t* row_count,
                                            AdbcError* error);
AdbcStatusCode statement_get_parameter_schema(AdbcStatement* statement, ArrowSchema* out,
                                              AdbcError* error);
AdbcStatusCode statement_cancel(AdbcStatement* statement, AdbcError* error);

}  // namespace penstock::adbc
