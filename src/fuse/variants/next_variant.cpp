#include "fuse/variants/next_variant.hpp"

#include <algorithm>
#include <cmath>

#include "codec/pages/paged_table.hpp"
#include "fuse/variants/policies.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {
namespace {

// Rows of a chunk: most chunks of a GPU have no fewer, if the source does.
constexpr std::uint64_t typical_rows = 1 << 22;
constexpr std::uint64_t unknown = ~std::uint64_t{0};

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > unknown / a ? unknown : a * b;
}

std::uint64_t extent_of(const TableSource& source, std::uint32_t column) {
  const Result<ColumnStatistics> known = source.statistics(column);
  if (!known.ok()) return unknown;  // who reads the rows meets the error
  if (known->has_no_values) return 1;
  if (!known->minimum || !known->maximum) return unknown;
  const Int128 low = scalar_at(*known->minimum, 0).integer,
               high = scalar_at(*known->maximum, 0).integer;
  if (high < low || high - low >= Int128{1} << 63) return unknown;
  return static_cast<std::uint64_t>(high - low) + 1;
}

// Returns how many values a key may have; 1 if that is expected to be few.
std::uint64_t values_of_key(const Node& key, const TableSource* source, std::uint64_t rows) {
  switch (key.type.kind) {
    case Kind::boolean: return 2;
    case Kind::int8:
    case Kind::uint8: return 1 << 8;
    case Kind::int16:
    case Kind::uint16: return 1 << 16;
    case Kind::string: return rows;  // codes
    case Kind::int32:
    case Kind::uint32:
    case Kind::date32:
    case Kind::int64:
    case Kind::uint64:
    case Kind::timestamp:
    case Kind::decimal:
    case Kind::int128:
    case Kind::float32:
    case Kind::float64: break;
  }
  if (key.op != Op::column) return 1;  // such as a part of a date
  if (source && key.payload < source->schema().size())
    if (const std::uint64_t extent = extent_of(*source, key.payload); extent != unknown)
      return extent;
  return key.type.kind == Kind::date32 ? 1 : unknown;
}

// Returns how many bits a column's pages have for a row. Few different values are codes of few
// bits, as a rule.
double stored_bits(const TableSource& source, std::uint32_t column) {
  constexpr double many = 64;
  const auto pages = source.pages();
  if (!pages || column >= pages->columns().size() || pages->first_rows().empty()) return many;
  const std::uint64_t rows = pages->first_rows().back();
  double bytes = 0;
  for (const pages::StoredChunk& chunk : pages->chunks(column))
    bytes += static_cast<double>(chunk.page_bytes);
  return rows == 0 ? many : 8 * bytes / static_cast<double>(rows);
}

// Whether the keys of so many slots are expected to fit local memory.
bool are_few(const Traits& traits, const TileProgram& program, const TableSource* source,
             std::uint64_t rows) {
  double bits = 0;
  for (std::uint32_t i = 0; i < program.key_count; i++) {
    const Node& key = program.graph->at(program.outputs[i].root);
    const std::uint64_t values = values_of_key(key, source, rows);
    const bool is_own = source && key.op == Op::column && key.payload < source->schema().size();
    bits += std::min(std::log2(static_cast<double>(values)),
                     is_own ? stored_bits(*source, key.payload) : 64);
  }
  const std::uint32_t slots = first_local_group_policy(traits, program).group.slots;
  return rows <= slots || bits <= std::log2(slots) + 0.5;  // a dictionary is some of it
}

}  // namespace

const Variant* likely_next_variant(const Traits& traits, const TileProgram& program,
                                   const Policy& now, const TableSource* source) {
  const std::uint64_t rows =
      std::min(source ? source->row_count().value_or(typical_rows) : typical_rows, typical_rows);
  std::uint64_t slots = 1;
  for (std::uint32_t i = 0; i < program.key_count; i++) {
    const Node& key = program.graph->at(program.outputs[i].root);
    const std::uint64_t values = values_of_key(key, source, rows);
    slots = product(slots, values == unknown ? unknown : values + key.nullable);
  }
  const Variant* dense = dense_variant(traits, program, now, slots, rows);
  return dense ? dense : hashed_variant(traits, program, are_few(traits, program, source, rows));
}

}  // namespace penstock::plan
