// The steps of a plan, and what names their rows: sort keys, join kinds, windows.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/expression.hpp"

namespace penstock {

using StepId = std::uint32_t;
constexpr StepId no_step = ~StepId{0};  // refused by every step and by run()

// A named expression over the input step's rows.
struct Projection {
  std::string name;
  NodeId root = 0;
};

// Results have DuckDB's types: count BIGINT; sum of integers HUGEINT, of decimals DECIMAL(38, s)
// and exact, of floats DOUBLE; average DOUBLE; minimum and maximum the input's type. Over no rows
// all except the counts are NULL. NaN is above every number. Strings are compared by their bytes.
// bool_and and bool_or take booleans alone.
enum class Aggregate : unsigned char {
  count_rows,
  count,
  sum,
  minimum,
  maximum,
  average,
  custom,
  bool_and,
  bool_or
};
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
  lead,
  nth_value,
  concatenation  // of texts
};
std::string_view name_of(WindowFunction function);
// A row's frame begins with its partition. It ends with the last of the rows that are equal to it
// in the order (SQL's default, and the whole partition if there is no order), with the row
// itself, or with the partition.
enum class WindowFrame : unsigned char { peers, rows, partition };
std::string_view name_of(WindowFrame frame);

// An end of a frame that lies elsewhere.
struct FrameEnd {
  // rows and groups (of peers): so many away, those before the row below 0. values: the order's
  // first key is compared with a column, of its type. The first end is the first row that is not
  // before the value, the last end the last row that is not behind it.
  enum class Kind : unsigned char { partition, current_row, peers, rows, groups, values };
  Kind kind = Kind::partition;
  std::int64_t offset = 0;                   // rows, groups
  std::optional<std::uint32_t> column = {};  // rows, groups: BIGINT, in place of offset; values
  bool is_before = false;                    // rows, groups: the column counts backwards
};
enum class FrameExclusion : unsigned char { none, current_row, peers, ties };
struct FrameEnds {
  FrameEnd first, last;
  FrameExclusion excluded = FrameExclusion::none;
};

struct WindowCall {
  WindowFunction function = WindowFunction::row_number;
  std::uint32_t column = 0;                // of the input, if the function takes one
  WindowFrame frame = WindowFrame::peers;  // of aggregates, first_value and last_value
  std::uint64_t distance = 1;              // lag and lead: in rows; nth_value: which
  std::string name;
  // lag and lead: the column with the default value, of the same type.
  std::optional<std::uint32_t> otherwise = {};
  // A frame in place of `frame`. The host computes such calls.
  std::optional<FrameEnds> ends = {};
  bool ignores_nulls = false;  // first_value, last_value, nth_value, lag and lead
};

struct Window {
  std::vector<std::uint32_t> partition;  // columns of the input
  std::vector<SortKey> order;
  std::vector<WindowCall> calls;
};

// The rows that a join yields. inner: the pairs of rows whose keys are equal. left: also each left
// row without a partner, with NULLs. semi: each left row that has a partner. anti: each that has
// none. not_in: anti by the rule of SQL's NOT IN: a NULL on either side leaves it unknown whether
// there is a partner, unless the right side has no rows. For the other kinds a NULL is equal to
// nothing.
enum class JoinKind : unsigned char { inner, left, semi, anti, not_in };
std::string_view name_of(JoinKind kind);
constexpr bool yields_right_columns(JoinKind kind) {
  return kind == JoinKind::inner || kind == JoinKind::left;
}

// Keys that were expected to be unique, and whether a run has found one twice.
struct ExpectedKeys {
  std::atomic<bool> repeat = false;
};

// Columns that must be equal, by number in the left and in the right input.
struct JoinKey {
  std::uint32_t left = 0, right = 0;
};

// Rows that are repeated for each element of their lists or maps: SQL's UNNEST. The longest list of
// several decides, and shorter ones give NULL. A row of NULL and empty lists is left out.
struct Unnesting {
  std::vector<std::uint32_t> kept = {};   // columns of the input that each row repeats
  std::vector<std::uint32_t> lists = {};  // columns with the elements that stand behind these
  bool is_numbered = false;               // a BIGINT behind all: the element's place, from 1
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
  join,
  append,
  unnest
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
  bool any_order = false;                 // group_by: its rows need not be sorted
  std::vector<SortKey> sort_keys;
  std::uint64_t limit = 0, offset = 0;
  Window window;
  Unnesting unnesting;
  JoinKind join_kind = JoinKind::inner;
  // Both columns have one type; they may be columns after the ones that the join yields.
  std::vector<JoinKey> join_keys;
  std::uint32_t left_columns = 0, right_columns = 0;  // join: how many of each input's it yields
  // join: a run ends if keys of the right side repeat, and notes it here.
  std::shared_ptr<ExpectedKeys> expected_keys = {};
};

}  // namespace penstock
