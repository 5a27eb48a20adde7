// An operator of a physical plan, and the rows that it yields.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "exec/physical/run_state.hpp"
#include "exec/scan/pair_scan.hpp"
#include "exec/scan/resident_rows.hpp"
#include "table/join/bucketed_rows.hpp"

namespace penstock::plan {

// Rows in device memory: column i of `rows` is column columns[i] of the step.
struct DeviceTable {
  DeviceRows rows;
  Columns columns;
};
// Rows on the host by buckets of their keys; the same columns.
struct BucketedTable {
  std::shared_ptr<const BucketedRows> rows;
  Columns columns;
};
// A source has rows that are made when they are read.
using Rows = std::variant<Table, DeviceTable, BucketedTable, std::shared_ptr<PairedRows>,
                          std::shared_ptr<ResidentRows>, std::shared_ptr<TableSource>>;

// More rows of a step are read by kernels: the host groups some million rows a second.
constexpr std::uint64_t max_host_rows = 1 << 12;

// Returns rows in device memory; null where they are on the host, and stay in `rows`.
std::shared_ptr<ResidentRows> resident_rows(RunState& run, StepId step, Rows& rows);
// Returns rows as a table on the host. They are not by buckets.
Result<Table> rows_here(RunState& run, StepId step, Rows rows);
// Puts few rows of the host into device memory. A column without values stays so.
Result<std::shared_ptr<ResidentRows>> rows_there(RunState& run, StepId step, const Table& rows);
// Returns rows in device memory as one part, which several become within `limit_bytes`. Nothing:
// they are on the host, or have come there, in `rows`.
Result<std::optional<DeviceTable>> device_table(RunState& run, StepId step, Rows& rows,
                                                std::uint64_t limit_bytes);

// The places from which the caller takes rows. A table on the host is always taken.
struct RowsWanted {
  // Bytes of device memory that the rows may take; 0: the host alone.
  std::uint64_t device_bytes = 0;
  bool must_fit = false;      // Code::no_memory where the rows do not fit device memory
  Columns bucket_keys = {};   // columns, by number; rows that do not fit are left by buckets
  bool takes_pairs = false;   // of a join
  bool takes_source = false;  // rows that are made, or put together, when they are read
};

class Operator;
struct OperatorInput {
  std::string role;  // as --explain prints it; "" where there is only one input
  const Operator* from = nullptr;
};

class Operator {
 public:
  explicit Operator(RunState& run) : run_(run) {}
  virtual ~Operator() = default;
  virtual std::string name() const = 0;  // as --explain prints it
  // In the order in which they run.
  virtual std::vector<OperatorInput> inputs() const { return {}; }

  // Returns whether the rows may be left in device memory, within RowsWanted::device_bytes.
  virtual bool stays() const { return false; }
  // Begins to compile what the operator and its inputs need. The device is open.
  virtual Status compile() = 0;
  // Computes the rows. Code::cancelled with RunState::replan set: the plan has to be made anew.
  virtual Result<Rows> run(const RowsWanted& wanted) = 0;
  Result<Table> run_to_host() {
    PENSTOCK_ASSIGN(Rows rows, run({}));
    return std::get<Table>(std::move(rows));
  }

 protected:
  RunState& run_;
};
using OperatorPointer = std::shared_ptr<Operator>;

}  // namespace penstock::plan
