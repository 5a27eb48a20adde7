#include "fuse/variants/dense_union.hpp"

#include <algorithm>

#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t max_union_slots = std::uint64_t{1} << 31;

struct Key {
  Type type;
  bool is_nullable;
};
Key key_of(const TileProgram& program, std::uint32_t key) {
  const Node& node = program.graph->at(program.outputs[key].root);
  return {node.type, node.nullable};
}

// The words of a key in a table are its base and how many values it has.
std::uint64_t first_of(const TileProgram& program, const DenseTable& table, std::uint32_t key) {
  return ordered_of(key_of(program, key).type, table.words[2 * key]);
}
std::uint64_t extent_of(const DenseTable& table, std::uint32_t key) {
  return table.words[2 * key + 1];
}

std::uint64_t digits_of(const TileProgram& program, const DenseTable& table, std::uint32_t key) {
  return extent_of(table, key) + key_of(program, key).is_nullable;
}

}  // namespace

std::optional<DenseTable> union_of(const TileProgram& program,
                                   std::span<const DenseTable* const> tables) {
  DenseTable all;
  all.slots = 1;
  if (!float_sums(program).empty()) return std::nullopt;
  for (std::uint32_t key = 0; key < program.key_count; key++) {
    if (key_of(program, key).type.kind == Kind::string) return std::nullopt;
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (const DenseTable* const table : tables) {
      const std::uint64_t first = first_of(program, *table, key);
      low = std::min(low, first);
      high = std::max(high, first + extent_of(*table, key) - 1);
    }
    if (high - low >= max_union_slots) return std::nullopt;
    all.words.insert(all.words.end(), {base_of(key_of(program, key).type, low), high - low + 1});
    all.slots *= digits_of(program, all, key);
    if (all.slots >= max_union_slots) return std::nullopt;
  }
  return all;
}

DenseTable part_of(const TileProgram& program, const DenseTable& whole, std::size_t part,
                   std::size_t count) {
  const std::uint64_t extent = extent_of(whole, 0), begin = extent * part / count,
                      end = extent * (part + 1) / count;
  DenseTable table = whole;
  table.words[0] = base_of(key_of(program, 0).type, first_of(program, whole, 0) + begin);
  table.words[1] = end - begin;
  table.slots = whole.slots / digits_of(program, whole, 0) * digits_of(program, table, 0);
  return table;
}

SlotRange slots_of_part(const TileProgram& program, const DenseTable& table, const DenseTable& part,
                        bool is_last) {
  const std::uint64_t extent = extent_of(table, 0), first = first_of(program, table, 0),
                      part_first = first_of(program, part, 0),
                      part_end = part_first + extent_of(part, 0);
  const auto digit_of = [&](std::uint64_t value) {
    return value <= first ? 0 : std::min(value - first, extent);
  };
  const std::uint64_t per_digit = table.slots / digits_of(program, table, 0);
  return {digit_of(part_first) * per_digit, is_last ? table.slots : digit_of(part_end) * per_digit};
}

std::vector<std::uint64_t> slot_numbers(const TileProgram& program, const DenseTable& table,
                                        const DenseTable& part) {
  std::vector<std::uint64_t> numbers;
  for (std::uint32_t key = 0; key < program.key_count; key++)
    numbers.insert(numbers.end(), {extent_of(table, key), extent_of(part, key),
                                   first_of(program, part, key) - first_of(program, table, key),
                                   std::uint64_t{key_of(program, key).is_nullable}});
  return numbers;
}

}  // namespace penstock::plan
