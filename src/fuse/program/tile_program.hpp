// A tile program: a chain of filters and maps over one source, with its epilogue, as one expression
// graph.
//
// One generated kernel runs it: it loads a tile of the source's columns, evaluates predicates and
// outputs in registers, then runs the epilogue. fuse() makes it from a plan's steps by substituting
// each step's expressions into the next (Graph::import). Everything after it (emission, launch,
// explain) reads only this.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "penstock/plan.hpp"
#include "plan/aggregates.hpp"

namespace penstock::plan {

// Rows of one launch: kernels number rows and tiles with 32 bits.
constexpr std::uint64_t max_launch_rows = std::uint64_t{1} << 31;

enum class Epilogue : unsigned char {
  compact,  // kept rows in order, and their count; without predicates simply a store
  reduce,   // one row of aggregates
  group,    // a table of keys and aggregates
};

// The state of a sum, count, minimum... inside a kernel. It is stored as 64-bit words, so that host
// and device agree on its layout. Whether a sum or extreme is NULL is read from a count, which
// aggregates of the same argument share.
struct Accumulator {
  AccumulatorKind kind = AccumulatorKind::count;
  int argument = -1;  // index into outputs; -1: every row counts
  Type type;          // of the argument
  std::shared_ptr<const CustomReduction> custom;
  std::uint32_t word = 0;  // first word in a stored accumulator set
  bool operator==(const Accumulator&) const = default;
};

// sum(x + addend) is sum(x) + addend * count(x) if no x + addend overflows: the extremes tell.
struct ShiftedSum {
  Int128 addend = 0;
  std::uint32_t minimum = 0, maximum = 0;  // accumulators of x
  std::string overflow;                    // the message of the addition's fault
  bool operator==(const ShiftedSum&) const = default;
};

// The accumulators that hold the result of an aggregate call.
struct AggregateResult {
  Aggregate function = Aggregate::count_rows;
  std::uint32_t accumulator = 0, count = 0;  // the count of the values that went into it
  Type argument_type, type;
  bool of_rounded_sum = false;  // average: see AggregateCall
  std::optional<ShiftedSum> shifted = {};
  // The column of the source with the string, if the accumulator keeps its rank.
  std::optional<std::uint32_t> ranked = {};
  bool operator==(const AggregateResult&) const = default;
};

struct Output {
  std::string name;
  NodeId root = 0;
  // Late materialisation: the source column that the host gathers by row number (strings, 128
  // bits); `root` is not evaluated then. -1: none.
  int late_column = -1;
  bool operator==(const Output&) const = default;
};

// A column that the host computes from a column of strings; the kernel reads its result.
struct DerivedColumn {
  std::uint32_t source = 0;  // in source_schema: a source's own column, or one derived before this
  std::shared_ptr<const CustomFunction> function;  // of strings, never null
  std::vector<Scalar> inputs;  // the constants; inputs[column_input] stands for the column's string
  std::size_t column_input = 0;
  bool operator==(const DerivedColumn& other) const;
};

// The first `count` rows in the order of the keys, which name columns of the program's rows. Equal
// rows keep their order.
struct TopK {
  std::vector<SortKey> keys;
  std::uint64_t count = 0;
  bool operator==(const TopK&) const = default;
};

// The bound that a row's first key must reach to be among the first rows: scalars that the host
// tightens between chunks.
struct TopKBound {
  NodeId passes = 0;  // after a row's faults are noted, so that these do not depend on chunks
  // Parameters: the key of the last of the first rows; whether all rows pass.
  std::uint32_t limit = 0, open = 0;
  bool operator==(const TopKBound&) const = default;
};

// A join that the kernel runs as lookups in a table of the right side. The row that a key finds
// gives the columns after the source's own in source_schema, from first_column on.
struct Lookup {
  StepId step = 0;
  JoinKind kind = JoinKind::inner;
  std::vector<NodeId> keys;           // of the incoming rows
  std::size_t predicates_before = 0;  // the program's predicates of steps before the join
  std::uint32_t first_column = 0, column_count = 0;
  std::vector<std::uint32_t> device_columns;  // in source_schema: read by kernels
  // Only read by the host, by the number of the row that was found.
  std::vector<std::uint32_t> late_columns;
  // The table has the rows of a range of buckets (table/join/join_layout.hpp). The kernel takes the
  // rows with keys in these buckets: it runs once for each range.
  bool is_partitioned = false;
  bool operator==(const Lookup&) const = default;
};

// A column of the source that kernels read out of pages (codec/pages/kernels/page_load.kc).
struct PagedLoad {
  std::uint32_t column = 0;  // in source_schema, one of the source's own
  bool is_wide = false;      // values of 64 bits; else of 32, or of one
  bool is_text = false;      // strings by their place in the pages; else by their codes
  bool is_named = false;     // codes of all values, not of a dictionary's entries
  bool is_late = false;      // no kernel reads it, kept rows are gathered
  bool operator==(const PagedLoad&) const = default;
};

// A constant whose code is the number that a column's strings have.
struct OwnParameter {
  std::uint32_t parameter = 0, column = 0;
  bool is_chosen = false;  // a row may have it as its value, so that it has a number in any case
  bool operator==(const OwnParameter&) const = default;
};

struct TileProgram {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();  // over the source's schema
  // The source's own columns, then the lookups' columns, then the derived ones.
  Schema source_schema;
  std::vector<Lookup> lookups;  // in order; keys of a lookup may be columns of an earlier one
  std::vector<DerivedColumn> derived;
  std::vector<std::uint32_t> device_columns;  // of the source, ascending: read by kernels
  std::vector<std::uint32_t> late_columns;    // of the source: read by the host alone
  // All of scanned_columns() if kernels read pages; else none. Functions of a string are then
  // tables by its code, or computed from its bytes.
  std::vector<PagedLoad> paged;
  // Columns with strings that have numbers of their own as codes, and the parameters that are such
  // numbers. All other codes are the run's.
  std::vector<std::uint32_t> own_codes;
  std::vector<OwnParameter> own_parameters;
  std::vector<NodeId> predicates;  // in order; a row passes if all are TRUE
  std::optional<TopK> top_k;       // compact: the host needs no more rows than these
  std::optional<TopKBound> bound;  // of top_k, if its first key is a number
  Epilogue epilogue = Epilogue::compact;
  bool rows_stay = false;  // compact: in device memory, so that the host gathers no column
  // compact: the columns; group: the keys; then, for reduce and group, the arguments.
  std::vector<Output> outputs;
  std::uint32_t key_count = 0;
  bool any_order = false;           // group: rows need not be sorted by the keys
  std::uint32_t added_outputs = 0;  // the last ones, which top_k orders and nothing yields
  std::vector<Accumulator> accumulators;
  std::vector<AggregateResult> results;
  Schema schema;  // of the rows that the program yields
  // The step's columns that the program yields, not counting a group-by's keys.
  std::vector<std::uint32_t> step_columns;
  // DISTINCT: the kernel groups by the step's keys and the argument, which is one more key after
  // them. The host adds up those groups by the step's keys. This program has the number of keys,
  // the outputs, accumulators and results of that addition.
  std::shared_ptr<const TileProgram> of_distinct;

  std::uint32_t accumulator_words() const;
  std::uint32_t key_words() const;  // one word per key, then one NULL bit per key
  // Words of a group as kernels leave it: its key, then its accumulators, one word at least.
  std::uint32_t entry_words() const;
  // Returns whether row numbers are an output: the source's, or a lookup's found rows.
  bool yields_row_numbers(int lookup = -1) const;
  std::uint32_t first_derived() const {
    return static_cast<std::uint32_t>(source_schema.size() - derived.size());
  }
  // Returns the lookup that has a column, or has what the column is derived from; -1: the source.
  int lookup_of(std::uint32_t column) const;
  // Returns the source's own column that a column is derived from; itself if it is one.
  std::uint32_t root_of(std::uint32_t column) const;
  const PagedLoad* paged_load(std::uint32_t column) const;  // null if not in `paged`
  bool keeps_all_rows() const;
  // Returns the roots of all computed expressions: predicates, keys of lookups, outputs.
  std::vector<NodeId> roots() const;
  // Returns the source's own columns in the order in which batches hold them: the ones that kernels
  // or derived columns read, then the late ones.
  std::vector<std::uint32_t> scanned_columns() const;
  // Equal programs of one graph. A program with a bound has its run's own graph: see same_kernel().
  bool operator==(const TileProgram&) const = default;
};
// Returns whether the same source is emitted for both. The values of parameters may differ.
bool same_kernel(const TileProgram& a, const TileProgram& b);

// Some of a step's result columns, not counting a group-by's keys. A kernel has a limited number of
// parameters, and aggregates of DISTINCT values have groups of their own.
using Slice = std::vector<std::uint32_t>;
Slice whole_slice(const Step& step);
// Builds the program that yields step `last`. Walks up through filters, maps and the left sides of
// joins to `base`. The joins become lookups, and the schema of `base` is the program's source.
// `ranks_strings`: strings of the source are ordered by their ranks.
Result<TileProgram> fuse(const Plan& plan, StepId base, StepId last, const Slice& slice,
                         bool ranks_strings = false);
Result<TileProgram> fuse(const Plan& plan, StepId base, StepId last);
// Fuses a chain of filters and maps that needs to yield only the first rows.
Result<TileProgram> fuse_top_k(const Plan& plan, StepId base, StepId last, TopK top_k,
                               bool ranks_strings = false);
// Makes the kernel write the source's columns that the host would gather by row number; and the
// lookups' late columns.
void write_late_columns(TileProgram& program, bool with_lookups = false);
// Makes a lookup partitioned. The host then has no rows to gather from, so the kernel writes its
// late columns.
void partition_lookup(TileProgram& program, std::size_t lookup);
// Finds which columns kernels read, which are gathered, and which have codes of their own. Call
// when outputs became late or not.
void choose_columns(TileProgram& program);
// Returns the steps strictly between base and last plus last, in order.
std::vector<StepId> chain(const Plan& plan, StepId base, StepId last);

}  // namespace penstock::plan
