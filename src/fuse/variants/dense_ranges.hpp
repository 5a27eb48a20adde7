// Dense slots: the slots of groups if the ranges of their keys are known. A slot is a number of
// mixed radix with a digit for each key (kernels/group_dense.kc).
//
// A kernel finds the ranges over some of the rows (kernels/group_ranges.kc), and the size of the
// floats to add up. The host makes a table's layout from them. If a kernel meets a key outside its
// range, or a float that limbs do not hold, it reports that.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

bool is_narrow_key(Type type);  // 32 bits in kernels
// Returns a key's value as kernels hold the lowest one of a range, from its word in the order of
// the values; and that word from what kernels hold.
std::uint64_t base_of(Type type, std::uint64_t ordered);
std::uint64_t ordered_of(Type type, std::uint64_t base);
// Returns whether the program's keys are all integers, booleans or strings, which are codes, and
// few.
bool can_have_ranges(const TileProgram& program);
// Returns the accumulators that add up floats; the lowest bit of their limbs is a word of the
// layout.
std::vector<std::size_t> float_sums(const TileProgram& program);
inline std::string lowest_name(std::size_t accumulator) {
  return "lowest" + std::to_string(accumulator);
}
// Returns how many figures kernels find: for each key the complement of its lowest word and its
// highest word, for each sum of floats the largest exponent.
std::uint32_t range_words(const TileProgram& program);

struct DenseTable {
  // For kernels: each key's lowest value and how many there are; each float sum's lowest bit.
  std::vector<std::uint64_t> words;
  std::uint64_t slots = 0;
};

class FoundRanges {
 public:
  explicit FoundRanges(const TileProgram& program)
      : program_(program), max_(range_words(program)) {}
  // Adds the figures of work groups, one after another; ranges only widen.
  void add(std::span<const std::uint64_t> found);
  const std::vector<std::uint64_t>& words() const { return max_; }  // the figures of all
  // Returns the layout of ranges widened by 1/`part` of themselves on each side (0: not at all);
  // nullopt if there would be 2^31 slots or more.
  std::optional<DenseTable> table(std::uint64_t part) const;

 private:
  struct Range {
    std::uint64_t base = 0, extent = 1;
  };
  std::optional<Range> range(std::uint32_t key, std::uint64_t part) const;

  const TileProgram& program_;
  std::vector<std::uint64_t> max_;
};

}  // namespace penstock::plan
