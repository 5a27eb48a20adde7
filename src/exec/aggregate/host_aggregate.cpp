// Computes aggregates in the interpreter, over rows that hold 128-bit numbers.
#include <functional>
#include <map>

#include "exec/aggregate/host_steps.hpp"
#include "expr/value.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/program/derived_columns.hpp"
#include "fuse/program/kernel_parameters.hpp"

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
using Groups = std::map<std::vector<Scalar>, std::vector<Partial>, KeyLess>;

std::vector<Partial> no_rows(const TileProgram& program) {
  std::vector<Partial> partials(program.accumulators.size());
  clear(program, partials);
  return partials;
}

Status add_rows(const TileProgram& program, const Table& input, Groups& groups) {
  std::vector<NodeId> roots = program.predicates;
  for (const Output& output : program.outputs) roots.push_back(output.root);
  for (std::uint64_t row = 0; row < input.row_count; row++) {
    PENSTOCK_ASSIGN(const std::vector<Scalar> all, values_of_row(program, roots, input, row));
    if (all.size() < roots.size()) continue;
    const std::span<const Scalar> values = std::span(all).subspan(program.predicates.size());
    std::vector<Scalar> key(values.begin(), values.begin() + program.key_count);
    for (Scalar& value : key)
      if (is_float(value.type) && value.real == 0) value.real = 0;  // -0.0 is 0.0
    auto [at, inserted] = groups.try_emplace(std::move(key));
    if (inserted) at->second = no_rows(program);
    if (!add_row(program, at->second, values)) return sum_too_large();
  }
  return {};
}

// Adds up groups of keys and an argument by the keys. Extremes of strings are numbers of
// `arguments`, which ascend within a group.
Result<Groups> add_distinct(const TileProgram& totals, const Groups& values,
                            std::vector<std::string>& arguments) {
  Groups groups;
  if (totals.key_count == 0) groups[{}] = no_rows(totals);
  for (const auto& [value, partials] : values) {
    auto [at, inserted] = groups.try_emplace({value.begin(), value.begin() + totals.key_count});
    if (inserted) at->second = no_rows(totals);
    if (!add_row(totals, at->second, value)) return sum_too_large();
    if (!has_string_extremes(totals) || value[totals.key_count].is_null) continue;
    keep_string(totals, at->second, static_cast<Partial>(arguments.size()), std::less<Partial>());
    arguments.push_back(value[totals.key_count].text);
  }
  return groups;
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
  Groups groups;
  if (program.key_count == 0) groups[{}] = no_rows(program);
  PENSTOCK_ASSIGN(const Table rows, with_derived(program, input));
  PENSTOCK_TRY(add_rows(program, rows, groups));
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
