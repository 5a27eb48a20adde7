// Statements over files on a device that stays open: for programs that ask more than one.
//
//     auto session = Session::create({.device = "cuda:0"});
//     PENSTOCK_ASSIGN(QueryResult sum,
//         session->sql("SELECT sum(price) FROM 'hits.parquet' WHERE quantity > 3"));
//     PENSTOCK_ASSIGN(QueryResult again,
//         session->sql("SELECT max(price) FROM 'hits.parquet' WHERE quantity > 5"));
//
// The device opens once, while the first statement is bound. A statement that differs from an
// earlier one in its literals alone compiles nothing. A file that did not change is not opened
// again, and its columns stay in the device's memory up to a limit (device_cache.hpp).
//
// Every call is thread-safe, and statements may overlap. The device takes turns between statements
// that need it at once.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/io.hpp"
#include "penstock/run.hpp"
#include "penstock/session_device.hpp"
#include "penstock/sql.hpp"

namespace penstock {

struct SessionOptions {
  // As open_device() takes it; or several devices, as RunOptions has them, of which each keeps its
  // share of the rows.
  std::string device = {};
  // The limit of each device's cache of files; 0 keeps nothing; by default a quarter of its memory.
  std::optional<std::uint64_t> cache_limit_bytes = {};
  // Options of read_csv() for the CSV files that statements name by their path alone.
  std::vector<TableOption> csv_options = {};
  Planner planner = Planner::automatic;
};

// A name that a session keeps.
struct SessionTable {
  std::string name;
  bool is_view = false;
};

// A statement, with what belongs to it alone.
struct SessionStatement {
  std::string_view text;
  // Tables that FROM may name. A statement that has some is bound anew each time.
  using Tables = std::map<std::string, std::shared_ptr<TableSource>, std::less<>>;
  Tables tables = {};
  // A row that has a value for each parameter of the text: `?`, `$1` or `$name`. A column without
  // rows is NULL. Null: there are none.
  const Table* parameters = nullptr;
  std::optional<Planner> planner = {};  // instead of the session's
};

class Session {
 public:
  // Begins to open the device; if that fails, statements say why. A program that has
  // CUDA_DEVICE_MAX_CONNECTIONS=8 in its environment reads pages up to a third faster; opening
  // takes 50 ms longer (docs/session.md).
  static std::shared_ptr<Session> create(const SessionOptions& options = {});
  virtual ~Session() = default;

  // Answers one statement of docs/sql.md. COPY ... TO, CREATE TABLE ... AS, INSERT, UPDATE and
  // DELETE yield the number of rows that they wrote or changed. The session replaces the device and
  // the session of `options`.
  virtual Result<QueryResult> sql(std::string_view statement, const RunOptions& options = {}) = 0;
  // Does the same for a statement that brings tables, parameters or a planner of its own.
  virtual Result<QueryResult> sql(const SessionStatement& statement,
                                  const RunOptions& options = {}) = 0;
  // Returns the steps, operators and kernels of a SELECT, and reads no row. A view or a macro is
  // defined, and the text is empty; CREATE TABLE ... AS is Code::unsupported, as it reads rows.
  virtual Result<std::string> explain(const SessionStatement& statement,
                                      const RunOptions& options = {}) = 0;
  // Returns the source of a SELECT's kernels for a target. Needs no device.
  virtual Result<std::string> source(const SessionStatement& statement, Target target) = 0;
  // Returns the names and types of the columns that a SELECT yields. Reads no row.
  virtual Result<Schema> schema_of(std::string_view statement) = 0;

  // Keeps rows under a name, as CREATE [OR REPLACE] TABLE does. The source can be scanned again.
  virtual Status define_table(const std::string& name, std::shared_ptr<TableSource> rows,
                              bool replaces = false) = 0;
  // Adds rows to such a table, as INSERT does. Columns have the same names and types.
  virtual Status append_table(const std::string& name, const TableSource& rows) = 0;
  // Returns the views and tables that statements or define_table() have named, in the order of
  // their names; and the rows of one table, or null if there is none of this name.
  virtual std::vector<SessionTable> tables() = 0;
  virtual std::shared_ptr<TableSource> find_table(std::string_view name) = 0;

  // Keeps a function of SQL under its name, in any case; or an aggregate. It replaces another one
  // of that name; one that is as the known one changes nothing. Without `host`, the body is
  // compiled for the host: it merges, and computes what the interpreter runs. Code::compile has the
  // compiler's log. Code::invalid: a name of SQL's own functions, or one that is no identifier.
  virtual Status define(CustomFunction function) = 0;
  virtual Status define(CustomReduction reduction) = 0;

  // Runs a plan. The session keeps what it reads from sources that have an identity.
  virtual Result<QueryResult> run(const Plan& plan, StepId result,
                                  const RunOptions& options = {}) = 0;
  // Opens a file, or returns the open one if the file is the same.
  virtual Result<std::shared_ptr<TableSource>> open_table(const TableReference& table) = 0;

  virtual Result<std::shared_ptr<Device>> device() = 0;    // waits until it is open; the first one
  virtual DeviceCache& cache() = 0;                        // of one device; of several see caches()
  virtual Result<std::vector<DeviceCache*>> caches() = 0;  // of each device
};

}  // namespace penstock
