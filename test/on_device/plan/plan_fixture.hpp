// Plans against the interpreter: a table of every type, and the rows that a step should yield by
// evaluate() alone.
#pragma once
#include <map>

#include "fuse/variants/variants.hpp"
#include "on_device/device/device_fixture.hpp"
#include "penstock/run.hpp"
#include "random_expression.hpp"

namespace penstock::test {

inline bool has_kernel(const RunReport& report, std::string_view name) {
  return std::any_of(report.kernels.begin(), report.kernels.end(),
                     [name](const KernelReport& kernel) { return kernel.name == name; });
}

// Every type of random_schema(), and strings `s` (few, with NULL).
inline Table random_table(std::uint64_t rows, std::uint64_t seed) {
  RandomExpressions random(seed);
  const std::vector<Column> columns = random.columns(rows);
  std::vector<std::pair<std::string, Column>> named;
  for (std::size_t i = 0; i < columns.size(); i++)
    named.emplace_back(random.schema()[i].name, columns[i]);
  std::vector<std::optional<std::string>> strings;
  for (std::uint64_t row = 0; row < rows; row++)
    strings.push_back(row % 5 == 3 ? std::nullopt
                                   : std::optional<std::string>(
                                         row % 3 == 0 ? "" : "key " + std::to_string(row % 7)));
  named.emplace_back("s", Column::from_strings(strings));
  return Table::of(std::move(named));
}

// A source that says of every column what random_schema() says: nullable or not.
class FixedSchemaSource : public TableSource {
 public:
  explicit FixedSchemaSource(Table table)
      : inner_(table_source(std::move(table), "random")), schema_(random_schema()) {
    schema_.push_back({"s", {Kind::string}, true});
  }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return inner_->row_count(); }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    return inner_->scan(columns, options);
  }
  std::string describe() const override { return "random"; }

 private:
  std::shared_ptr<TableSource> inner_;
  Schema schema_;
};

inline std::vector<Scalar> row_of(const Table& table, std::uint64_t row) {
  std::vector<Scalar> values;
  for (const Column& column : table.columns) values.push_back(scalar_at(column, row));
  return values;
}

// The rows of `table` that pass, by number.
inline std::vector<std::uint64_t> passing(const Table& table, const Graph& graph,
                                          NodeId predicate) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < table.row_count; row++) {
    const Evaluated result = evaluate(graph, std::span(&predicate, 1), row_of(table, row))[0];
    if (!result.value.is_null && result.value.integer != 0) rows.push_back(row);
  }
  return rows;
}

inline std::string text_of_row(const Table& table, std::uint64_t row) {
  std::string text;
  for (const Column& column : table.columns) text += text_of(scalar_at(column, row)) + "|";
  return text;
}

// Runs a body for each device and each variant that fits the chain from `source` to `step` there.
template <class Body>
void on_each_variant(const Plan& plan, StepId source, StepId step, Body body) {
  on_each_device([&](Device& device) {
    const auto program = plan::fuse(plan, source, step);
    ASSERT_OK(program);
    for (const plan::Variant& variant : plan::variants()) {
      if (variant.epilogue != program->epilogue || !variant.fits(device.traits(), *program))
        continue;
      SCOPED_TRACE(std::string(variant.name));
      RunOptions options;
      options.device = device.traits().id;
      options.variant = std::string(variant.name);
      body(options);
    }
  });
}

}  // namespace penstock::test
