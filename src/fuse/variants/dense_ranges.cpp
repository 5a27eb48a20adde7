#include "fuse/variants/dense_ranges.hpp"

#include <algorithm>

#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint32_t max_keys = 8;
constexpr std::uint64_t max_slots = std::uint64_t{1} << 31;
constexpr std::uint64_t sign = std::uint64_t{1} << 63;
// Values up to 2^4 (float64: 2^8) times the largest seen value fit; beyond, the layout is made
// again. Values down to 2^-68 of it keep all bits. The largest values, down to 1/16 (1/8) of them,
// are aligned so that they reach over one limb (two) and hardly ever carry out of it.
constexpr int bits_below_f32 = 24 + 4 + 64, bits_below_f64 = 53 + 3 + 64;
// Beyond these the scale of a sum would not be a double.
constexpr int min_lowest = -900, max_lowest = 800;

// 2^31 values below 2^(lowest + 32 * limbs - 32) fit.
std::uint64_t lowest_bit(const Accumulator& a, std::uint64_t exponent) {
  const int bias = a.type.kind == Kind::float32 ? 127 : 1023;
  const int above = exponent == 0 ? 0 : static_cast<int>(exponent) - bias + 1;
  const int lowest = above - (a.type.kind == Kind::float32 ? bits_below_f32 : bits_below_f64);
  return static_cast<std::uint64_t>(
      static_cast<std::int64_t>(std::clamp(lowest, min_lowest, max_lowest)));
}

// The least and the greatest word of a key in the order of the values. A range must not reach
// beyond: the words in kernels would wrap, and slots would not be in the order of their keys.
struct Ends {
  std::uint64_t low = 0, high = ~std::uint64_t{0};
};
Ends ends_of(Type type) {
  if (!is_narrow_key(type)) return {};
  const auto bits = type.kind == Kind::string ? 32 : 8 * width_bytes(type);
  if (!expr::is_sign_extended(type)) return {0, (std::uint64_t{1} << bits) - 1};
  return {sign - (std::uint64_t{1} << (bits - 1)), sign + (std::uint64_t{1} << (bits - 1)) - 1};
}

}  // namespace

bool is_narrow_key(Type type) {
  switch (type.kind) {
    case Kind::boolean:
    case Kind::int8:
    case Kind::uint8:
    case Kind::int16:
    case Kind::uint16:
    case Kind::int32:
    case Kind::uint32:
    case Kind::date32:
    case Kind::string: return true;
    case Kind::int64:
    case Kind::uint64:
    case Kind::timestamp:
    case Kind::decimal:
    case Kind::int128:
    case Kind::float32:
    case Kind::float64: break;
  }
  return false;
}

std::uint64_t base_of(Type type, std::uint64_t ordered) {
  const std::uint64_t word = expr::is_sign_extended(type) ? ordered ^ sign : ordered;
  return is_narrow_key(type) ? static_cast<std::uint32_t>(word) : word;
}

std::uint64_t ordered_of(Type type, std::uint64_t base) {
  if (!expr::is_sign_extended(type)) return base;
  return (is_narrow_key(type) ? static_cast<std::uint64_t>(static_cast<std::int32_t>(base))
                              : base) ^
         sign;
}

bool can_have_ranges(const TileProgram& program) {
  if (program.key_count == 0 || program.key_count > max_keys) return false;
  for (std::uint32_t i = 0; i < program.key_count; i++) {
    const Type type = program.graph->at(program.outputs[i].root).type;
    if (is_float(type) || (type.kind != Kind::string && width_bytes(type) > 8)) return false;
  }
  return true;
}

std::vector<std::size_t> float_sums(const TileProgram& program) {
  std::vector<std::size_t> sums;
  for (std::size_t i = 0; i < program.accumulators.size(); i++)
    if (is_rounded_sum(program.accumulators[i])) sums.push_back(i);
  return sums;
}

std::uint32_t range_words(const TileProgram& program) {
  return 2 * program.key_count + static_cast<std::uint32_t>(float_sums(program).size());
}

void FoundRanges::add(std::span<const std::uint64_t> found) {
  for (std::size_t i = 0; i < found.size(); i++)
    max_[i % max_.size()] = std::max(max_[i % max_.size()], found[i]);
}

std::optional<FoundRanges::Range> FoundRanges::range(std::uint32_t key, std::uint64_t part) const {
  const std::uint64_t low = ~max_[2 * key], high = max_[2 * key + 1];
  if (low > high) return Range();  // no value
  const Type type = program_.graph->at(program_.outputs[key].root).type;
  if (high - low >= max_slots) return std::nullopt;
  const Ends ends = ends_of(type);
  const std::uint64_t more = part == 0 || type.kind == Kind::boolean ? 0 : (high - low) / part + 1;
  const std::uint64_t below =
      type.kind == Kind::string ? 0 : std::min(more, low - ends.low);  // codes only grow
  return Range{base_of(type, low - below),
               high - low + 1 + below + std::min(more, ends.high - high)};
}

std::optional<DenseTable> FoundRanges::table(std::uint64_t part) const {
  DenseTable table;
  table.slots = 1;
  for (std::uint32_t key = 0; key < program_.key_count; key++) {
    const std::optional<Range> found = range(key, part);
    if (!found) return std::nullopt;
    table.words.push_back(found->base);
    table.words.push_back(found->extent);
    table.slots *= found->extent + program_.graph->at(program_.outputs[key].root).nullable;
    if (table.slots >= max_slots) return std::nullopt;
  }
  const std::vector<std::size_t> sums = float_sums(program_);
  for (std::size_t i = 0; i < sums.size(); i++)
    table.words.push_back(
        lowest_bit(program_.accumulators[sums[i]], max_[2 * program_.key_count + i]));
  return table;
}

}  // namespace penstock::plan
