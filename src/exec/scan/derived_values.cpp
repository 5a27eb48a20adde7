// Computes the values of derived columns from a batch's columns.
#include <cstring>

#include "base/parallel.hpp"
#include "column/column_builders.hpp"
#include "expr/value.hpp"
#include "fuse/program/derived_columns.hpp"
#include "fuse/program/string_ranks.hpp"

namespace penstock::plan {
namespace {

// Calls keep(row, result) for every string of a column without a dictionary, in threads.
template <class Keep>
void for_each_string(const DerivedColumn& derived, const Column& strings, const Keep& keep) {
  in_parallel(strings.row_count, 1 << 12, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<Scalar> inputs = derived.inputs;
    inputs[derived.column_input].type = derived.function->parameter_types[derived.column_input];
    for (std::uint64_t row = first; row < last; row++) {
      if (!strings.is_valid(row)) continue;
      inputs[derived.column_input].text = strings.string(row);
      keep(row, derived.function->host(inputs));
    }
  });
}

// Computes the function's results. Threads write booleans as bytes, side by side.
Column results_of(const DerivedColumn& derived, const Column& strings) {
  Column column;
  column.type = derived.function->result_type;
  column.row_count = strings.row_count;
  if (column.type.kind == Kind::boolean) {
    std::vector<std::uint8_t> truths(strings.row_count);
    for_each_string(derived, strings, [&](std::uint64_t row, const Scalar& result) {
      truths[row] = result.integer != 0;
    });
    column::BitBuilder bits;
    for (const std::uint8_t truth : truths) bits.push(truth != 0);
    column.values = bits.take();
  } else if (column.type.kind == Kind::int64) {
    std::vector<std::int64_t> numbers(strings.row_count);
    const auto keep = [&](std::uint64_t row, const Scalar& result) {
      numbers[row] = static_cast<std::int64_t>(result.integer);
    };
    for_each_string(derived, strings, keep);
    column.values = Bytes::own(std::move(numbers));
  } else {
    std::vector<Scalar> results(strings.row_count, Scalar::null_of(column.type));
    for_each_string(derived, strings,
                    [&](std::uint64_t row, Scalar result) { results[row] = std::move(result); });
    return column_of(column.type, results);
  }
  return column;
}

// Spreads the results of a dictionary's strings, of a fixed width, over the rows that name them.
Column spread(const Column& results, const Column& source) {
  Column column;
  column.type = results.type;
  column.row_count = source.row_count;
  column.validity = source.validity;
  const auto* codes = source.values.as<std::int32_t>();
  const auto entry = [&](std::uint64_t row) {
    return source.is_valid(row) ? static_cast<std::uint64_t>(codes[row]) : 0;
  };
  const bool has_results = results.row_count > 0;  // otherwise every row is NULL
  if (column.type.kind == Kind::boolean) {
    column::BitBuilder bits;
    for (std::uint64_t row = 0; row < source.row_count; row++)
      bits.push(has_results && results.boolean(entry(row)));
    column.values = bits.take();
    return column;
  }
  const std::size_t width = width_bytes(column.type);
  std::vector<std::byte> values(source.row_count * width);
  for (std::uint64_t row = 0; has_results && row < source.row_count; row++)
    std::memcpy(values.data() + row * width, results.values.data + entry(row) * width, width);
  column.values = Bytes::own(std::move(values));
  return column;
}

}  // namespace

Result<Column> derive(const DerivedColumn& derived, const Column& source) {
  if (is_rank(derived)) return Status(Code::internal, "ranks of strings that have no numbers");
  if (source.encoded) return Status(Code::internal, "a function of texts that are not decoded");
  if (source.device_values && source.values.empty())
    return Status(Code::unsupported, "functions of strings that live on a device alone");
  const Column& strings = source.dictionary ? *source.dictionary : source;
  Column results = results_of(derived, strings);
  if (!source.dictionary) {
    results.validity = source.validity;
    return results;
  }
  if (results.type.kind != Kind::string) return spread(results, source);
  Column column = source;
  column.type = results.type;
  column.dictionary = std::make_shared<const Column>(std::move(results));
  return column;
}

Result<Table> with_derived(const TileProgram& program, Table table) {
  for (const DerivedColumn& derived : program.derived) {
    PENSTOCK_ASSIGN(Column column, derive(derived, table.columns[derived.source]));
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace penstock::plan
