#include "codec/light/host/vector_kinds.hpp"

#include <algorithm>
#include <bit>

namespace penstock::light {
namespace {

std::uint32_t width_of(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::bit_width(value));
}

// Makes the order of unsigned numbers that of the values.
std::uint64_t ordered(std::uint64_t value, bool is_signed) {
  return is_signed ? value ^ std::uint64_t{1} << 63 : value;
}

struct Range {
  std::uint64_t least = 0, width = 0;  // bits of the largest value less the least
};
Range range_of(std::span<const std::uint64_t> values, ValueBits of) {
  if (values.empty()) return {};
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (const std::uint64_t value : values) {
    least = std::min(least, ordered(value, of.is_signed));
    most = std::max(most, ordered(value, of.is_signed));
  }
  return {ordered(least, of.is_signed), width_of(most - least)};
}

// Packs values less their least one, which becomes the vector's base.
void pack_from_least(std::span<const std::uint64_t> values, ValueBits of, EncodedVector& to) {
  const Range range = range_of(values, of);
  std::vector<std::uint64_t> offsets(values.begin(), values.end());
  for (std::uint64_t& offset : offsets) offset -= range.least;
  to.vector.base = range.least;
  to.vector.width = static_cast<std::uint32_t>(range.width);
  pack(offsets, to.vector.width, to.data);
}

// The bits of the largest value, as packed without a base.
std::uint32_t plain_width(std::span<const std::uint64_t> values, std::uint32_t bits) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  std::uint64_t any = 0;
  for (const std::uint64_t value : values) any |= value & mask;
  return width_of(any);
}

}  // namespace

EncodedVector as_packed(std::span<const std::uint64_t> values, ValueBits of, bool has_base) {
  EncodedVector to;
  to.vector.kind = LIGHT_PACKED;
  if (has_base) {
    pack_from_least(values, of, to);
    return to;
  }
  to.vector.width = plain_width(values, of.bits);
  pack(values, to.vector.width, to.data);
  return to;
}

EncodedVector as_differences(std::span<const std::uint64_t> values, ValueBits of) {
  std::vector<std::uint64_t> checkpoints, differences;
  for (std::size_t i = 0; i < values.size(); i++)
    if (i % LIGHT_CHECKPOINT_VALUES == 0)
      checkpoints.push_back(values[i]);
    else
      differences.push_back(values[i] - values[i - 1]);
  EncodedVector to;
  pack_from_least(checkpoints, of, to);
  to.data.resize(std::size_t{LIGHT_CHECKPOINT_WORDS} * to.vector.width);
  EncodedVector steps;
  pack_from_least(differences, {64, true}, steps);
  to.vector.kind = LIGHT_DELTA;
  to.vector.traits[0] = to.vector.width;
  to.vector.traits[2] = static_cast<std::uint32_t>(steps.vector.base);
  to.vector.traits[3] = static_cast<std::uint32_t>(steps.vector.base >> 32);
  to.vector.width = steps.vector.width;
  to.data.insert(to.data.end(), steps.data.begin(), steps.data.end());
  return to;
}

EncodedVector as_runs(std::span<const std::uint64_t> values, ValueBits of) {
  EncodedVector to;
  to.data.resize(LIGHT_RUN_WORDS);
  std::vector<std::uint64_t> runs;
  for (std::uint32_t i = 0; i < LIGHT_VECTOR_VALUES; i++) {
    if (i % 32 == 0)
      to.data[LIGHT_RUN_BIT_WORDS + i / 64] |=
          static_cast<std::uint32_t>(runs.size() << (i / 32 % 2 * 16));
    if (i >= values.size() || (i > 0 && values[i] == values[i - 1])) continue;
    to.data[i / 32] |= 1u << i % 32;
    runs.push_back(values[i]);
  }
  EncodedVector of_runs;
  pack_from_least(runs, of, of_runs);
  to.vector = of_runs.vector;
  to.vector.kind = LIGHT_RUNS;
  to.vector.count = static_cast<std::uint32_t>(runs.size());
  to.data.insert(to.data.end(), of_runs.data.begin(), of_runs.data.end());
  return to;
}

EncodedVector as_entries(std::span<const std::uint64_t> values, const Places& places) {
  std::vector<std::uint64_t> indices;
  for (const std::uint64_t value : values) indices.push_back(places.at(value));
  EncodedVector to;
  to.vector.kind = LIGHT_DICTIONARY;
  to.vector.width = width_of(*std::ranges::max_element(indices));
  pack(indices, to.vector.width, to.data);
  return to;
}

}  // namespace penstock::light
