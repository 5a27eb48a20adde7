// Computes aggregates in the interpreter, over rows that hold 128-bit numbers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/cancellation.hpp"
#include "exec/aggregate/host_steps.hpp"
#include "expr/evaluate_columns.hpp"
#include "expr/value.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/program/derived_columns.hpp"
#include "fuse/program/kernel_parameters.hpp"
#include "table/rows/gather.hpp"

namespace penstock::plan {
namespace {

// Compares keys as the groups of a kernel are sorted: NULLs last, NaN above every number, strings
// by bytes.
struct KeyLess {
  bool operator()(const std::vector<Scalar>& a, const std::vector<Scalar>& b) const {
    for (std::size_t i = 0; i < a.size(); i++) {
      if (a[i].is_null != b[i].is_null) return b[i].is_null;
      if (a[i].is_null) continue;
      if (const int order = expr::compare(a[i], b[i]); order != 0) return order < 0;
    }
    return false;
  }
};
using Key = std::vector<Scalar>;
using Groups = std::vector<std::pair<Key, std::vector<Partial>>>;  // in the order of the keys

// Appends a value so that equal keys have equal bytes.
void append_bytes(std::string& bytes, const Scalar& value) {
  bytes += value.is_null ? '\0' : '\1';
  if (value.is_null) return;
  if (value.type.kind == Kind::string) {
    const std::uint64_t size = value.text.size();
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size).append(value.text);
  } else if (is_float(value.type)) {
    const double real = std::isnan(value.real) ? std::nan("") : value.real;
    bytes.append(reinterpret_cast<const char*>(&real), sizeof real);
  } else {
    bytes.append(reinterpret_cast<const char*>(&value.integer), sizeof value.integer);
  }
}

// Finds groups by the bytes of their keys.
class GroupFinder {
 public:
  explicit GroupFinder(const TileProgram& program) : program_(program) {
    if (program.key_count == 0) find({});
  }
  // The key is the first of the values.
  std::vector<Partial>& find(std::span<const Scalar> values) {
    if (program_.key_count == 0 && !groups_.empty()) return groups_[0].second;
    bytes_.clear();
    const std::span<const Scalar> key = values.first(program_.key_count);
    for (const Scalar& value : key) append_bytes(bytes_, value);
    const auto [at, is_new] = places_.try_emplace(bytes_, groups_.size());
    if (is_new) {
      groups_.emplace_back(Key(key.begin(), key.end()),
                           std::vector<Partial>(program_.accumulators.size()));
      clear(program_, groups_.back().second);
    }
    return groups_[at->second].second;
  }
  Groups finish() {
    std::ranges::sort(groups_, KeyLess(), &Groups::value_type::first);
    return std::move(groups_);
  }

 private:
  const TileProgram& program_;
  std::unordered_map<std::string, std::size_t> places_;
  std::string bytes_;
  Groups groups_;
};

// Keeps the rows that pass a predicate. A later one may fault where an earlier one drops the row.
Result<Table> rows_that_pass(const TileProgram& program, Table rows) {
  for (const NodeId& predicate : program.predicates) {
    PENSTOCK_ASSIGN(const std::vector<Column> passes,
                    expr::evaluate_columns(*program.graph, std::span(&predicate, 1), rows));
    std::vector<std::uint64_t> kept;
    for (std::uint64_t row = 0; row < rows.row_count; row++)
      if (passes[0].is_valid(row) && passes[0].boolean(row)) kept.push_back(row);
    for (Column& column : rows.columns)  // one that no step wants is not there
      if (column.row_count == rows.row_count) column = gather(column, kept);
    rows.row_count = kept.size();
  }
  return rows;
}

Result<Groups> add_rows(const TileProgram& program, const Table& input) {
  PENSTOCK_ASSIGN(const Table rows, rows_that_pass(program, input));
  std::vector<NodeId> roots;
  for (const Output& output : program.outputs) roots.push_back(output.root);
  PENSTOCK_ASSIGN(const std::vector<Column> columns,
                  expr::evaluate_columns(*program.graph, roots, rows));
  GroupFinder groups(program);
  std::vector<Scalar> values(columns.size());
  for (std::uint64_t row = 0; row < rows.row_count; row++) {
    if (row % rows_between_checks == 0) check_cancelled();
    for (std::size_t i = 0; i < columns.size(); i++) values[i] = scalar_at(columns[i], row);
    for (std::uint32_t i = 0; i < program.key_count; i++)
      if (is_float(values[i].type) && values[i].real == 0) values[i].real = 0;  // -0.0 is 0.0
    if (!add_row(program, groups.find(values), values)) return sum_too_large();
  }
  return groups.finish();
}

// Adds up groups of keys and an argument by the keys. Extremes of strings are numbers of
// `arguments`, which ascend within a group.
Result<Groups> add_distinct(const TileProgram& totals, const Groups& values,
                            std::vector<std::string>& arguments) {
  GroupFinder groups(totals);
  for (const auto& [value, unused] : values) {
    if (arguments.size() % rows_between_checks == 0) check_cancelled();
    std::vector<Partial>& partials = groups.find(value);
    if (!add_row(totals, partials, value)) return sum_too_large();
    if (!has_string_extremes(totals) || value[totals.key_count].is_null) continue;
    keep_string(totals, partials, static_cast<Partial>(arguments.size()), std::less<Partial>());
    arguments.push_back(value[totals.key_count].text);
  }
  return groups.finish();
}

Table table_of(const TileProgram& program, const Groups& groups,
               const std::vector<std::string>& arguments = {}) {
  const auto result = [&](std::span<const Partial> partials, std::size_t i) {
    Scalar value = result_of(program, program.results[i], partials);
    if (value.type.kind == Kind::string && !value.is_null)
      value.text = arguments[static_cast<std::size_t>(value.integer)];
    return value;
  };
  Table table;
  table.row_count = groups.size();
  for (std::size_t c = 0; c < program.schema.size(); c++) {
    std::vector<Scalar> values;
    for (const auto& [key, partials] : groups)
      values.push_back(c < program.key_count ? key[c] : result(partials, c - program.key_count));
    table.names.push_back(program.schema[c].name);
    table.columns.push_back(column_of(program.schema[c].type, values));
  }
  return table;
}

Result<Table> aggregate(const TileProgram& program, const Table& input) {
  PENSTOCK_ASSIGN(const Table rows, with_derived(program, input));
  PENSTOCK_ASSIGN(const Groups groups, add_rows(program, rows));
  for (const auto& [key, partials] : groups) PENSTOCK_TRY(check_shifted_sums(program, partials));
  if (!program.of_distinct) return table_of(program, groups);
  std::vector<std::string> arguments;
  PENSTOCK_ASSIGN(const Groups totals, add_distinct(*program.of_distinct, groups, arguments));
  return table_of(*program.of_distinct, totals, arguments);
}

}  // namespace

Result<Table> aggregate_on_host(const Plan& plan, StepId id, const Table& input) {
  return aggregate_on_host(plan, plan.step(id).inputs[0], id, input);
}

Result<Table> aggregate_on_host(const Plan& plan, StepId base, StepId id, const Table& input) {
  PENSTOCK_ASSIGN(const std::vector<TileProgram> programs, fuse_slices(plan, base, id));
  std::vector<Table> parts;
  for (const TileProgram& program : programs) {
    PENSTOCK_ASSIGN(Table part, aggregate(program, input));
    parts.push_back(std::move(part));
  }
  return beside(programs, std::move(parts));
}

}  // namespace penstock::plan
