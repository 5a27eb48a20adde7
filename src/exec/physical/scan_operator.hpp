// A scan: kernels yield a step from the rows of its base, through filters, maps and lookups into
// right sides of joins, with an aggregate or a compaction at the end.
//
//     read ahead   pages of right sides, then of the base    scan_reading.cpp
//     build        right sides of its joins                  build_operator.hpp
//     leave out    rows whose keys no right side has         scan_joined_values.cpp
//     read         the base: a source, a step, or pairs      scan_reading.cpp
//     compile      its kernels, in threads                   scan_compile.cpp
//     run          chunks of its rows                        run_tiles.hpp
//     host         few rows of a step, without kernels       scan_on_host.cpp
//     check        where results are validated               scan_check.cpp
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/collect/run_tiles.hpp"
#include "exec/physical/build_operator.hpp"
#include "exec/validate/validate.hpp"
#include "fuse/program/row_condition.hpp"

namespace penstock::plan {

class ScanOperator final : public Operator {
 public:
  // The identity of a scan. A new plan takes over a scan of the same shape.
  struct Shape {
    StepId base = no_step, last = no_step;
    Columns wanted = {};  // of `last`; empty: all
    std::optional<TopK> top_k = {};
    std::optional<Target> may_stay_on = {};  // its rows may be left in memory of such a device
    bool operator==(const Shape&) const = default;
  };
  struct Inputs {
    std::vector<std::shared_ptr<BuildOperator>> builds = {};  // of the lookups, in their order
    OperatorPointer base = {};                                // null: a source
    bool base_makes_pairs = false;                            // where keys of a join repeat
    std::uint64_t row_limit = ~std::uint64_t{0};              // enough rows
    bool is_right_side = false;
    OperatorPointer reference_left = {};  // of the last lookup's join, where results are validated
  };
  ScanOperator(RunState& run, Shape shape, std::vector<TileProgram> programs, bool stays)
      : Operator(run), shape_(std::move(shape)), programs_(std::move(programs)), stays_(stays) {
    // Columns of several programs stand beside each other, and the reference has an order.
    const bool may_be_unsorted = programs_.size() == 1 && !run.options.validate;
    for (TileProgram& program : programs_) program.any_order &= may_be_unsorted;
  }
  void set_inputs(Inputs inputs);
  // A group-by yields these of its groups at least. Keys name the step's columns.
  void ask_for_groups(TopK first);
  const Shape& shape() const { return shape_; }
  const std::vector<TileProgram>& programs() const { return programs_; }
  bool stays() const override { return stays_; }
  Columns columns() const;  // of `last`, those that have values

  std::string name() const override;
  std::vector<OperatorInput> inputs() const override;
  Status compile() override;
  Result<Rows> run(const RowsWanted& wanted) override;

  // Begins to read pages in the order in which they will be needed: right sides first, then the
  // base.
  Status read_ahead();
  // Checks rows in an order, where the scan kept no others.
  Status check_first(const std::vector<SortKey>& keys, std::uint64_t row_limit,
                     const Table& ordered) const;

 private:
  const Step& last() const { return run_.plan.step(shape_.last); }
  const TableSource* base_source() const;  // null where the base is no source
  bool is_validated() const { return run_.options.validate; }

  // scan_reading.cpp
  Status begin_pages(const Traits& expected);
  Status run_builds();
  Status check_expected_keys(StepId join) const;
  RowsWanted wanted_of_base() const;
  bool results_fit(const ResidentRows& rows) const;
  Result<Table> take_resident();
  Result<std::shared_ptr<TableSource>> read_base();
  bool takes_source() const;
  std::shared_ptr<TableSource> source_of_base(Rows rows) const;
  std::shared_ptr<TableSource> table_of_base(Table rows) const;
  Result<std::shared_ptr<TableSource>> leave_out_rows(std::shared_ptr<TableSource> source);
  Result<BegunReading> begin_reading(const TableSource& source);
  Result<BegunScan> begin_columns(const TableSource& source) const;
  const TableSource& rows_to_scan(const TableSource& selected);

  // scan_joined_values.cpp
  Result<std::vector<JoinedValues>> joined_values(const TableSource& source) const;

  // scan_on_host.cpp
  bool may_run_on_host() const;
  Result<Rows> run_on_host(Table rows);

  // scan_partitions.cpp
  Result<std::optional<std::size_t>> lookup_to_partition();
  Status choose_partitions();
  JoinPartitions* partitions();

  // scan_compile.cpp
  Status begin_kernels();
  Status choose_pages(TileProgram& program);

  Result<Rows> run_over_base(const RowsWanted& wanted);
  Result<Rows> run_over(std::shared_ptr<TableSource> rows, const RowsWanted& wanted);
  Result<Rows> run_programs(const TableSource& selected, BegunReading begun,
                            const RowsWanted& wanted);
  Result<RunContext> context();
  TileInput tile_input(const TableSource& rows);
  TileResults tile_results(const RowsWanted& wanted);
  bool may_exchange_groups() const;
  void begin_program(const TileResults& results, std::size_t number) const;
  Result<Rows> run_rest(const RunContext& run, const TileInput& input, const TileResults& results,
                        Table first);
  std::shared_ptr<TableSource> source_of_parts(std::vector<Table> parts) const;
  Rows table_of(std::vector<Table> parts) const;
  void end_pairs();
  std::uint64_t own_resident_bytes() const;
  void end_resident();

  // scan_check.cpp
  Status check_records(const TableSource& source, const RowCondition* needed) const;
  Status check(const std::shared_ptr<TableSource>& rows, const Result<Rows>& found);
  Result<Table> table_to_check(const Result<Rows>& found);
  Status join_for_reference();
  ChainToCheck to_check(std::uint64_t row_limit) const;

  Shape shape_;
  Inputs inputs_;
  std::optional<TopK> first_groups_;   // of the step
  std::optional<TopK> first_of_rows_;  // of the rows of the first program, which finds them
  std::vector<TileProgram> programs_;
  bool stays_;
  // The first program as a GPU reads it, where its pages were begun before a GPU was open.
  std::optional<TileProgram> paged_;
  std::vector<std::unique_ptr<TileKernel>> kernels_;  // begun, until they run
  std::optional<RowSelection> selected_;              // rows of the base that are read
  bool reads_ahead_ = false;                          // read_ahead() was here
  std::shared_ptr<TableSource> scanned_;              // its rows, where it read ahead
  BegunPages begun_;
  std::shared_ptr<PairedRows> pairs_;         // the base's rows, where they are these
  std::shared_ptr<ResidentRows> resident_;    // the same
  bool reads_resident_ = false;               // its programs can
  std::optional<JoinPartitions> partitions_;  // of one of its lookups
  bool has_run_ = false;
  StepId checked_base_ = no_step;                // what the reference begins with
  std::shared_ptr<TableSource> checked_source_;  // its rows
};

}  // namespace penstock::plan
