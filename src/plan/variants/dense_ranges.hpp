// Which slot a group's keys have where their ranges are known: a number of as many digits as there
// are keys (kernels/group_dense.kc).
//
// A kernel finds the ranges over some of the rows (kernels/group_ranges.kc), and how large the
// floats are that are added up; the host makes a table's layout of it. A key outside its range, or
// a float that limbs do not hold, is reported by the kernel that meets it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/fusion/tile_program.hpp"

namespace penstock::plan {

bool is_narrow_key(Type type);  // 32 bits in kernels
// Whether the program's keys are all whole numbers, booleans or strings, which are codes, and few.
bool can_have_ranges(const TileProgram& program);
// The accumulators that add up floats; their limbs' lowest bit is a word of the layout.
std::vector<std::size_t> float_sums(const TileProgram& program);
inline std::string lowest_name(std::size_t accumulator) {
  return "lowest" + std::to_string(accumulator);
}
// Figures that kernels find: of each key the complement of its lowest word and its highest one, of
// each sum of floats the largest exponent.
std::uint32_t range_words(const TileProgram& program);

struct DenseTable {
  std::vector<std::uint64_t> words;  // for kernels: each key's lowest value and how many there are;
                                     // each float sum's lowest bit
  std::uint64_t slots = 0;
};

class FoundRanges {
 public:
  explicit FoundRanges(const TileProgram& program)
      : program_(program), max_(range_words(program)) {}
  // What work groups left, one after another; ranges only widen.
  void add(std::span<const std::uint64_t> found);
  // Ranges widened by 1/`part` of themselves on each side (0: not at all). None where there would
  // be 2^31 slots or more.
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
