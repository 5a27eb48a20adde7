#include "fuse/program/tile_program.hpp"

#include <algorithm>

#include "fuse/program/accumulator_row.hpp"

namespace penstock::plan {
namespace {

bool is_same_constant(const Scalar& a, const Scalar& b) {
  return a.type == b.type && a.is_null == b.is_null && a.integer == b.integer && a.real == b.real &&
         a.text == b.text;
}

bool is_same_graph(const Graph& a, const Graph& b) {
  if (a.size() != b.size() || a.custom_functions != b.custom_functions ||
      !std::ranges::equal(a.parameters, b.parameters, {}, &Scalar::type, &Scalar::type) ||
      !std::ranges::equal(a.parameters, b.parameters, {}, &Scalar::is_null, &Scalar::is_null))
    return false;
  for (NodeId id = 0; id < a.size(); id++)
    if (a.at(id) != b.at(id)) return false;
  return true;
}

}  // namespace

bool DerivedColumn::operator==(const DerivedColumn& other) const {
  return source == other.source && function == other.function &&
         column_input == other.column_input &&
         std::ranges::equal(inputs, other.inputs, is_same_constant);
}

bool same_kernel(const TileProgram& a, const TileProgram& b) {
  if (a.graph == b.graph) return a == b;
  if (!is_same_graph(*a.graph, *b.graph)) return false;
  TileProgram of_one_graph = b;
  of_one_graph.graph = a.graph;
  return a == of_one_graph;
}

std::uint32_t TileProgram::accumulator_words() const {
  std::uint32_t words = 0;
  for (const Accumulator& accumulator : accumulators) words += word_count(accumulator);
  return words;
}

std::uint32_t TileProgram::key_words() const {
  return key_count + std::max(1u, (key_count + 63) / 64);
}

std::uint32_t TileProgram::entry_words() const {
  return key_words() + std::max(1u, accumulator_words());
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
