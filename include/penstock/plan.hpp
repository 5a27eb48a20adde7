// A plan is a graph of operations over tables, fused into tile kernels and run on a device.
//
// Steps are type-checked when they are added; nothing runs until run(). Chains of filter and map,
// and the reduce or group-by at their end, become one kernel. A step with several consumers is
// materialised once. A source is scanned for each of them if it can be scanned again, and held in
// memory if it cannot.
//
//     Plan plan;
//     StepId rows = plan.source(open_table("lineitem.parquet"));
//     PENSTOCK_ASSIGN(StepId kept, plan.filter(rows, graph, predicate));
//     PENSTOCK_ASSIGN(StepId total, plan.reduce(kept, graph, {{Aggregate::sum, price,
//         "revenue"}}));
//     PENSTOCK_ASSIGN(QueryResult result, run(plan, total, {.device = "cuda:0"}));
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/device.hpp"
#include "penstock/expression.hpp"
#include "penstock/profile.hpp"
#include "penstock/skipping.hpp"
#include "penstock/status.hpp"

namespace penstock {

using StepId = std::uint32_t;
constexpr StepId no_step = ~StepId{0};  // refused by every step and by run()

// A named expression over the input step's rows.
struct Projection {
  std::string name;
  NodeId root = 0;
};

// Results are those of DuckDB: count BIGINT; sum of integers HUGEINT, of decimals DECIMAL(38, s)
// and exact, of floats DOUBLE; average DOUBLE; minimum and maximum the input's type. Over no rows
// all except the counts are NULL. NaN is above every number. Strings are compared by their bytes.
enum class Aggregate : unsigned char { count_rows, count, sum, minimum, maximum, average, custom };
std::string_view name_of(Aggregate aggregate);

struct AggregateCall {
  Aggregate function = Aggregate::count_rows;
  NodeId argument = 0;  // not read by count_rows
  std::string name;
  std::shared_ptr<const CustomReduction> custom;
  // average: CAST(sum AS DOUBLE) / count instead of one division of the exact sum.
  bool of_rounded_sum = false;
  bool distinct = false;  // each value of the argument once; no effect on minimum and maximum
};

struct SortKey {
  std::uint32_t column = 0;  // of the step that is sorted
  bool descending = false;
  bool nulls_first = false;
  bool operator==(const SortKey&) const = default;
};

// Functions over the rows of a partition in its order. Ranks count from 1; rows of equal keys have
// equal ranks.
enum class WindowFunction : unsigned char {
  row_number,
  rank,
  dense_rank,
  count_rows,
  count,
  sum,
  minimum,
  maximum,
  average,
  first_value,
  last_value,
  lag,
  lead
};
std::string_view name_of(WindowFunction function);
// A row's frame begins with its partition. It ends with the last of the rows that are equal to it
// in the order (SQL's default, and the whole partition where there is no order), with the row
// itself, or with the partition.
enum class WindowFrame : unsigned char { peers, rows, partition };
std::string_view name_of(WindowFrame frame);

struct WindowCall {
  WindowFunction function = WindowFunction::row_number;
  std::uint32_t column = 0;                // of the input, where the function takes one
  WindowFrame frame = WindowFrame::peers;  // of aggregates, first_value and last_value
  std::uint64_t distance = 1;              // lag and lead: in rows
  std::string name;
  // lag and lead: the column, of the same type, whose value is the default.
  std::optional<std::uint32_t> otherwise = {};
};

struct Window {
  std::vector<std::uint32_t> partition;  // columns of the input
  std::vector<SortKey> order;
  std::vector<WindowCall> calls;
};

// The rows that a join yields. inner: the pairs of rows whose keys are equal. left: also each left
// row without a partner, with NULLs. semi: each left row that has a partner. anti: each that has
// none. not_in: anti by the rule of SQL's NOT IN, where a NULL on either side leaves it unknown
// whether there is a partner, unless the right side has no rows. Elsewhere a NULL is equal to
// nothing.
enum class JoinKind : unsigned char { inner, left, semi, anti, not_in };
std::string_view name_of(JoinKind kind);
constexpr bool yields_right_columns(JoinKind kind) {
  return kind == JoinKind::inner || kind == JoinKind::left;
}

// Columns that must be equal, by number in the left and in the right input.
struct JoinKey {
  std::uint32_t left = 0, right = 0;
};

enum class StepKind : unsigned char {
  source,
  filter,
  map,
  reduce,
  group_by,
  order_by,
  limit,
  window,
  join
};
std::string_view name_of(StepKind kind);

struct Step {
  StepKind kind = StepKind::source;
  std::vector<StepId> inputs;
  Schema schema;  // of the rows it yields
  std::shared_ptr<TableSource> source;
  std::shared_ptr<const Graph> graph;
  NodeId predicate = 0;                   // filter
  std::vector<Projection> projections;    // map; the keys of group_by
  std::vector<AggregateCall> aggregates;  // reduce, group_by
  std::vector<SortKey> sort_keys;
  std::uint64_t limit = 0, offset = 0;
  Window window;
  JoinKind join_kind = JoinKind::inner;
  // Of equal types; they may be columns after those that the join yields.
  std::vector<JoinKey> join_keys;
  std::uint32_t left_columns = 0, right_columns = 0;  // join: how many of each input's it yields
};

class Plan {
 public:
  StepId source(std::shared_ptr<TableSource> source);  // no_step where there is none
  // Each refuses wrong types with the step's name and the types: "filter: the predicate is INTEGER,
  // not BOOLEAN". A graph is over the input's rows: its columns are checked against their types.
  Result<StepId> filter(StepId input, std::shared_ptr<const Graph> graph, NodeId predicate);
  Result<StepId> map(StepId input, std::shared_ptr<const Graph> graph,
                     std::vector<Projection> projections);
  Result<StepId> reduce(StepId input, std::shared_ptr<const Graph> graph,
                        std::vector<AggregateCall> aggregates);
  // Yields the keys, then the aggregates. Rows are sorted by the keys (NULLs last), so that every
  // device gives one order.
  Result<StepId> group_by(StepId input, std::shared_ptr<const Graph> graph,
                          std::vector<Projection> keys, std::vector<AggregateCall> aggregates);
  Result<StepId> order_by(StepId input, std::vector<SortKey> keys);  // stable
  // Yields the input's columns, then those of the calls. Rows keep their order. The types of
  // results are those of aggregates.
  Result<StepId> window(StepId input, Window window);
  Result<StepId> limit(StepId input, std::uint64_t count, std::uint64_t offset = 0);
  // Yields the left columns, then the right ones (except for semi, anti and not_in), in the order
  // of the left rows and, for one of them, of the right rows. Keys of two types are compared as
  // common_type() of them. NaN equals NaN, as in DuckDB. The right side is held in memory: make it
  // the smaller one. If its key is unique, the join is a lookup inside the left side's kernel.
  Result<StepId> join(StepId left, StepId right, JoinKind kind, std::vector<JoinKey> keys);

  // Gives a source step other rows of the same schema.
  void replace_source(StepId source, std::shared_ptr<TableSource> rows);
  // Returns the plan over TableSource::with_nulls_found() of its sources; nullopt where none has
  // found any. Its steps have the same numbers.
  std::optional<Plan> with_nulls_found() const;
  const Step& step(StepId id) const { return steps_[id]; }
  std::size_t size() const { return steps_.size(); }

 private:
  friend class Query;  // makes a plan of steps that were checked when they were added to another
  Result<StepId> add(Step step);
  Result<StepId> with_casts(StepId input, const std::vector<std::pair<std::uint32_t, Type>>& casts);
  Status check(StepKind kind, StepId input, const Graph* graph,
               const std::vector<NodeId>& roots) const;
  std::vector<Step> steps_;
};

struct Progress {
  std::uint64_t rows_done = 0;
  std::optional<std::uint64_t> rows_total;
};

// Who decodes the pages of a file (Parquet), or its light encodings (Arrow): kernels, in the step
// that loads a row, or the host. automatic: kernels, where the device has cores of its own and the
// pages allow it; the report has a note where the host does it instead. device: kernels, or an
// error that says why not.
enum class PageDecoding : unsigned char { automatic, device, host };
// Where rows between the kernels of a query are kept: the right sides of joins, with their tables,
// and rows that are to be sorted. In device memory, or on the host, from which they are uploaded.
// automatic: on devices with cores of their own; small files, and what a device cannot keep, on the
// host. device: on every device.
enum class IntermediateRows : unsigned char { automatic, device, host };
// Whether a device reads the pages of Parquet files itself, past the host's memory: GPUDirect
// Storage by cuFile, for NVIDIA's GPUs. automatic: where the driver says that the file system
// allows it, and little of what is needed is in the page cache. on: always, if need be in cuFile's
// compatibility mode; an error says where there is no cuFile, and where the host decodes the pages.
// The report says what it read.
enum class DirectReads : unsigned char { automatic, on, off };
// What a run on several devices does when one of them is not there, is lost, or lacks memory. stop:
// ends with an error that names the device. go_on: the other devices compute its rows, and the
// report has a note of it.
enum class OnDeviceFailure : unsigned char { stop, go_on };
class SessionDevice;  // session_device.hpp
namespace plan {
class KeptPrograms;  // src/plan/execution/kept_programs.hpp
}  // namespace plan

struct RunOptions {
  // As open_device takes it; or several devices, which then share the rows: "cuda:0,1",
  // "cuda:0,opencl:1", "cuda:*". One that is named twice has two shares.
  std::string device = {};
  OnDeviceFailure on_device_failure = OnDeviceFailure::stop;
  // Runs on the session's device or devices, whatever `device` says, with what they keep of files.
  std::shared_ptr<SessionDevice> session = {};
  bool fast_math = false;
  // Rows per chunk, and per piece of sorted rows that is downloaded; 0: chosen from the device and
  // the row width.
  std::uint64_t batch_rows = 0;
  std::uint64_t memory_limit_bytes = 0;  // of device memory; 0: the device's
  // Threads that read a file's pages; 0: one a core. Several devices share them.
  std::uint32_t reading_threads = 0;
  PageDecoding page_decoding = PageDecoding::automatic;
  IntermediateRows intermediate_rows = IntermediateRows::automatic;
  DirectReads direct_reads = DirectReads::automatic;
  std::string variant = {};  // forces a row of the variant table by name ("compact_look_back")
  // Computes every step by the host reference too, row by row in the interpreter (some 10^5 rows a
  // second), and compares. A difference is an error with the step, the row, both values and the
  // row's inputs. Values must be equal, with two exceptions: sums and averages of floats (1e-9 of
  // the sum of the absolute values, since the device adds in its own order); and values computed
  // from functions that devices do not round exactly, as sin, exp, power and UDFs of floats (1e-9
  // of the value, FLOAT 1e-4). Not with fast_math.
  bool validate = false;
  bool profile = false;  // fills RunReport::profile
  // Fills the profile's stalls too: samples of what kernels waited for; see Device::sample_stalls.
  bool stalls = false;
  std::function<bool(const Progress&)> progress = {};  // returning false cancels
  // Gets each kernel's source before it is compiled.
  std::function<void(std::string_view text)> on_source = {};
  // For the library's own use: what earlier runs of the same plan made, which a session keeps.
  std::shared_ptr<plan::KeptPrograms> kept_programs = {};
};

struct KernelReport {
  std::string name, variant;
  std::shared_ptr<const std::string> source = {};  // that was built
  BuildReport build;
  bool is_kept = false;       // by a session: neither emitted nor looked up in the JIT cache
  double device_seconds = 0;  // of all its launches
  // Chunks it ran on, and ran on again because its table of groups was too small.
  std::uint64_t launches = 0;
  // Columns, outputs and validity that it read and wrote, from row counts.
  std::uint64_t bytes_moved = 0;
};

// What one of several devices did.
struct DeviceShareReport {
  std::string device_id, device_name;
  std::uint64_t rows_read = 0, bytes_uploaded = 0, bytes_downloaded = 0;
  std::uint64_t columns_from_cache = 0;  // as of a run
  double seconds = 0;                    // from the beginning of its share to its end
  double begin_seconds = 0;              // since the run began
  // Of `seconds`: waiting for the source, and for the device; and what its kernels took.
  double read_seconds = 0, wait_seconds = 0, kernel_seconds = 0;
  std::optional<Profile> profile = {};  // where RunOptions::profile asked for it
};

struct RunReport {
  std::string device_id, device_name;  // empty where no device was needed, and none was named
  std::uint64_t rows_read = 0, rows_out = 0, chunks = 0;
  std::uint64_t paged_chunks = 0;  // of the chunks, those whose pages kernels decoded
  std::uint64_t bytes_uploaded = 0, bytes_downloaded = 0;
  std::uint64_t bytes_read_directly = 0;  // by the device itself, past the host's memory
  std::uint64_t chains_fused = 0;         // of steps; those that a session had kept are not counted
  std::uint64_t columns_from_cache =
      0;  // of chunks, that a session had kept: neither read nor sent
  double total_seconds = 0, read_seconds = 0,
         wait_seconds = 0;  // whole run; waiting for the source; waiting for the device
  // Of scans whose filters sources were told of: what these left out of it.
  SkipCounts skipped;
  // Of each tile program, and after it those that computed on its columns' codes, and group_merge
  // where the groups of chunks were merged on the device, distinct_totals and first_groups where
  // they were added up or selected there, first_rows where those of a chunk were, radix_sort; and
  // join_table for each table of a join that the device made, join_pairs where its keys repeat.
  std::vector<KernelReport> kernels;
  // What the host computed because device memory was too small, or the device could not, and what
  // took no kernel, a sentence each.
  std::vector<std::string> notes;
  // Where RunOptions::profile asked for it. Of several devices each share has its own.
  std::optional<Profile> profile;
  // Of each share of a run on several devices, in the order of its rows. The counts above are those
  // of all devices; their times are those of the device that took longest.
  std::vector<DeviceShareReport> shares;
  // Of partial results that the host merged, and of rows that devices sent to one another.
  std::uint64_t bytes_exchanged = 0;
  double merge_seconds = 0;  // of several devices: what the host takes to merge their shares
};

struct QueryResult {
  Table table;
  RunReport report;
};

Result<QueryResult> run(const Plan& plan, StepId result, const RunOptions& options = {});
// Computes several results of one plan; steps that they share run once (see above).
Result<std::vector<QueryResult>> run(const Plan& plan, const std::vector<StepId>& results,
                                     const RunOptions& options = {});

// Describes the graph before and after fusion, the bytes moved with and without it, and whether the
// cache would hit on `options.device`. Without a device the last part is left out.
Result<std::string> explain(const Plan& plan, StepId result, const RunOptions& options = {});
// Returns the complete source of the plan's kernels for a target, with a comment on each parameter:
// sizes, and what memory holds before. `variant` and `page_decoding` as in RunOptions. Needs no
// device.
Result<std::string> source(const Plan& plan, StepId result, Target target,
                           std::string_view variant = {},
                           PageDecoding page_decoding = PageDecoding::automatic);

// A plan compiled for a device, with its tables on the device: for programs that run it again and
// again, and for benches.
class Prepared {
 public:
  virtual ~Prepared() = default;
  // Runs once; results stay on the device. Returns the device's own seconds between first and last
  // kernel.
  virtual Result<double> run_seconds() = 0;
  virtual Result<QueryResult> fetch() = 0;  // the last run's result, downloaded
};
Result<std::unique_ptr<Prepared>> prepare(const Plan& plan, StepId result,
                                          const RunOptions& options = {});

}  // namespace penstock
