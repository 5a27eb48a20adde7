#include "plan/fusion/tile_program.hpp"

#include <algorithm>

namespace penstock::plan {

std::uint32_t TileProgram::accumulator_words() const {
  std::uint32_t words = 0;
  for (const Accumulator& accumulator : accumulators) words += word_count(accumulator);
  return words;
}

std::uint32_t TileProgram::key_words() const {
  return key_count + std::max(1u, (key_count + 63) / 64);
}

bool TileProgram::yields_row_numbers(int lookup) const {
  return std::any_of(outputs.begin(), outputs.end(), [&](const Output& output) {
    return output.late_column >= 0 &&
           lookup_of(static_cast<std::uint32_t>(output.late_column)) == lookup;
  });
}

std::uint32_t TileProgram::root_of(std::uint32_t column) const {
  while (column >= first_derived()) column = derived[column - first_derived()].source;
  return column;
}

const PagedLoad* TileProgram::paged_load(std::uint32_t column) const {
  for (const PagedLoad& load : paged)
    if (load.column == column) return &load;
  return nullptr;
}

int TileProgram::lookup_of(std::uint32_t column) const {
  column = root_of(column);
  for (std::size_t i = lookups.size(); i-- > 0;)
    if (column >= lookups[i].first_column) return static_cast<int>(i);
  return -1;
}

bool TileProgram::keeps_all_rows() const {
  return predicates.empty() &&
         std::all_of(lookups.begin(), lookups.end(), [](const Lookup& lookup) {
           return lookup.kind == JoinKind::left && !lookup.is_partitioned;
         });
}

std::vector<NodeId> TileProgram::roots() const {
  std::vector<NodeId> roots = predicates;
  for (const Lookup& lookup : lookups)
    roots.insert(roots.end(), lookup.keys.begin(), lookup.keys.end());
  for (const Output& output : outputs)
    if (output.late_column < 0) roots.push_back(output.root);
  return roots;
}

std::vector<std::uint32_t> TileProgram::scanned_columns() const {
  std::vector<std::uint32_t> columns;
  const auto add = [&](std::uint32_t column) {
    column = root_of(column);
    if (std::find(columns.begin(), columns.end(), column) == columns.end())
      columns.push_back(column);
  };
  for (std::uint32_t column : device_columns) add(column);
  for (std::uint32_t column : late_columns) add(column);
  return columns;
}

}  // namespace penstock::plan
