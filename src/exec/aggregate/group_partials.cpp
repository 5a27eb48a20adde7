// Groups of several devices or processes: each leaves its own as a table of keys and accumulators.
#include "exec/aggregate/group_table.hpp"
#include "exec/aggregate/partial_columns.hpp"

namespace penstock::plan {

Result<Table> GroupTable::partials() {
  if (!settle()) return sum_too_large();
  const std::vector<std::uint64_t> groups = all_groups();
  Table table;
  table.row_count = groups.size();
  for (std::size_t i = 0; i < program_.key_count; i++) {
    table.names.push_back("key " + std::to_string(i));
    table.columns.push_back(key_column(i, groups));
  }
  for (std::size_t i = 0; i < program_.accumulators.size(); i++) {
    table.names.push_back("accumulator " + std::to_string(i));
    table.columns.push_back(in_slices(groups, [&](Groups some) { return partial_slice(i, some); }));
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
    if (column.type != program.graph->at(program.outputs[i].root).type ||
        column.row_count != table.row_count)
      return Status(Code::internal, "partial groups by another key");
    store_key(
        column, {i, keys}, [&](std::string_view text) { return strings.code(text); }, words.data(),
        width);
  }
  for (std::size_t i = 0; i < program.accumulators.size(); i++)
    PENSTOCK_TRY(store_partials(program.accumulators[i], table.columns[keys + i], table.row_count,
                                words.data() + key_words + 2 * i, width));
  return words;
}

Result<Table> GroupTable::results(const TopK* first) {
  if (!program_.of_distinct) return finish(first);
  if (!settle()) return sum_too_large();
  GroupTable totals(*program_.of_distinct, layout_.strings, device_);
  if (!totals.add_distinct(*this)) return sum_too_large();
  return totals.finish(first);
}

}  // namespace penstock::plan
