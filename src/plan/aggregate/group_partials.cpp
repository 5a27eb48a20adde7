// Groups of several devices or processes: each leaves its own as a table of keys and accumulators.
#include <cstring>

#include "base/parallel.hpp"
#include "plan/aggregate/group_table.hpp"
#include "plan/aggregate/partial_columns.hpp"

namespace penstock::plan {

// The argument of DISTINCT is a key that the program's rows do not have.
Type GroupTable::key_type(std::size_t i) const {
  return program_.graph->at(program_.outputs[i].root).type;
}

Table GroupTable::partials() const {
  const std::vector<std::uint64_t> groups = all_groups();
  Table table;
  table.row_count = count_;
  for (std::size_t i = 0; i < program_.key_count; i++) {
    table.names.push_back("key " + std::to_string(i));
    table.columns.push_back(in_slices(groups, [&](Groups some) { return key_slice(i, some); }));
  }
  for (std::size_t i = 0; i < program_.accumulators.size(); i++) {
    table.names.push_back("accumulator " + std::to_string(i));
    table.columns.push_back(in_slices(groups, [&](Groups some) {
      std::vector<Partial> values;
      for (const std::uint64_t group : some) values.push_back(partials_.row(group)[i]);
      return column_of_partials(program_.accumulators[i], values);
    }));
  }
  return table;
}

Result<std::vector<std::uint64_t>> words_of_partials(const TileProgram& program, const Table& table,
                                                     StringPool& strings) {
  const std::size_t keys = program.key_count, key_words = program.key_words();
  const std::size_t width = key_words + 2 * program.accumulators.size();
  if (table.columns.size() != keys + program.accumulators.size())
    return Status(Code::internal, "partial groups of another program");
  std::vector<std::uint64_t> words(table.row_count * width);
  for (std::size_t i = 0; i < keys; i++) {
    const Column& column = table.columns[i];
    const std::vector<std::uint64_t> of_key = key_words_of(column, strings);
    const std::uint64_t null_bit = std::uint64_t{1} << (i % 64);
    in_parallel(table.row_count, min_rows_per_thread, [&](std::uint64_t row, std::uint64_t last) {
      for (; row < last; row++) {
        words[row * width + i] = of_key[row];
        if (!column.is_valid(row)) words[row * width + keys + i / 64] |= null_bit;
      }
    });
  }
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const auto store = [&](std::uint64_t row, Partial partial) {
      std::memcpy(&words[row * width + key_words + 2 * i], &partial, sizeof partial);
    };
    PENSTOCK_TRY(
        for_each_partial(program.accumulators[i], table.columns[keys + i], table.row_count, store));
  }
  return words;
}

Result<Table> GroupTable::results(const TopK* first) const {
  if (!program_.of_distinct) return finish(first);
  GroupTable totals(*program_.of_distinct, strings_);
  if (!totals.add_distinct(*this)) return sum_too_large();
  return totals.finish(first);
}

}  // namespace penstock::plan
