#include "fuse/program/light_loads.hpp"

#include <algorithm>

namespace penstock::plan {
namespace {

bool is_own_column(const TileProgram& program, std::uint32_t column) {
  return column < program.first_derived() && program.lookup_of(column) < 0;
}

bool is_read_by_host(const TileProgram& program, std::uint32_t column) {
  const auto is_derived = [column](const DerivedColumn& derived) {
    return derived.source == column;
  };
  return std::ranges::find(program.late_columns, column) != program.late_columns.end() ||
         std::ranges::any_of(program.derived, is_derived);
}

}  // namespace

void read_light_columns(TileProgram& program, const TableSource& source) {
  for (const std::uint32_t column : program.device_columns) {
    if (!is_own_column(program, column) || is_read_by_host(program, column)) continue;
    Field& field = program.source_schema[column];
    if (field.type.kind != Kind::string) field.is_encoded = source.schema()[column].is_encoded;
  }
}

bool reads_light(const TileProgram& program, std::uint32_t column) {
  const Field& field = program.source_schema[column];
  return field.is_encoded && field.type.kind != Kind::string && is_own_column(program, column);
}

std::vector<std::uint32_t> light_columns(const TileProgram& program) {
  std::vector<std::uint32_t> columns;
  std::ranges::copy_if(program.device_columns, std::back_inserter(columns),
                       [&](std::uint32_t column) { return reads_light(program, column); });
  return columns;
}

}  // namespace penstock::plan
