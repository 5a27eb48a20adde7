// run(): computes the wanted steps of a plan, each shared step once.
//
// The last step of a chain of filters, maps and lookup joins is yielded by kernels. A chain goes
// through four passes, which run_chain() lists:
//
//     fuse      its steps become tile programs    execution_fuse.cpp, fuse/program/kernel_steps.hpp
//     read      the right sides of its joins      execution_join.cpp
//               pairs, where their keys repeat    execution_pairs.cpp
//               partitions, where one is large    execution_partitions.cpp
//               its rows                          execution_read.cpp
//               pages of all these, ahead         execution_read_ahead.cpp
//     compile   its kernels, in threads           execution_compile.cpp
//     run       chunks of its rows                run_tiles.hpp
//
// Chains are fused and begin to compile for the whole plan at once, as soon as the device is open.
// All other steps are computed on the host, by execution.cpp.
#pragma once
#include <map>
#include <set>

#include "exec/aggregate/partial_columns.hpp"
#include "exec/collect/run_tiles.hpp"
#include "exec/groups/group_exchange.hpp"
#include "exec/kernel/lookup_memory.hpp"
#include "exec/physical/device_opener.hpp"
#include "exec/physical/right_side_exchange.hpp"
#include "exec/validate/validate.hpp"
#include "fuse/program/kernel_steps.hpp"
#include "table/exchange/row_exchange.hpp"
#include "table/sort/device_row_merge.hpp"
#include "table/sort/device_row_sort.hpp"

namespace penstock::plan {

// The kernels that yield a step from the rows of `base`.
struct Chain {
  StepId base = no_step, last = no_step;
  Columns wanted;  // columns of `last`; empty: all
  std::optional<TopK> top_k;
  std::optional<TopK> first_groups;  // of a group-by: the others are not needed
  std::vector<TileProgram> programs;
  // The first program as a GPU reads it, where its pages were begun before a GPU was open.
  std::optional<TileProgram> paged;
  bool stays = false;                                // its rows can be left in device memory
  std::vector<std::unique_ptr<TileKernel>> kernels;  // begun, until they run
  std::optional<RowSelection> selected;              // rows of the base that are read
  std::shared_ptr<TableSource> source;               // the rows of `base`, for validation
  bool reads_ahead = false;                          // read_ahead() was here
  std::shared_ptr<TableSource> scanned;              // its rows, where it read ahead
  BegunPages begun;
  std::shared_ptr<PairedRows> pairs;  // the rows of `base`, a join that made pairs on the device
  std::optional<JoinPartitions> partitions;  // of one of its lookups
};

bool is_right_side(const Plan& plan, StepId id);  // of a join
bool is_ordered(const Plan& plan, StepId id);     // by an ORDER BY

class Execution {
 public:
  // All of these outlive it.
  // `device`: null where it is opened as the options say.
  Execution(const Plan& plan, const std::vector<StepId>& results, const RunOptions& options,
            std::shared_ptr<Device> device = {});
  // Computes one of the results.
  Result<QueryResult> run(StepId result);
  // What the rows of a step become where others of the same step are merged with them: of an
  // aggregate, keys and accumulators by tile program; otherwise one table of rows.
  struct Share {
    std::vector<PartialTable> parts;
    RunReport report;
    double begin_seconds = 0;  // now_seconds() when it began
  };
  // Computes a step that is the plan's only result, as the share of a larger plan.
  Result<Share> run_share(StepId step, std::uint64_t row_limit);
  // Of the share of a group-by that gets all rows of its groups these are enough.
  void ask_for(std::optional<TopK> first_groups) { first_groups_ = std::move(first_groups); }
  // Exchanges sorted rows with the other shares of an order, where all are in device memory.
  void exchange_with(std::shared_ptr<RowExchange> others, std::size_t share);
  // Exchanges the groups of the share with those of others.
  void exchange_with(std::shared_ptr<GroupExchanges> others, std::size_t share);
  // Puts its rows together with those of the others.
  void exchange_with(std::shared_ptr<JointRows> others, std::size_t share);
  // Takes right sides together with them, of which its plan's sources have a share.
  void exchange_with(std::shared_ptr<RightSideExchange> others, std::size_t share);
  // Gives the rows of a step, which are not computed then. Call before run().
  void give(StepId step, Table rows);
  // Returns why kernels cannot read some pages, though their headers did not say so, where that
  // ended a run; otherwise a success.
  const Status& refusal() const { return refusal_; }

 private:
  // Returns the rows of a step as a table on the host; at least `row_limit` of them if there are as
  // many. Columns that are not wanted may be without values. If `wanted` is empty, all are wanted.
  Result<Table> materialise(StepId id, std::uint64_t row_limit, const Columns& wanted = {});
  Columns columns_asked_for(StepId id, const Columns& wanted) const;
  Result<Table> compute(StepId id, std::uint64_t row_limit, const Columns& wanted);
  Result<const std::optional<Table>*> answer_of_source(StepId id);
  Result<bool> needs_no_device(StepId id);
  Status run_on_device(StepId result, QueryResult& outcome);
  Status run_without_device(StepId result, QueryResult& outcome);
  // `stay`: where the chain may leave its rows, in place of the columns of the table.
  bool is_share(StepId step) const { return step != no_step && step == share_; }
  Result<Table> run_chain(Chain& chain, std::uint64_t row_limit, RowsOnDevice* stay = nullptr);
  const TableSource& rows_to_scan(const Chain& chain, const TableSource& selected);
  Result<Table> run_programs(Chain& chain, const TableSource& selected, std::uint64_t row_limit,
                             BegunReading begun, RowsOnDevice* stay = nullptr);

  // execution_fuse.cpp
  Result<Chain*> chain_of(StepId id, const Columns& wanted, StepId order = no_step,
                          const std::optional<TopK>& top_k = {});
  Status fuse(Chain& chain, StepId base);

  // execution_order.cpp
  Result<Table> ordered_rows(StepId id, std::uint64_t row_limit);
  Result<Table> sorted(StepId id, const Table& input, std::uint64_t row_limit);
  Result<Chain*> chain_to_sort(StepId order, std::uint64_t row_limit);
  const std::shared_ptr<DeviceRowSort>& row_sort();
  DeviceRowMerge& row_merge();
  Result<Table> rows_sorted_in_place(StepId order, Chain& chain, std::uint64_t row_limit);
  Status exchange_sorted(StepId order, DeviceRows& rows, std::optional<DeviceRows>& sorted);
  Result<bool> download_range(JointRows& all, const Step& step,
                              const std::optional<DeviceRows>& range, const Columns& columns,
                              Table& to);
  Result<std::optional<DeviceRows>> sort_in_place(StepId order, const DeviceRows& rows,
                                                  std::uint64_t row_limit);
  Result<std::optional<Table>> sort_and_download(StepId order, const Step& step,
                                                 const DeviceRows& rows, const Columns& columns,
                                                 std::uint64_t row_limit);
  Result<std::optional<Table>> exchange_ranges(StepId order, const Step& step, DeviceRows& rows,
                                               const Columns& columns);
  Result<std::optional<DeviceRows>> merge_in_place(StepId order, const RowExchange::Range& range);
  bool fits_order(StepId order, std::uint64_t row_count);
  Result<Table> windowed_rows(const Step& step);
  Result<Table> rows_to_order(StepId order, std::uint64_t row_limit);
  Result<Table> groups_to_order(StepId order, std::uint64_t row_limit);

  // execution_share.cpp
  bool are_joined(StepId id) const;
  Result<Table> joined_rows(Chain& chain, std::uint64_t row_limit);
  bool has_share_of_right_side(StepId join) const;
  Status agree_on_keys(StepId join);
  Result<Table> right_side_of_all(StepId join, Chain& chain, const Columns& columns,
                                  RowsOnDevice& stay);

  // execution_join.cpp
  Result<StepId> read_right_sides(Chain& chain, std::uint64_t row_limit);
  Status read_right_side(StepId join, const Columns& columns, const Columns& gathered);
  // Of right sides and of pairs, in device memory; and what a quarter of it has left for more.
  std::uint64_t bytes_of_sides() const;
  std::uint64_t bytes_left_for_sides(std::uint64_t besides_bytes = 0) const;
  std::string limit_of_right_sides() const;
  Status take_right_side(StepId join, Chain& chain, const Columns& gathered, BuildSide& side);
  Status keep_right_side(StepId join, const Columns& columns, RowsOnDevice stay,
                         const Columns& gathered, BuildSide& side);
  Status download_right_side(const Step& right, const DeviceRows& rows, const Columns& columns,
                             Table& to);
  Status hash_right_side(StepId join, BuildSide& side);
  Status move_right_side(StepId join, std::string_view why);
  const std::shared_ptr<RowKernels>& join_kernels();
  bool may_stay(StepId right) const;
  bool has_repeated_keys(StepId join) const;
  Result<Table> join_rows(StepId id, Columns wanted);

  // execution_partitions.cpp
  Status keep_buckets(StepId join, Columns columns, std::shared_ptr<const BucketedRows> rows,
                      BuildSide& side);
  Status leave_by_buckets(StepId join, const Columns& columns, DeviceSide there, BuildSide& side);
  std::string too_many_of_one_key() const;
  Status take_from_buckets(StepId join, BuildSide& side, std::string_view why);
  Status move_buckets(StepId join, std::string_view why);
  bool is_in_buckets(StepId join) const;
  Result<std::optional<std::size_t>> lookup_to_partition(Chain& chain);
  static JoinPartitions* partitions_of(Chain& chain);
  Status choose_partitions(Chain& chain);
  void note_partitions(const JoinPartitions& partitions);

  // execution_pairs.cpp
  Result<bool> pair_rows(Chain& chain, StepId join);
  Result<bool> pair_with_left(Chain& chain, StepId join);
  Result<std::shared_ptr<PairedRows>> pairs_of(StepId join, PairedLeft left);
  Result<std::optional<DeviceRows>> left_on_device(StepId join, const Columns& columns,
                                                   std::uint64_t limit_bytes);
  bool may_make_pairs(StepId join) const;
  void end_pairs(Chain& chain);

  // execution_read.cpp
  Result<std::shared_ptr<TableSource>> read_base(const Chain& chain);
  Result<std::shared_ptr<TableSource>> leave_out_rows(Chain& chain,
                                                      std::shared_ptr<TableSource> source);
  Result<BegunReading> begin_reading(Chain& chain, const TableSource& source,
                                     std::uint64_t row_limit);
  Result<BegunScan> begin_scan(const TileProgram& program, const TableSource& source,
                               std::uint64_t row_limit) const;

  // execution_read_ahead.cpp
  std::optional<Traits> expected_traits() const;
  Status read_ahead(Chain& chain, std::uint64_t row_limit);
  Status begin_pages(Chain& chain, const Traits& expected, std::uint64_t row_limit);
  void pin_read_ahead();

  // execution_compile.cpp
  Status fuse_for_device();
  Status begin_compiling();
  Status compile_step(StepId id, std::uint64_t row_limit = ~std::uint64_t{0},
                      const Columns& wanted = {});
  Status compile_chain(Chain& chain);
  Status compile_right_sides(const Chain& chain);
  Status begin_kernels(Chain& chain);
  Status choose_pages(Chain& chain, TileProgram& program);
  Result<std::shared_ptr<pages::PageDecoder>> page_decoder();

  // execution_checks.cpp
  Status check_records(StepId last, const TableSource& source, const RowCondition* needed);
  Status join_for_reference(Chain& chain);
  Status download_to_check(const Chain& chain, const RowsOnDevice& stay, Result<Table>& table);
  ChainToCheck to_check(const Chain& chain, std::uint64_t row_limit);
  Status validate_order(StepId id, const Table& input, std::uint64_t row_limit,
                        const Table& ordered);
  Status validate_window_order(const Table& input, const Window& window);

  const Plan& plan_;
  const std::vector<StepId>& results_;
  const RunOptions& options_;
  std::vector<std::uint32_t> consumers_;
  std::shared_ptr<Recording> recording_;  // null unless a profile is asked for
  DeviceOpener device_;
  // By step, and by the ORDER BY that takes the step's first rows (no_step: none).
  std::map<std::pair<StepId, StepId>, Chain> chains_;
  std::set<StepId> begun_;  // steps whose chains are compiled or being compiled
  StringPool strings_;
  std::map<StepId, Table> done_;                      // the rows of shared steps
  std::map<StepId, std::optional<Table>> answers_;    // of steps, by their sources' records
  std::shared_ptr<pages::PageDecoder> page_decoder_;  // null until a program reads pages
  // Of all pages that are read ahead.
  const std::shared_ptr<pages::ReadingOrder> order_ = std::make_shared<pages::ReadingOrder>();
  std::vector<std::weak_ptr<PinnedSlabs>> not_pinned_;  // of pages begun before the device was open
  Task<void> pinning_;
  BuildSides sides_;                           // the right sides of joins
  std::set<StepId> paired_;                    // left sides of joins that make pairs
  std::uint64_t pair_bytes_ = 0;               // of these pairs, in device memory
  std::shared_ptr<RowKernels> join_kernels_;   // null until rows may stay on the device
  std::shared_ptr<DeviceRowSort> row_sort_;    // null until they may be sorted there
  std::shared_ptr<DeviceRowMerge> row_merge_;  // of a share that may get others' sorted rows
  // The rows of sources that cannot be scanned again.
  std::map<StepId, std::shared_ptr<TableSource>> held_;
  StepId share_ = no_step;                          // an aggregate that leaves partials
  std::vector<PartialTable> partials_;              // of it
  std::shared_ptr<RowExchange> exchange_;           // with other shares; null where there is none
  GroupShare group_share_;                          // of a group-by; the same
  std::shared_ptr<JointRows> joint_rows_;           // of other rows; the same
  std::optional<TopK> first_groups_;                // of the share; see ask_for()
  std::shared_ptr<RightSideExchange> right_sides_;  // that are read in shares; the same
  std::size_t share_number_ = 0;
  bool is_next_in_order_ = false;  // its rows were exchanged
  RunReport report_;
  Status refusal_;
};

}  // namespace penstock::plan
