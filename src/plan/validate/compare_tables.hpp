// Whether a device's rows are the reference's.
#pragma once
#include <optional>
#include <span>

#include "penstock/plan.hpp"

namespace penstock::plan {

// How far two values of a column may be apart. Without any they are equal; NaN is equal to NaN, and
// -0.0 to 0.0.
struct Tolerance {
  // What devices compute to some units in the last place (sin, exp, power..., customs of floats):
  // 1e-9 of the value, FLOAT 1e-4; of numbers that are no floats, also one unit.
  bool is_approximate = false;
  // Of sums and averages of floats, whose order is the device's: that of the absolute values, in
  // the reference's rows. They may differ by 1e-9 of it.
  std::optional<Column> magnitude;
};

struct Difference {
  std::uint64_t row = 0;
  std::size_t column = 0;
};  // in the reference

// The first of the reference's rows that the device's rows from `first` on do not equal; where one
// of them ends is no difference.
std::optional<Difference> first_difference(const Table& device, std::uint64_t first,
                                           const Table& reference,
                                           std::span<const Tolerance> tolerances);

// Of a step's columns, those that are computed approximately, given which of its input's are.
// Magnitudes are not set.
std::vector<Tolerance> tolerances_after(const Step& step, std::span<const Tolerance> input);

std::string cell_text(const Table& table, std::size_t column, std::uint64_t row);
// "a = 3, b = NULL, c = 'x'": of the first columns.
std::string row_text(const Table& table, std::uint64_t row, std::size_t column_count);

}  // namespace penstock::plan
